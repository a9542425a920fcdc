"""Reading a table: as it stands, and as each of its seats may see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import orjson
from django.db.models import QuerySet
from django.utils import timezone

from game import matches
from game.engine.base import Illegal
from game.models import Match
from tables import database, people
from tables.models import Line, Seat
from tables.people import Link

HOST = 0


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat as it stands."""

    index: int
    name: str
    holder: str
    turnover: int
    agrees: str
    person: int
    banned: datetime | None

    @property
    def shut_out(self) -> bool:
        """Whether its holder is banned now."""
        return self.banned is not None and self.banned > timezone.now()


@dataclass(frozen=True, slots=True)
class At:
    """A table as it stands at one moment."""

    code: str
    language: str
    voice: bool
    closed: bool
    sitting: int
    match: int
    game: str
    options: dict[str, str | int]
    version: int
    ply: int
    said: int
    begun: bool
    status: str
    outcome: dict[str, Any] | None
    seats: tuple[SeatAt, ...]

    @property
    def keeper(self) -> int:
        """The seat that keeps the invites: the host's, or when it is lost the next held one."""
        return next((seat.index for seat in self.seats if seat.holder), HOST)

    def seat_of(self, browser: str | None) -> int | None:
        """The seat this browser holds here, if any."""
        for seat in self.seats:
            if browser and people.holds(seat.holder, browser, self.code, seat.index, seat.turnover):
                return seat.index
        return None


@database.prepared
def _seats_with_match(code: Any) -> QuerySet[Seat, Any]:
    """Of each seat what is read of the table and its match, then what of the seat."""
    return (
        Seat.objects.filter(table__code=code)
        .order_by("index")
        .values_list(
            "table__language",
            "table__voice",
            "table__closed",
            "table__match__sitting__number",
            "table__match_id",
            "table__match__game",
            "table__match__options",
            "table__match__version",
            "table__match__ply",
            "table__match__said",
            "table__match__sheet",
            "table__match__status",
            "table__match__outcome",
            "index",
            "name",
            "holder",
            "turnover",
            "agrees",
            "person",
            "banned",
        )
    )


def at(code: str) -> At | None:
    """The table as it stands, in one statement; None when there is none."""
    rows = _seats_with_match(code)
    if not rows:
        return None
    first: tuple[Any, ...] = rows[0]
    (language, voice, closed, sitting, match, game, options) = first[:7]
    (version, ply, said, sheet, status, outcome) = first[7:13]
    seats = tuple(SeatAt(*row[13:]) for row in rows)
    return At(
        code=code,
        language=language,
        voice=voice,
        closed=bool(closed),
        sitting=sitting,
        match=match,
        game=game,
        options=options,
        version=version,
        ply=ply,
        said=said,
        begun=sheet is not None,
        status=status,
        outcome=outcome,
        seats=seats,
    )


@dataclass(frozen=True, slots=True)
class Picture:
    """A table at one moment with all that its seats are told of it. ``steady`` is what all of them
    are told alike and no play but a deal's last changes, as JSON."""

    at: At
    position: matches.Position | None
    steady: str

    @property
    def deal(self) -> int:
        """The number of the deal that is played; 0 before the first."""
        return self.position.number if self.position is not None else 0

    def played(self, code: str, seat: int | None = None) -> Picture:
        """The table one play later, nothing else having changed: a play of ``seat``, or of
        whoever is on turn. Illegal: it is none, or the last of a deal, which changes more."""
        now = self.position
        if now is None or now.state.turn is None:
            raise Illegal("deal-over")
        state = matches.answer(now, now.state.turn if seat is None else seat, code)
        if state.turn is None:
            raise Illegal("deal-over")
        position = replace(now, ply=now.ply + 1, state=state)
        at = replace(self.at, version=self.at.version + 1, ply=position.ply)
        return replace(self, at=at, position=position)

    def snapshots(self, seats: Iterable[int]) -> dict[int, str]:
        """The complete snapshot for each of these seats. What all are told alike is written once,
        and what each of them is told besides put behind it."""
        at, position = self.at, self.position
        common = f'{{"type":"snapshot","version":{at.version},"ply":{at.ply},{self.steady[1:-1]}'
        invites = _invites(at)
        texts = {seat: f'{common},"you":{seat}' for seat in seats}
        if position is not None:
            game, state = position.game, position.state
            public = _write(game.public(state))[:-1]
            for seat, text in texts.items():
                private = _write(game.private(state, seat))[1:]
                texts[seat] = f'{text},"view":{public},{private}'
        return {
            seat: text + (f',"invites":{invites}}}' if invites and seat == at.keeper else "}")
            for seat, text in texts.items()
        }


