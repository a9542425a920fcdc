"""Positions of Ristiseiska for its tests: tables made to order, deals from chosen hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.engine.cards import PACK, RANKS
from game.engine.ristiseiska import Ristiseiska, Sheet, State
from game.tests.deals import stack

GAME = Ristiseiska()


def opened(seats: int = 3, dealer: int = 0, **options: str | int) -> Sheet:
    return GAME.open(seats, options, dealer)


def scored(*totals: int, deals: int = 3, **options: str | int) -> Sheet:
    """The sheet after that many deals with these totals."""
    sheet = opened(len(totals), 0, **options)
    return Sheet(sheet.dealer, totals, sheet.length, sheet.pantti, sheet.tie, deals)


def laid(rows: str) -> frozenset[str]:
    """The cards of rows written like this: "C7 D67 H678 S5-9 DA-K", first and last of a run."""
    table = []
    for run in rows.split():
        suit, ranks = run[0], run[1:]
        if "-" in ranks:
            ranks = RANKS[RANKS.index(ranks[0]) : RANKS.index(ranks[2]) + 1]
        table += [rank + suit for rank in ranks]
    assert set(table) <= set(PACK)
    return frozenset(table)


def position(
    *hands: str,
    rows: str = "C7",
    turn: int = 0,
    holder: int | None = None,
    extra: bool = False,
    sheet: Sheet | None = None,
) -> State:
    """These hands at this table. Not all cards need to be somewhere: only what matters is said."""
    return State(
        sheet=sheet or opened(len(hands)),
        hands=tuple(tuple(hand.split()) for hand in hands),
        turn=turn,
        table=laid(rows),
        holder=holder,
        extra=extra,
    )


def dealt(hands: Mapping[int, str], seats: int = 3, dealer: int = 0, **options: str | int) -> State:
    """A deal of the whole pack in which these seats have these cards, and others beside them."""
    pack = stack(hands, dealer=dealer, seats=seats, each=len(PACK) // seats)
    return GAME.deal(opened(seats, dealer, **options), pack)


def played(state: State, script: str) -> State:
    """The state after these plays ("7C pantti 6C")."""
    for code in script.split():
        state = GAME.play(state, code)
    return state


def views(state: State) -> list[dict[str, Any]]:
    return [GAME.view(state, seat) for seat in range(len(state.hands))]


def row(state: State, suit: str) -> dict[str, Any]:
    """A suit's row as everybody sees it."""
    rows = [view["rows"] for view in views(state)]
    assert all(one == rows[0] for one in rows)
    found: dict[str, Any] = next(one for one in rows[0] if one["suit"] == suit)
    return found
