"""Everything that happens at a shared table, each as one function and one transaction.

The only writer of tables and seats. Each change takes the match row first, then rings; a refusal is
a `Refused` with a code from `tables.words.REFUSALS`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Exists, Q

from game import matches
from game.engine.base import Illegal, Options
from game.engine.registry import find
from game.models import Match
from tables import live, people
from tables.models import Seat, Table
from tables.reading import HOST, At, at

WAITING, PLAYING, OVER = Match.Status.WAITING, Match.Status.PLAYING, Match.Status.OVER


class Refused(Exception):
    """A command that is not carried out: a ``code`` and its ``facts``."""

    def __init__(self, code: str, /, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


# ---- before the first deal -----------------------------------------------------------------------


@transaction.atomic
def open_table(key: str, seats: int, options: Options, browser: str, name: str, voice: bool) -> str:
    """A new table with its host seated; its code. Illegal: what the game says of the options."""
    match = matches.open_match(find(key), seats, options)
    code = secrets.token_hex(5)
    table = Table.objects.create(code=code, match=match, voice=voice)
    holder = people.holders(browser, code, HOST, 0)[0]
    Seat.objects.bulk_create(
        Seat(
            table=table,
            index=index,
            holder=holder if index == HOST else "",
            name=people.clean_name(name) if index == HOST else "",
        )
        for index in range(seats)
    )
    return code


@transaction.atomic
def claim(code: str, index: int, signature: str, browser: str, name: str) -> None:
    """Sit down. The last claim deals the first deal.

    Refused: ``gone``, ``over``, ``taken``, ``renewed``, ``seated``, ``name``.
    """
    table = Table.objects.select_related("match").filter(code=code).first()
    if table is None:
        raise Refused("gone")
    if not matches.touch(table.match_id, Q(status=WAITING)):
        raise Refused("over" if table.match.status == OVER else "taken")
    seats = {seat.index: seat for seat in Seat.objects.filter(table=table)}
    seat = seats.get(index)
    if seat is None:
        raise Refused("gone")
    if any(
        people.holds(one.holder, browser, code, one.index, one.turnover) for one in seats.values()
    ):
        raise Refused("seated")
    if seat.holder:
        raise Refused("taken")
    if not people.invites(signature, code, index, seat.turnover):
        raise Refused("renewed")
    seat.name = people.clean_name(name)
    others = [people.likeness(one.name) for one in seats.values() if one is not seat]
    if seat.name and people.likeness(seat.name) in others:
        raise Refused("name")
    seat.holder = people.holders(browser, code, index, seat.turnover)[0]
    seat.save(update_fields=["holder", "name"])
    if all(one.holder for one in seats.values()):
        matches.begin(table.match_id)
    _ring(code)


@transaction.atomic
def turn_over(code: str, browser: str, index: int) -> None:
    """The host renews an unclaimed seat's invite, or frees a claimed seat, which gets a new one.

    Refused: ``gone``, ``not-host``, ``started``, ``host-seat``.
    """
    if index == HOST:
        raise Refused("host-seat")
    now, mine = _seated(code, browser)
    if mine != HOST:
        raise Refused("not-host")
    if not matches.touch(now.match, _held_by(now, HOST) & Q(status=WAITING)):
        raise Refused("started")
    _free(code, index)
    _ring(code)


@transaction.atomic
def leave(code: str, browser: str) -> str:
    """Leave by the table's own button (R14); what came of it.

    ``freed``: a guest before the first deal. ``closed``: the host then. ``drawn``: during a match.
    ``over``: the match had ended, and nothing changed. Refused: ``gone``, ``not-seated``.
    """
    now, index = _seated(code, browser)
    mine = _held_by(now, index)
    if index != HOST and matches.touch(now.match, mine & Q(status=WAITING)):
        _free(code, index)
        _ring(code)
        return "freed"
    if index == HOST and matches.end(
        now.match, mine & Q(status=WAITING), {"outcome": "closed", "reason": "host", "seat": index}
    ):
        _ring(code)
        return "closed"
    if matches.touch(now.match, mine & Q(status=PLAYING)):
        # Read only now that nobody else can play: a last play of a deal may have come before.
        score = _score(now.match)
        outcome = {"outcome": "draw", "reason": "left", "score": score, "seat": index}
        matches.end(now.match, Q(), outcome)
        _ring(code)
        return "drawn"
    return "over"


# ---- the match -----------------------------------------------------------------------------------


def play(code: str, match: int, seat: int, holder: str, ply: int, card: str) -> None:
    """Play for a seat. Refused: ``stale``, or what the game says."""
    _move(code, lambda guard: matches.play(match, seat, ply, card, guard), match, seat, holder)


def next_deal(code: str, match: int, seat: int, holder: str, ply: int) -> None:
    """Deal the next deal, whoever asks. Refused: ``stale``, ``unfinished``."""
    _move(code, lambda guard: matches.next_deal(match, ply, guard), match, seat, holder)


def _move(code: str, move: Callable[[Q], None], match: int, seat: int, holder: str) -> None:
    guard = Q(Exists(Seat.objects.filter(table__match=match, index=seat, holder=holder)))
    try:
        with transaction.atomic():
            move(guard)
            _ring(code)
    except matches.Stale:
        raise Refused("stale") from None
    except Illegal as illegal:
        raise Refused(illegal.reason, **illegal.facts) from None


# ---- parts ---------------------------------------------------------------------------------------


def _seated(code: str, browser: str) -> tuple[At, int]:
    """The table and which seat this browser holds. Refused: ``gone``, ``not-seated``."""
    now = at(code)
    if now is None:
        raise Refused("gone")
    index = now.seat_of(browser)
    if index is None:
        raise Refused("not-seated")
    return now, index


def _held_by(now: At, index: int) -> Q:
    holder = now.seats[index].holder
    return Q(Exists(Seat.objects.filter(table__match=now.match, index=index, holder=holder)))


def _free(code: str, index: int) -> None:
    seat = Seat.objects.filter(table__code=code, index=index).first()
    if seat is None:
        raise Refused("gone")
    seat.holder = seat.name = ""
    seat.turnover += 1
    seat.save(update_fields=["holder", "name", "turnover"])


def _score(match: int) -> list[int] | None:
    """The score between deals as the match stands; None before the first deal."""
    try:
        now = matches.position(match)
    except matches.Stale:
        return None
    score: list[int] = now.game.view(now.state, 0)["score"]
    return score


def _ring(code: str) -> None:
    transaction.on_commit(lambda: live.ring(code))