def picture(code: str) -> Picture | None:
    """The table as it stands with all that its seats are told; None when it is gone.

    One statement when the position is remembered. The version is read first, so that what a
    snapshot says may be newer than its number, never older.
    """
    for _ in range(TRIES):
        now = at(code)
        if now is None:
            return None
        try:
            position = matches.position(now.match, now.ply) if now.begun else None
        except matches.Stale:
            continue  # the match has moved on since; read it again
        return Picture(now, position, _steady(now, position))
    raise TimeoutError("the table moves on faster than it can be read")


TRIES = 20
SHEET = ("points", "score", "totals")
"""What of every finished deal's count stands on the match sheet, a column each."""


@lru_cache(maxsize=1_000)
def _earlier(code: str, match: int, sitting: int) -> tuple[dict[str, Any], ...]:
    """The outcomes of the table's matches before this one, which will not change any more."""
    if sitting == 1:
        return ()
    earlier = Match.objects.filter(sitting__table__code=code, sitting__number__lt=sitting)
    outcomes = earlier.order_by("sitting__number").values_list("outcome", flat=True)
    return tuple(outcome for outcome in outcomes if outcome is not None)


def _steady(now: At, position: matches.Position | None) -> str:
    message: dict[str, Any] = {
        "status": now.status,
        "sitting": now.sitting,
        "voice": now.voice,
        "seats": [
            {"name": one.name, "taken": bool(one.holder)}
            | ({"agrees": one.agrees} if one.agrees else {})
            | ({"person": one.person} if one.person else {})
            | ({"turnover": one.turnover} if now.status != Match.Status.PLAYING else {})
            for one in now.seats
        ],
        "outcome": now.outcome,
    }
    if earlier := _earlier(now.code, now.match, now.sitting):
        message["earlier"] = earlier
    if position is not None:
        message["commitment"] = position.commitment
        message["count"] = position.counts[-1] if position.counts else None
        columns = {name: [one[name] for one in position.counts if name in one] for name in SHEET}
        message["deals"] = {name: column for name, column in columns.items() if column}
    return _write(message)


def _invites(now: At) -> str:
    """Of each empty seat its invite, as JSON, while there are or may be some."""
    empty = [one for one in now.seats if not one.holder]
    if now.status == Match.Status.OVER or not (empty or now.status == Match.Status.WAITING):
        return ""
    return _write(
        {
            str(one.index): people.sign(Link.INVITE, now.code, one.index, one.turnover)
            for one in empty
        }
    )


def _write(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()


# ---- chat ----------------------------------------------------------------------------------------

LINES = 200
"""How many lines a page is sent at once at most, the newest; it is told that there were more."""


def lines(code: str, since: int) -> list[tuple[int, int, dict[str, Any], str]]:
    """The lines of a table that have changed after the number ``since``, in order, `LINES` and one
    more at most, the newest: of each the number of its change, its seat, how it is told, and what
    its speaker's page calls it."""
    rows = Line.objects.filter(table__code=code, changed__gt=since).order_by("-changed")
    rows = rows[: LINES + 1]
    return [(row.changed, row.seat, _line(row), row.client) for row in reversed(rows)]


def _line(row: Line) -> dict[str, Any]:
    if row.hidden:
        return {"n": row.number, "hidden": True}
    told: dict[str, Any] = {
        "n": row.number,
        "seat": row.seat,
        "name": row.name,
        "at": row.created.isoformat(timespec="seconds"),
    }
    if row.person:
        told["person"] = row.person
    if row.kind == Line.SAID:
        return told | {"text": row.text}
    return told | {"kind": row.kind, "facts": row.facts}
