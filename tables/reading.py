"""Reading a table: as it stands, and as each of its seats may see it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from game import matches
from game.models import Match
from tables import people
from tables.models import Seat

HOST = 0


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat as it stands."""

    index: int
    name: str
    holder: str
    turnover: int


@dataclass(frozen=True, slots=True)
class At:
    """A table as it stands at one moment."""

    code: str
    voice: bool
    match: int
    game: str
    options: dict[str, str | int]
    version: int
    ply: int
    status: str
    outcome: dict[str, Any] | None
    seats: tuple[SeatAt, ...]

    def seat_of(self, browser: str | None) -> int | None:
        """The seat this browser holds here, if any."""
        for seat in self.seats:
            if browser and people.holds(seat.holder, browser, self.code, seat.index, seat.turnover):
                return seat.index
        return None


def at(code: str) -> At | None:
    """The table as it stands, in one statement; None when there is none."""
    rows = list(
        Seat.objects.filter(table__code=code)
        .order_by("index")
        .values_list(
            "table__voice",
            "table__match_id",
            "table__match__game",
            "table__match__options",
            "table__match__version",
            "table__match__ply",
            "table__match__status",
            "table__match__outcome",
            "index",
            "name",
            "holder",
            "turnover",
        )
    )
    if not rows:
        return None
    voice, match, game, options, version, ply, status, outcome = rows[0][:8]
    seats = tuple(SeatAt(*row[8:]) for row in rows)
    return At(code, voice, match, game, options, version, ply, status, outcome, seats)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one seat is sent, and the version and holder it is for."""

    version: int
    holder: str
    text: str


def snapshots(code: str) -> dict[int, Snapshot]:
    """The complete snapshot of every seat, by seat; empty when the table is gone.

    One statement when the position is remembered. The version is read first, so that a snapshot's
    content may be newer than its number, never older.
    """
    for _ in range(TRIES):
        now = at(code)
        if now is None:
            return {}
        try:
            position = None if now.ply == 0 else matches.position(now.match, now.ply)
        except matches.Stale:
            continue  # the match has moved on since; read it again
        return {seat.index: _snapshot(now, position, seat) for seat in now.seats if seat.holder}
    raise TimeoutError("the table moves on faster than it can be read")


TRIES = 20
SHEET = ("points", "score", "totals")
"""What of every finished deal's count stands on the match sheet."""


def _snapshot(now: At, position: matches.Position | None, seat: SeatAt) -> Snapshot:
    message: dict[str, Any] = {
        "type": "snapshot",
        "version": now.version,
        "ply": now.ply,
        "status": now.status,
        "you": seat.index,
        "voice": now.voice,
        "seats": [{"name": one.name, "taken": bool(one.holder)} for one in now.seats],
        "outcome": now.outcome,
    }
    if position is not None:
        message["view"] = position.game.view(position.state, seat.index)
        message["commitment"] = position.commitment
        message["count"] = position.counts[-1] if position.counts else None
        message["deals"] = [
            {name: count[name] for name in SHEET if name in count} for count in position.counts
        ]
    if seat.index == HOST and now.status == Match.Status.WAITING:
        message["invites"] = {
            one.index: people.invite(now.code, one.index, one.turnover)
            for one in now.seats
            if not one.holder
        }
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return Snapshot(now.version, seat.holder, text)
