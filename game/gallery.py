"""Positions to look at: what one seat sees at telling moments of matches, played at random but
always the same. The page of the design shows them on the games' own boards."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from game.engine.cards import PACK
from game.engine.registry import find

SEAT = 0
View = Mapping[str, Any]


@dataclass(frozen=True)
class Position:
    """A moment worth a look. `wanted` recognises it in the view of `SEAT`."""

    title: str
    key: str
    seats: int
    wanted: Callable[[View], bool]


def _on_turn(view: View) -> bool:
    return bool(view["turn"] == SEAT and not view["result"])


POSITIONS = (
    Position(
        "Leading, a rank barred",
        "ristikontra",
        4,
        lambda view: (
            _on_turn(view)
            and not view["trick"]
            and any(code not in view["legal"] for code in view["hand"])
        ),
    ),
    Position(
        "Following, a card from the stock in the trick",
        "ristikontra",
        4,
        lambda view: (
            _on_turn(view)
            and len(view["trick"]) == 3
            and any(play["dark"] for play in view["trick"])
            and len(view["last"]) == 4
        ),
    ),
    Position(
        "Another seat is on turn",
        "ristikontra",
        4,
        lambda view: view["turn"] not in (SEAT, None) and len(view["trick"]) == 2,
    ),
    Position(
        "A deal is counted",
        "ristikontra",
        4,
        lambda view: view["turn"] is None and not view["result"] and view["deal"] > 2,
    ),
    Position("The match is over", "ristikontra", 4, lambda view: bool(view["result"])),
    Position(
        "A dirty side",
        "cleaning",
        4,
        lambda view: _on_turn(view) and any(view["dirty"]) and not view["trick"],
    ),
    Position(
        "Rows half built, four players",
        "ristiseiska",
        4,
        lambda view: _on_turn(view) and len(view["hand"]) in (6, 7) and len(view["legal"]) > 1,
    ),
    Position(
        "Twenty-six cards, two players",
        "ristiseiska",
        2,
        lambda view: _on_turn(view) and len(view["hand"]) == 26,
    ),
)


def _views(position: Position) -> Iterator[View]:
    """What the seat sees, play by play, of one match after another."""
    game = find(position.key)
    rng = random.Random(position.title)  # noqa: S311  (nothing is at stake)
    while True:
        sheet = game.open(position.seats, {}, rng.randrange(position.seats))
        while game.result(sheet) is None:
            pack = list(PACK)
            rng.shuffle(pack)
            state = game.deal(sheet, tuple(pack))
            yield game.view(state, SEAT)
            while state.turn is not None:
                state = game.play(state, rng.choice(game.legal(state)))
                yield game.view(state, SEAT)
            sheet = game.settle(state)


@cache
def view_of(position: Position) -> View:
    """The first view that is as wanted."""
    return next(view for view in _views(position) if position.wanted(view))
