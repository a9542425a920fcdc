"""The short way of a play: many tables' plays in one commit, each shown from the state it reached.

`lobby.play` says what a play is; nearly all its cost is around it: two changes of thread, a new
connection, queries made anew, a commit for itself, and the table read back to be shown. Here a play
is checked in the loop against the position in memory, one thread with one connection writes all
that wait in one transaction, and what it reached is shown without reading.

Nothing in memory is believed: a play is written only if the match still has the *version* of the
picture that its seats were shown, which every change of the table raises, and its seat's holder.
Then the picture with this one play added is the table. Whatever is not so plain goes the long way,
`lobby.play`, which also words refusals: an illegal play, the last of a deal, a table that has just
changed, and every play of a transaction that failed. Nobody waits for company: what is written
together is what has come while the last commit was made.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from dataclasses import dataclass, replace
from operator import attrgetter
from queue import Empty, SimpleQueue
from typing import Any

from django.db import connection, transaction

from game import matches
from game.engine.base import Illegal
from game.models import Deal, Match
from tables import live
from tables.lobby import Place
from tables.models import Seat, Table

log = logging.getLogger(__name__)

MOST = 200
"""Plays written in one transaction at most."""
LOCK_TIMEOUT = 100
"""Milliseconds that they wait for another's row, where rows are locked, before each goes alone."""

MOVE = f"""
    UPDATE {Match._meta.db_table} SET version = version + 1, ply = ply + 1
    WHERE id = %s AND version = %s AND ply = %s AND status = '{Match.Status.PLAYING}' AND EXISTS (
        SELECT 1 FROM {Seat._meta.db_table} seat
        JOIN {Table._meta.db_table} place ON place.id = seat.table_id
        WHERE place.match_id = %s AND seat."index" = %s AND seat.holder = %s
    )
"""  # noqa: S608 (names of tables, and what Django calls a status)
APPEND = f"""
    UPDATE {Deal._meta.db_table} SET plays = plays || %s WHERE match_id = %s AND number = %s
"""  # noqa: S608


@dataclass(frozen=True, slots=True, eq=False)
class _Play:
    """A play that has been found legal at a version of its match, and who waits for it."""

    place: Place
    version: int
    ply: int
    deal: int
    code: str
    done: asyncio.Future[bool]

    @property
    def match(self) -> int:
        return self.place.match


async def play(place: Place, ply: int, code: str) -> bool:
    """Play for a seat and show it, if it can be done the short way; False: nothing has been done.

    True means committed, as everywhere.
    """
    seen, now = live.picture(place.code), matches.remembered(place.match, ply)
    if seen is None or now is None or (seen.at.match, seen.at.ply) != (place.match, ply):
        return False
    try:
        state = matches.answer(now, place.seat, code)
    except Illegal:
        return False
    if state.turn is None:
        return False
    done = asyncio.get_running_loop().create_future()
    _writer.put(_Play(place, seen.at.version, ply, now.number, code, done))
    if not await done:
        return False
    reached = replace(now, ply=ply + 1, state=state)
    matches.remember(reached)
    live.show(seen.after(reached))
    return True


class _Writer:
    """A thread that commits what waits, with a connection of its own."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[_Play | None] = SimpleQueue()
        self.thread: threading.Thread | None = None

    def put(self, play: _Play) -> None:
        self.waiting.put(play)
        if self.thread is None:
            self.thread = threading.Thread(target=self._work, name="fast-path", daemon=True)
            self.thread.start()

    def stop(self) -> None:
        """Write what waits, and close the connection; the next play begins anew."""
        if self.thread is not None:
            self.waiting.put(None)
            self.thread.join()
            self.thread = None

    def _work(self) -> None:
        while True:
            plays: list[_Play | None] = [self.waiting.get()]
            with contextlib.suppress(Empty):
                while len(plays) < MOST:
                    plays.append(self.waiting.get_nowait())
            some = [play for play in plays if play is not None]
            if some:
                _tell(some, _commit(some))
            if len(some) < len(plays):
                connection.close()
                return


def _commit(plays: list[_Play]) -> set[_Play]:
    """Write these plays; those that are written and committed."""
    try:
        if connection.connection is None and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [str(LOCK_TIMEOUT)])
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            # Rows are taken in one order, so that no two processes wait for each other.
            return {play for play in sorted(plays, key=attrgetter("match")) if _write(cursor, play)}
    except Exception as error:  # each of them will learn for itself what it is
        log.warning("%d plays could not be written together: %s", len(plays), live.where(error))
        connection.close()
        return set()


def _write(cursor: Any, play: _Play) -> bool:
    match, place = play.match, play.place
    cursor.execute(MOVE, [match, play.version, play.ply, match, place.seat, place.holder])
    if cursor.rowcount != 1:
        return False
    cursor.execute(APPEND, [f" {play.code}", match, play.deal])
    return True


def _tell(plays: list[_Play], written: set[_Play]) -> None:
    """Let those who wait go on, in their loop (one: a process has no other)."""
    loop = plays[0].done.get_loop()

    def go_on() -> None:
        for play in plays:
            if not play.done.done():  # its socket has closed, the play stands
                play.done.set_result(play in written)

    with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
        loop.call_soon_threadsafe(go_on)


_writer = _Writer()
stop = _writer.stop
