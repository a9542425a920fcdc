"""What the machine can do at most: sockets without a database, a database without sockets."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

PADDING = 900
"""Bytes of a state beyond its head: about as many as a snapshot of the site has."""

Send = Callable[[dict[str, Any]], Awaitable[None]]
_together: dict[str, list[Send]] = defaultdict(list)
"""Who is at a path, in the order they came."""


async def application(scope: Any, receive: Callable[[], Awaitable[Any]], send: Send) -> None:
    """A bare ASGI application: whatever one socket of a path says, all of it are sent a state of
    which the first may play. With one socket a path it is an echo."""
    if scope["type"] != "websocket":
        return
    path = scope["path"]
    here = _together[path]
    padding = "" if path.startswith("/echo/") else "." * PADDING
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": _state(0, not here, padding)})
    here.append(send)
    ply = 0
    while (await receive())["type"] == "websocket.receive":
        ply += 1
        for index, other in enumerate(here):
            text = _state(ply, index == 0, padding)
            await other({"type": "websocket.send", "text": text})
    here.remove(send)


def _state(ply: int, first: bool, padding: str) -> str:
    legal = '["2S"]' if first else "[]"
    return f'{{"type":"snapshot","ply":{ply},"legal":{legal},"padding":"{padding}"}}'


Commits = tuple[float, float]
"""How many a second without a pause, and how many seconds one takes after a pause."""


def commits_sqlite(folder: Path, synchronous: str, seconds: float, pause: float) -> Commits:
    """Bare committed UPDATEs of one small row, in WAL."""
    with closing(sqlite3.connect(folder / f"{synchronous}.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(f"PRAGMA synchronous={synchronous}")
        db.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, value INTEGER)")
        db.execute("INSERT INTO row VALUES (1, 0)")

        def update() -> None:
            db.execute("BEGIN IMMEDIATE")
            db.execute("UPDATE row SET value = value + 1 WHERE id = 1")
            db.execute("COMMIT")

        return rate(update, seconds), typical(update, seconds, pause)


def commits_postgres(url: str, seconds: float, pause: float) -> Commits:
    """The same on PostgreSQL, over its socket."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE floor_row (id INTEGER PRIMARY KEY, value INTEGER)")
        db.execute("INSERT INTO floor_row VALUES (1, 0)")
        statement = "UPDATE floor_row SET value = value + 1 WHERE id = 1"

        def update() -> None:
            db.execute(statement, prepare=True)

        found = rate(update, seconds), typical(update, seconds, pause)
        db.execute("DROP TABLE floor_row")
        return found


def typical(work: Callable[[], object], seconds: float, pause: float) -> float:
    """The median of the seconds something takes when there is a pause before each time."""
    took: list[float] = []
    until = time.perf_counter() + seconds
    while (began := time.perf_counter()) < until or not took:
        work()
        took.append(time.perf_counter() - began)
        time.sleep(pause)
    return statistics.median(took)


def rate(work: Callable[[], object], seconds: float) -> float:
    """How often a second something can be done."""
    times, began = 0, time.perf_counter()
    until = began + seconds
    while (now := time.perf_counter()) < until:
        work()
        times += 1
    return times / (now - began)
