"""Ristikontra by house rules: the same play, with options for how it counts.

The rule numbers (H1 …) are those of ``docs/rules.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from game.engine.base import Illegal, Options, choose
from game.engine.ristikontra import (
    GOAL,
    HAND,
    SEATS,
    VALUES,
    Pair,
    Ristikontra,
    Rules,
    Scored,
    Sheet,
    State,
    game_points,
    paid,
    pile_points,
    side,
)

FIVE_TO_ONE = {"A": 5, "K": 4, "Q": 3, "J": 2, "T": 1}
PENALTY = 2
ONLY_WITH = {"sweep": ("goal", "game-points"), "signalling": ("goal", "game-points")}
"""Options that mean something only where another has this value."""


@dataclass(frozen=True, slots=True)
class HouseSheet(Sheet):
    """The score, the options chosen, and 1 for each side that has conceded since the last count."""

    options: tuple[tuple[str, str | int], ...] = ()
    conceded: Pair = (0, 0)


def sweep_wipes(state: State) -> Scored:
    """All thirteen tricks earn nothing but what is held, and the other side drops to zero (H3)."""
    if all(state.piles):
        return game_points(state)
    held, sweeper = state.sheet.held, 1 if state.piles[1] else 0
    gained = paid(state, 0, held) if sweeper else paid(state, held, 0)
    return gained._replace(score=_put(gained.score, 1 - sweeper, 0))


def card_points(state: State) -> Scored:
    """Card points are added up as they are (H2)."""
    (one, two), (ours, theirs) = state.sheet.score, pile_points(state)
    return Scored((one + ours, two + theirs), held=0, told={})


class House(Ristikontra):
    """Ristikontra with options. ``Sheet`` is a ``HouseSheet`` throughout."""

    key: ClassVar[str] = "ristikontra-house"
    title: ClassVar[str] = "Ristikontra, house rules"
    options: ClassVar[Mapping[str, tuple[str | int, ...]]] = {
        "values": ("standard", "five-to-one"),
        "goal": ("game-points", "card-points"),
        "sweep": ("two-points", "wipe"),
        "signalling": ("off", "on"),
    }
    sheet_type: ClassVar[type[Any]] = HouseSheet

    def rules(self, sheet: Sheet) -> Rules:
        chosen = _options(sheet)
        values = FIVE_TO_ONE if chosen["values"] == "five-to-one" else VALUES  # H1
        if chosen["goal"] == "card-points":
            return Rules(HAND, values, goal=SEATS * sum(values.values()), scored=card_points)
        return Rules(HAND, values, GOAL, sweep_wipes if chosen["sweep"] == "wipe" else game_points)

    def open(self, seats: int, options: Options, dealer: int) -> HouseSheet:
        chosen = choose(self, seats, options, dealer)
        for name, (other, wanted) in ONLY_WITH.items():
            if chosen[other] != wanted and chosen[name] != self.options[name][0]:
                raise Illegal("game-points-only", option=name, value=chosen[name])
        return HouseSheet(dealer, options=tuple(chosen.items()))

    def reopen(self, sheet: Sheet) -> HouseSheet:
        return HouseSheet(sheet.dealer, options=tuple(_options(sheet).items()))

    def settle(self, state: State) -> Sheet:
        sheet: Sheet = replace(cast(HouseSheet, super().settle(state)), conceded=(0, 0))
        for one, conceded in enumerate(state.conceded):
            sheet = self.concede(sheet, one) if conceded else sheet
        return sheet

    def concede(self, sheet: Sheet, side: int) -> HouseSheet:
        """The sheet after a side has owned up to signalling (H4).

        Illegal: ``signalling-off``, ``match-over``, ``nothing-counted``, ``conceded``.
        """
        house = cast(HouseSheet, sheet)
        if _options(house)["signalling"] != "on":
            raise Illegal("signalling-off")
        if house.winner is not None:
            raise Illegal("match-over")
        if not house.deals:
            raise Illegal("nothing-counted")
        if house.conceded[side]:
            raise Illegal("conceded")
        return replace(
            house,
            score=_put(house.score, side, max(0, house.score[side] - PENALTY)),
            conceded=_put(house.conceded, side, 1),
        )

    def concede_now(self, state: State, side: int) -> State:
        """The state after a side has conceded: in a finished deal after it, in a deal without plays
        after the one before. Illegal: what ``concede`` says, ``concede-late``."""
        if state.turn is None:
            self.concede(self.settle(state), side)
            return replace(state, conceded=_put(state.conceded, side, 1))
        if state.leads:
            raise Illegal("concede-late")
        return replace(state, sheet=self.concede(state.sheet, side))

    def public(self, state: State) -> dict[str, Any]:
        sheet = self.settle(state) if state.turn is None else state.sheet
        return {
            **super().public(state),
            "options": _options(sheet),
            "values": dict(state.rules.values),
            "goal": state.rules.goal,
            "conceded": list(cast(HouseSheet, sheet).conceded),
        }

    def private(self, state: State, seat: int) -> dict[str, Any]:
        may = self._may_concede(state, side(seat))
        return {**super().private(state, seat), "concede": may}

    def _may_concede(self, state: State, side: int) -> bool:
        try:
            self.concede_now(state, side)
        except Illegal:
            return False
        return True


def _options(sheet: Sheet) -> dict[str, str | int]:
    return dict(cast(HouseSheet, sheet).options)


def _put(pair: Pair, side: int, value: int) -> Pair:
    """The pair with another number for one side."""
    return (pair[0], value) if side else (value, pair[1])
