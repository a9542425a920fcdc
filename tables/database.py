"""How sockets ask the database: in one thread, by a connection that stays open, and what is asked
most by queries that are put together once.

A page's request has a thread and a connection for itself and gives both back. Sockets ask much more
often, each time for little; for all of a process one thread asks, one thing after the other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.db import connection, connections
from django.db.models import QuerySet, Value

P = ParamSpec("P")
T = TypeVar("T")

QUIET = 1.0
"""Seconds after which a connection is looked at before it is used: the other end may be gone."""


async def call(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do this in the database's thread; what it returns or raises."""
    global _thread
    if _thread is None:
        _thread = ThreadPoolExecutor(1, "database", keep_connection)
    return await asyncio.get_running_loop().run_in_executor(
        _thread, partial(_call, partial(work, *args, **kwargs))
    )


def stop() -> None:
    """Finish what is under way and close the connection; the next call begins anew."""
    global _thread
    if _thread is not None:
        _thread.submit(lambda: connections["default"].close())
        _thread.shutdown()
        _thread = None


def keep_connection(**options: Any) -> None:
    """Give this thread a connection that stays open, with these options besides the settings' own
    (none of the pool's, which is for those who give theirs back)."""
    usual: Any = connections["default"]
    settings = deepcopy(usual.settings_dict)
    settings["CONN_MAX_AGE"] = None
    settings["OPTIONS"] = {
        name: value for name, value in settings["OPTIONS"].items() if name != "pool"
    } | options
    connections["default"] = type(usual)(settings, usual.alias)


def prepared(query: Callable[..., QuerySet[Any, Any]]) -> Callable[..., list[Any]]:
    """A query of ``values_list`` that is put together when it is first asked. Its arguments are
    texts and numbers, which it may compare with, no more.

    Django puts a query together anew each time; for one over several tables that is a millisecond,
    where the database answers in a few hundredths.
    """
    known: dict[str, tuple[Any, str, list[Any], Any]] = {}

    def ask(*values: str | int) -> list[Any]:
        if connection.vendor not in known:
            asked = query(*(Value(_Place(number)) for number in range(len(values))))
            compiler: Any = asked.query.get_compiler(connection=connection)
            sql, places = compiler.as_sql()
            converters = compiler.get_converters([column for column, *_ in compiler.select])
            known[connection.vendor] = compiler, sql, places, converters
        compiler, sql, places, converters = known[connection.vendor]
        with connection.cursor() as cursor:
            filled = [values[at.number] if isinstance(at, _Place) else at for at in places]
            cursor.execute(sql, filled)
            return list(compiler.apply_converters(cursor.fetchall(), converters))

    return ask


@dataclass(frozen=True)
class _Place:
    """Where a value goes."""

    number: int


_thread: ThreadPoolExecutor | None = None
_used = 0.0


def _call(work: Callable[[], T]) -> T:
    global _used
    kept: Any = connections["default"]
    if time.monotonic() > _used + QUIET:
        kept.health_check_done = False
    try:
        return work()
    finally:
        if kept.errors_occurred:  # else it would be looked at before the next call, however soon
            kept.close_if_unusable_or_obsolete()  # only if it does not answer
        _used = time.monotonic()
