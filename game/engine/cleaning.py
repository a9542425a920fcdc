"""Cleaning: Ristikontra with five cards each, where queens taken early want a king taken late.

The rule numbers (C1 …) are those of ``docs/rules.md``.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from game.engine.cards import rank
from game.engine.ristikontra import (
    SEATS,
    VALUES,
    Ristikontra,
    Rules,
    Scored,
    Sheet,
    State,
    pile_points,
)

HAND = 5
STOCK_TRICKS = 8
GOAL = 500
FEW = 10
"""A pile with no more card points than this costs a side its score (C5)."""


class Dirt(NamedTuple):
    """The trick that made a side dirty and the one that cleaned it, from 1; None if none did."""

    dirtied: int | None = None
    cleaned: int | None = None

    @property
    def dirty(self) -> bool:
        """Whether the side is dirty now."""
        return self.dirtied is not None and self.cleaned is None


def dirt(state: State, side: int) -> Dirt:
    """What the tricks a side has taken so far have made of it (C2, C3)."""
    found = Dirt()
    numbers = [number for number, taker in enumerate(state.takers, start=1) if taker == side]
    for place, number in enumerate(numbers):
        trick = state.piles[side][place * SEATS : (place + 1) * SEATS]
        ranks = set(map(rank, trick))
        if number <= STOCK_TRICKS:
            if found.dirtied is None and "Q" in ranks:
                found = Dirt(number)
        # The card that takes a trick is always of the rank that led it.
        elif found.dirty and "K" in ranks and state.leads[number - 1] != "Q":
            found = found._replace(cleaned=number)
    return found


def clean_points(state: State) -> Scored:
    """Card points are added up. A pile of few costs all (C5), a dirty side earns nothing (C4)."""
    dirty = [dirt(state, side).dirty for side in (0, 1)]
    one, two = (
        0 if earned <= FEW else had if foul else had + earned
        for had, earned, foul in zip(state.sheet.score, pile_points(state), dirty, strict=True)
    )
    return Scored((one, two), held=0, told={"dirty": dirty})


RULES = Rules(HAND, VALUES, GOAL, clean_points)


class Cleaning(Ristikontra):
    """Ristikontra by other rules, and with public dirt (C7)."""

    key: ClassVar[str] = "cleaning"
    title: ClassVar[str] = "Cleaning"

    def rules(self, sheet: Sheet) -> Rules:
        return RULES

    def public(self, state: State) -> dict[str, Any]:
        sides = [dirt(state, side) for side in (0, 1)]
        return {
            **super().public(state),
            "values": dict(RULES.values),
            "goal": RULES.goal,
            "dirty": [one.dirty for one in sides],
            "explained": self._explained(state, sides) if state.turn is None else None,
        }

    def _explained(self, state: State, sides: list[Dirt]) -> list[dict[str, Any]]:
        """Why each side's count is what it is: the tricks, and whether it lost its score."""
        return [
            {**one._asdict(), "dropped": earned <= FEW}
            for one, earned in zip(sides, pile_points(state), strict=True)
        ]
