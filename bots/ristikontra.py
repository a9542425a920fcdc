"""How the computer plays Ristikontra, by the card values of the table.

The line numbers are those of ``docs/rules.md``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from game.engine.cards import in_order, rank
from game.engine.ristikontra import DARK, SEATS, VALUES, side


@dataclass(frozen=True, slots=True)
class Facts:
    """All a computer is given. ``hand`` and ``legal`` are in the fixed order that breaks ties."""

    seat: int
    hand: list[str]
    legal: list[str]
    trick: list[dict[str, Any]]
    barred: str | None
    stock: int
    played: list[str]
    values: Mapping[str, int] = field(default_factory=lambda: VALUES)

    def worth(self, card: str) -> int:
        """Card points of one card."""
        return self.values.get(rank(card), 0)


def facts(view: dict[str, Any], played: list[str]) -> Facts:
    """What a computer sees of its own seat's view, and the cards played face up in this deal."""
    return Facts(
        seat=view["seat"],
        hand=in_order(tuple(view["hand"])),
        legal=view["legal"],
        trick=view["trick"],
        barred=view["barred"],
        stock=view["stock"],
        played=played,
        values=view.get("values", VALUES),
    )


def unseen(facts: Facts, one: str) -> int:
    """How many cards of a rank are neither in the computer's hand nor played face up."""
    return 4 - sum(rank(card) == one for card in (*facts.hand, *facts.played))


def policy(facts: Facts) -> str:
    """The code the computer plays: the first line that applies decides."""
    return _follow(facts) if facts.trick else _lead(facts)


def _lead(facts: Facts) -> str:
    allowed = [code for code in facts.legal if code != DARK]
    certain = [card for card in allowed if facts.worth(card) and not unseen(facts, rank(card))]
    if certain:
        return max(certain, key=facts.worth)  # line 1
    worthless = [card for card in allowed if not facts.worth(card)]
    if worthless:
        return min(worthless, key=lambda card: unseen(facts, rank(card)))  # line 2
    if DARK in facts.legal and all(map(facts.worth, facts.hand)):
        return DARK  # line 3
    return min(allowed, key=facts.worth)


def _follow(facts: Facts) -> str:
    led = rank(facts.trick[0]["card"])
    winner = next(play["seat"] for play in reversed(facts.trick) if rank(play["card"]) == led)
    ours = side(winner) == side(facts.seat)
    last_to_act = len(facts.trick) == SEATS - 1
    if last_to_act and ours:
        return max(facts.hand, key=facts.worth)  # line 4

    matching = [card for card in facts.hand if rank(card) == led]
    if matching and not ours and any(facts.worth(play["card"]) for play in facts.trick):
        return matching[0]  # line 5

    worthless = [card for card in facts.hand if not facts.worth(card)]
    if worthless:  # line 6: a rank held once first
        ranks = [rank(card) for card in facts.hand]
        return min(worthless, key=lambda card: ranks.count(rank(card)) > 1)
    return DARK if facts.stock else min(facts.hand, key=facts.worth)
