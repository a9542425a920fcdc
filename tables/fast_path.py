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
import time
from collections.abc import Iterable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from django.db import connection, transaction

from game.engine.base import Illegal
from game.models import Deal, Match
from tables import database, live
from tables.lobby import Place
from tables.models import Seat, Table
from tables.reading import Picture

log = logging.getLogger(__name__)

MOST = 200
"""Plays written in one transaction at most."""
PATIENCE = 0.25
"""Seconds that they wait for somebody who is writing, all of them together; then each goes alone,
so that none waits long for another's table."""

LET_IN = 0.0005
"""Seconds between two commits on SQLite: who waits for its one lock only looks now and then, and
would else find it taken for seconds."""

MOVE = f"""
    WITH came(match, version, ply, seat, holder) AS (VALUES {{came}})
    UPDATE {Match._meta.db_table} SET version = version + 1, ply = ply + 1
    WHERE id IN (
        SELECT match.id FROM came
        JOIN {Match._meta.db_table} match
            ON match.id = came.match AND match.version = came.version AND match.ply = came.ply
        JOIN {Table._meta.db_table} place ON place.match_id = match.id
        JOIN {Seat._meta.db_table} seat
            ON seat.table_id = place.id AND seat."index" = came.seat AND seat.holder = came.holder
        WHERE match.status = '{Match.Status.PLAYING}'
        ORDER BY match.id {{lock}}
    )
    RETURNING id
"""  # noqa: S608 (names of tables, and what Django calls a status)
APPEND = f"""
    WITH came(match, number, play) AS (VALUES {{came}})
    UPDATE {Deal._meta.db_table} SET plays = plays || came.play FROM came
    WHERE match_id = came.match AND {Deal._meta.db_table}.number = came.number
"""  # noqa: S608


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """A play found legal in a picture of its table, and what it makes of that."""

    place: Place
    seen: Picture
    code: str
    reached: Picture


async def play(place: Place, ply: int, code: str) -> bool:
    """Play for a seat and show it, if it can be done the short way; False: nothing has been done.

    True means committed, as everywhere.
    """
    plain = plan(live.picture(place.code), place, ply, code)
    if plain is None or not await _writer.write(plain):
        return False
    live.show(plain.reached, plain.code)
    return True


def plan(seen: Picture | None, place: Place, ply: int, code: str) -> Plain | None:
    """The play as this process sees the table; None when it is not a plain one."""
    if seen is None or (seen.at.match, seen.at.ply) != (place.match, ply):
        return None
    try:
        return Plain(place, seen, code, seen.played(code, place.seat))
    except Illegal:
        return None


def commit(plays: Iterable[Plain]) -> set[Plain]:
    """Write these plays, all in one transaction; those that are committed. Of two that answer the
    same, the first."""
    firsts: dict[int, Plain] = {}
    for play in plays:
        firsts.setdefault(play.place.match, play)
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            return _move(cursor, firsts)
    except Exception as error:  # each of them will learn for itself what it is
        log.warning("%d plays could not be written together: %s", len(firsts), live.where(error))
        with contextlib.suppress(Exception):  # it is of no use any more
            connection.close()
        return set()


def _move(cursor: Any, plays: dict[int, Plain]) -> set[Plain]:
    """Of these plays, by match, those that could be written."""
    came = [
        (match, play.seen.at.version, play.seen.at.ply, play.place.seat, play.place.holder)
        for match, play in plays.items()
    ]
    # Rows are taken in one order, so that no two processes wait for each other.
    lock = "FOR UPDATE OF match" if connection.features.has_select_for_update_of else ""
    cursor.execute(*_many(MOVE, came, lock=lock))
    moved = [plays[match] for (match,) in cursor.fetchall()]
    if moved:
        _append(cursor, moved)
    return set(moved)


def _append(cursor: Any, moved: list[Plain]) -> None:
    came = [(play.place.match, play.seen.deal, f" {play.code}") for play in moved]
    cursor.execute(*_many(APPEND, came))


def _many(statement: str, rows: list[tuple[Any, ...]], **words: str) -> tuple[str, list[Any]]:
    """A statement about so many rows, and their values."""
    row = f"({', '.join(['%s'] * len(rows[0]))})"
    filled = statement.format(came=", ".join([row] * len(rows)), **words)
    return filled, [value for one in rows for value in one]


class _Writer:
    """A thread that commits what waits, with a connection of its own."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[tuple[Plain, asyncio.Future[bool]] | None] = SimpleQueue()
        self.thread: threading.Thread | None = None

    def write(self, play: Plain) -> asyncio.Future[bool]:
        """Whether it is written, once that is known."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.put((play, done))
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self._work, name="fast-path", daemon=True)
            self.thread.start()
        return done

    def stop(self) -> None:
        """Write what waits, and close the connection; the next play begins anew."""
        if self.thread is not None:
            self.waiting.put(None)
            self.thread.join()
            self.thread = None

    def _work(self) -> None:
        be_impatient()
        while True:
            came = [self.waiting.get()]
            with contextlib.suppress(Empty):
                while len(came) < MOST:
                    came.append(self.waiting.get_nowait())
            if some := dict(filter(None, came)):
                _tell(some, commit(some))
                if connection.vendor == "sqlite" and not self.waiting.empty():
                    time.sleep(LET_IN)
            if None in came:
                connection.close()
                return


def be_impatient() -> None:
    """Give this thread a connection of its own that waits `PATIENCE` for who is writing."""
    if connection.vendor == "postgresql":
        usual = connection.settings_dict["OPTIONS"].get("options", "")
        database.keep_connection(options=f"{usual} -c lock_timeout={PATIENCE * 1000:.0f}")
    else:
        database.keep_connection(timeout=PATIENCE)


def _tell(waiting: dict[Plain, asyncio.Future[bool]], written: set[Plain]) -> None:
    """Let those who wait go on, in their loop (one: a process has no other)."""

    def go_on() -> None:
        for play, done in waiting.items():
            if not done.done():  # else its socket has closed; what is written stands
                done.set_result(play in written)

    loop = next(iter(waiting.values())).get_loop()
    with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
        loop.call_soon_threadsafe(go_on)


_writer = _Writer()
stop = _writer.stop
