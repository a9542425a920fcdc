"""Who is at a table, and who of them is in the voice call: its only writer, and how it is told.

A seat is here while some process holds a live socket of it. Every process keeps a row for each seat
that it has sockets of and renews all of them at each pulse; a row that is not renewed, its process
having died, counts for nothing after a lease. A seat is in the call while such a row has the name
that its page gave its part in the call.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from tables import database
from tables.conf import setting
from tables.models import Presence, Seat


@database.prepared
def _key(code: Any, index: Any) -> QuerySet[Seat, Any]:
    return Seat.objects.filter(table__code=code, index=index).values_list("pk")


def arrive(process: str, code: str, index: int) -> None:
    """This process has a socket of that seat."""
    for (seat,) in _key(code, index):
        Presence.objects.bulk_create(
            [Presence(seat_id=seat, process=process, live=True, seen=Now())],
            update_conflicts=True,
            unique_fields=["seat", "process"],
            update_fields=["live", "seen"],
        )


def depart(process: str, code: str, index: int) -> None:
    """This process has no socket of that seat any more."""
    Presence.objects.filter(seat__table__code=code, seat__index=index, process=process).update(
        live=False, seen=Now(), call=""
    )


def depart_all(process: str) -> None:
    """This process stops."""
    Presence.objects.filter(process=process, live=True).update(live=False, seen=Now(), call="")


def renew(process: str, seats: set[tuple[str, int]]) -> None:
    """This process lives and has these seats (table code, index)."""
    mine = Presence.objects.filter(process=process, live=True)
    mine.update(seen=Now())
    known = set(mine.values_list("seat__table__code", "seat__index"))
    for code, index in seats - known:  # a database was restored under us
        arrive(process, code, index)
    for code, index in known - seats:
        depart(process, code, index)
    # What others wrote of these seats when they last had them is out of date.
    over = Q(live=False) | Q(seen__lt=Now() - timedelta(seconds=setting("TABLES_LEASE")))
    mine_too = Presence.objects.filter(process=process, live=True).values("seat")
    Presence.objects.filter(over, seat__in=mine_too).exclude(process=process).delete()


def here(code: str, indices: Iterable[int]) -> set[int]:
    """Which of these seats of a table are here."""
    state = _read([code]).get(code, {})
    return {index for index in indices if index in state and state[index] is None}


# ---- the voice call ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Caller:
    """A seat in the call: what its page calls its part in it, and who holds the seat."""

    call: str
    holder: str


def join_call(process: str, code: str, index: int, call: str) -> None:
    """A page of that seat here is in the call; of two pages of a seat the newer is."""
    rows = Presence.objects.filter(seat__table__code=code, seat__index=index)
    rows.exclude(process=process).update(call="")
    if not rows.filter(process=process, live=True).update(call=call):
        arrive(process, code, index)
        rows.filter(process=process).update(call=call)


def leave_call(process: str, code: str, index: int, call: str) -> None:
    """That page is not in the call any more."""
    rows = Presence.objects.filter(seat__table__code=code, seat__index=index, process=process)
    rows.filter(call=call).update(call="")


def end_calls(code: str, index: int | None = None) -> None:
    """Nobody is in the table's call any more, or that seat is not."""
    rows = Presence.objects.filter(seat__table__code=code).exclude(call="")
    (rows if index is None else rows.filter(seat__index=index)).update(call="")


def callers(codes: list[str]) -> dict[str, dict[int, Caller]]:
    """Who is in the calls of these tables, by seat; nobody where voice is off."""
    rows = (
        Presence.objects.filter(seat__table__code__in=codes, seat__table__voice=True, live=True)
        .filter(seen__gt=Now() - timedelta(seconds=setting("TABLES_LEASE")))
        .exclude(call="")
        .exclude(seat__holder="")
        .values_list("seat__table__code", "seat__index", "call", "seat__holder")
    )
    found: dict[str, dict[int, Caller]] = defaultdict(dict)
    for code, index, call, holder in rows:
        found[code][index] = Caller(call, holder)
    return found


# ---- told ----------------------------------------------------------------------------------------


def told(codes: list[str]) -> dict[str, str]:
    """The message ``here`` of each table: of each seat whether it is here, since when it is not
    (ISO 8601; null: it never was), whether its holder says he is back in a minute, and whether it
    is in the call."""
    states = _read(codes)
    pauses: dict[str, dict[int, bool]] = defaultdict(dict)
    voices: set[str] = set()
    rows = Seat.objects.filter(table__code__in=codes)
    for code, voice, index, pause in rows.values_list(
        "table__code", "table__voice", "index", "pause"
    ):
        pauses[code][index] = pause
        if voice:
            voices.add(code)
    calls = callers(list(voices)) if voices else {}
    return {
        code: _message(states.get(code, {}), pauses[code], calls.get(code, {})) for code in pauses
    }


def _message(
    state: dict[int, datetime | None], pauses: dict[int, bool], calls: dict[int, Caller]
) -> str:
    seats: list[dict[str, Any]] = []
    for index in sorted(pauses):
        gone = state.get(index)
        seat: dict[str, Any] = {"here": index in state and gone is None}
        if not seat["here"]:
            seat["since"] = gone.isoformat(timespec="seconds") if gone else None
        if pauses[index]:
            seat["pause"] = True
        if index in calls:
            seat["call"] = calls[index].call
        seats.append(seat)
    return json.dumps({"type": "here", "seats": seats}, separators=(",", ":"))


def _read(codes: list[str]) -> dict[str, dict[int, datetime | None]]:
    """Of each seat that was ever here when it was last so, None while it is; by the database's
    clock, because those of the processes differ."""
    lease = timedelta(seconds=setting("TABLES_LEASE"))
    rows = (
        Presence.objects.filter(seat__table__code__in=codes)
        .annotate(now=Now())
        .values_list("seat__table__code", "seat__index", "live", "seen", "now")
    )
    states: dict[str, dict[int, datetime | None]] = defaultdict(dict)
    for code, index, live, seen, now in rows:
        state = states[code]
        if live and seen > now - lease:
            state[index] = None
        elif index not in state:
            state[index] = seen
        elif (known := state[index]) is not None:
            state[index] = max(known, seen)
    return states
