"""The thread in which sockets ask the database, and connections that stay open.

A page's request has a thread and a connection for itself and gives both back. Sockets ask much more
often, each time for little; for all of a process one thread asks, one thing after the other, with a
connection that it keeps.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.db import connections

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
        kept.close_if_unusable_or_obsolete()  # only if it has failed and does not answer
        _used = time.monotonic()
