"""Who is at a table: its only writer, and how it is told.

A seat is here while some process holds a live socket of it. Every process keeps a row for each seat
that it has sockets of and renews all of them at each pulse; a row that is not renewed, its process
having died, counts for nothing after a lease.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.db.models.functions import Now

from tables.conf import setting
from tables.models import Presence, Seat


def arrive(process: str, code: str, index: int) -> None:
    """This process has a socket of that seat."""
    seat = Seat.objects.filter(table__code=code, index=index).values_list("pk", flat=True).first()
    if seat is not None:
        lease = timedelta(seconds=setting("TABLES_LEASE"))
        over = Q(live=False) | Q(seen__lt=Now() - lease)
        Presence.objects.filter(over, seat_id=seat).exclude(process=process).delete()
        Presence.objects.update_or_create(
            seat_id=seat, process=process, defaults={"live": True, "seen": Now()}
        )


def depart(process: str, code: str, index: int) -> None:
    """This process has no socket of that seat any more."""
    Presence.objects.filter(seat__table__code=code, seat__index=index, process=process).update(
        live=False, seen=Now()
    )


def depart_all(process: str) -> None:
    """This process stops."""
    Presence.objects.filter(process=process, live=True).update(live=False, seen=Now())


def renew(process: str, seats: set[tuple[str, int]]) -> None:
    """This process lives and has these seats (table code, index)."""
    mine = Presence.objects.filter(process=process, live=True)
    mine.update(seen=Now())
    known = set(mine.values_list("seat__table__code", "seat__index"))
    for code, index in seats - known:  # a database was restored under us
        arrive(process, code, index)
    for code, index in known - seats:
        depart(process, code, index)


def here(code: str, indices: Iterable[int]) -> set[int]:
    """Which of these seats of a table are here."""
    state = _read([code]).get(code, {})
    return {index for index in indices if index in state and state[index] is None}


def told(codes: list[str]) -> dict[str, str]:
    """The message ``here`` of each table: of each seat whether it is here, since when it is not
    (ISO 8601; null: it never was), and whether its holder says he is back in a minute."""
    states = _read(codes)
    pauses: dict[str, dict[int, bool]] = defaultdict(dict)
    rows = Seat.objects.filter(table__code__in=codes).values_list("table__code", "index", "pause")
    for code, index, pause in rows:
        pauses[code][index] = pause
    return {code: _message(states.get(code, {}), pauses[code]) for code in pauses}


def _message(state: dict[int, datetime | None], pauses: dict[int, bool]) -> str:
    seats: list[dict[str, Any]] = []
    for index in sorted(pauses):
        gone = state.get(index)
        seat: dict[str, Any] = {"here": index in state and gone is None}
        if not seat["here"]:
            seat["since"] = gone.isoformat(timespec="seconds") if gone else None
        if pauses[index]:
            seat["pause"] = True
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
