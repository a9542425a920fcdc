"""Cards: a two-letter code each, rank then suit (``7C``, ``TH``, ``AS``)."""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "CDHS"
PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

_ORDER = {code: (RANKS.index(code[0]), code[1]) for code in PACK}
_PLACE = {code: place for place, code in enumerate(PACK)}


def rank(card: str) -> str:
    """The card's rank, one letter of ``RANKS``."""
    return card[0]


def in_order(cards: tuple[str, ...]) -> list[str]:
    """The cards by rank, ace first, then by suit: an order that tells nothing of how they came."""
    return sorted(cards, key=_ORDER.__getitem__)


def in_suits(cards: Iterable[str]) -> list[str]:
    """The cards by suit, then by rank, ace first: the order of ``PACK``."""
    return sorted(cards, key=_PLACE.__getitem__)


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards but for this one of them."""
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def is_pack(cards: tuple[str, ...]) -> bool:
    """Whether these are the 52 cards, each once, in any order."""
    return len(cards) == len(PACK) and set(cards) == set(PACK)


def deal_out(
    pack: tuple[str, ...], seats: int, dealer: int, each: int = len(PACK)
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Deal ``each`` cards to every seat, one at a time from the seat after the dealer.

    Unless told how many, deal until none is left, even if some seats then have one more.

    Returns the hands by seat, each in the order it was dealt, and the rest of the pack.
    """
    dealt = each * seats
    hands = tuple(pack[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    return hands, pack[dealt:]
