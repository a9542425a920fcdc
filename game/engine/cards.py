"""Cards: a two-letter code each, rank then suit (``7C``, ``TH``, ``AS``)."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

_ORDER = {code: (RANKS.index(code[0]), code[1]) for code in PACK}


def rank(card: str) -> str:
    """The card's rank, one letter of ``RANKS``."""
    return card[0]


def in_order(cards: tuple[str, ...]) -> list[str]:
    """The cards by rank, ace first, then by suit: an order that tells nothing of how they came."""
    return sorted(cards, key=_ORDER.__getitem__)


def is_pack(cards: tuple[str, ...]) -> bool:
    """Whether these are the 52 cards, each once, in any order."""
    return len(cards) == len(PACK) and set(cards) == set(PACK)


def deal_out(
    pack: tuple[str, ...], seats: int, dealer: int, each: int
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Deal ``each`` cards to every seat, one at a time from the seat after the dealer.

    Returns the hands by seat, each in the order it was dealt, and the rest of the pack.
    """
    dealt = each * seats
    hands = tuple(pack[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    return hands, pack[dealt:]
