"""What this process has done, in plain numbers: counted here, told to whoever asks.

Nothing here knows how it is told (`operating.metrics` tells Prometheus), and no label names a
table, a seat or a card.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db.backends.signals import connection_created

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds between which durations are told apart."""


@dataclass
class Durations:
    """How often something took how long."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        with _guard:
            self.buckets[bisect_left(BOUNDS, seconds)] += 1
            self.total += seconds

    @contextmanager
    def timed(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(time.perf_counter() - start)


_guard = threading.Lock()
plays = Counter[str]()
"""That were made, by way: ``short`` by `tables.fast_path`, ``long`` by `tables.lobby`."""
refusals = Counter[str]()
"""Of commands, by code."""
rings = Counter[str]()
"""Sent to other processes (``away``), heard from them (``heard``), delivered here (``here``)."""
heals = Counter[str]()
"""Tables that the pulse found behind."""
database = Durations()
"""Every statement."""
layer = Durations()
"""Every ring that is sent to other processes."""


def count(what: Counter[str], label: str = "") -> None:
    with _guard:
        what[label] += 1


def _timed(execute: Any, sql: Any, parameters: Any, many: Any, context: Any) -> Any:
    with database.timed():
        return execute(sql, parameters, many, context)


def _watch(connection: Any, **_: Any) -> None:
    if _timed not in connection.execute_wrappers:  # one that connects anew has it already
        connection.execute_wrappers.append(_timed)


def watch_databases() -> None:
    """From now on time every statement on every connection."""
    connection_created.connect(_watch, dispatch_uid="korttipoyta.gauges")
