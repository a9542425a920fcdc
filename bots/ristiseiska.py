"""How the computer plays Ristiseiska. The line numbers are those of ``docs/rules.md``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from game.engine.cards import PACK, rank
from game.engine.ristiseiska import AFTER, CLOSING, COSTS, STOP

OWN = 4
"""How many cards opened for the others are worth one opened for itself."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All a computer is given: its hand and what of it may be played, in the fixed order that
    breaks ties, and how many cards each other seat has.

    What lies on the table is not needed: every card behind one in the hand is still to come.
    """

    hand: list[str]
    legal: list[str]
    others: list[int]


def facts(view: dict[str, Any], played: list[str]) -> Facts:
    """What a computer sees of its own seat's view."""
    counts = enumerate(view["hands"])
    return Facts(
        hand=view["hand"],
        legal=view["legal"],
        others=[count for seat, count in counts if seat != view["seat"]],
    )


def _before(card: str) -> Iterator[str]:
    """The cards that must all lie before this one can."""
    while card in AFTER:
        card = AFTER[card]
        yield card


BEHIND = {card: [later for later in PACK if card in _before(later)] for card in PACK}
"""The cards that wait for a card, directly or for one another."""


def gain(facts: Facts, card: str) -> int:
    """What it is worth to itself that this card opens the cards behind it."""
    own = sum(later in facts.hand for later in BEHIND[card])
    return OWN * own - (len(BEHIND[card]) - own)


def policy(facts: Facts) -> str:
    """The code the computer plays: the first line that applies decides."""
    cards = [code for code in facts.legal if code in facts.hand]
    if not cards:
        return facts.legal[0]  # line 1
    closing = [card for card in cards if rank(card) in CLOSING]
    if len(cards) == len(facts.hand) <= len(closing) + 1:
        return (closing or cards)[0]  # line 2
    if 1 in facts.others:
        return max(cards, key=lambda card: COSTS[rank(card)])  # line 3
    best = max(cards, key=lambda card: gain(facts, card))
    if STOP in facts.legal and gain(facts, best) <= 0:
        return STOP  # line 4
    return best  # line 5
