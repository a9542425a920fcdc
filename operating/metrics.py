"""This process in numbers, as Prometheus reads them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric

from tables import gauges, live


def process() -> str:
    """How this process is told from the others: by its name if it has one, else by its number."""
    return os.environ.get("PROCESS_NAME") or str(os.getpid())


class Collector:
    """What `tables.gauges` has counted and `tables.live` holds, each labelled by process."""

    def collect(self) -> Iterator[Metric]:
        here = live.counted()
        yield self._gauge("sockets", "Open sockets of tables.", sum(here.values()))
        yield self._gauge("tables", "Tables with an open socket here.", len(here))
        yield self._counter("plays", "Plays made by sockets here.", gauges.plays, "way")
        yield self._counter("refusals", "Commands refused.", gauges.refusals, "code")
        yield self._counter("rings", "Rings to, from and in this process.", gauges.rings, "way")
        yield self._counter("heals", "Tables the pulse found behind.", gauges.heals)
        yield self._times("database", "Statements on the database.", gauges.database)
        yield self._times("layer", "Rings sent over the channel layer.", gauges.layer)

    def _gauge(self, name: str, words: str, value: int) -> Metric:
        metric = GaugeMetricFamily(f"korttipoyta_{name}", words, labels=["process"])
        metric.add_metric([process()], value)
        return metric

    def _counter(self, name: str, words: str, counted: Counter[str], label: str = "") -> Metric:
        labels = ["process", label] if label else ["process"]
        metric = CounterMetricFamily(f"korttipoyta_{name}", words, labels=labels)
        if not label:
            metric.add_metric([process()], counted.total())
        for value, times in sorted(counted.items()) if label else ():
            metric.add_metric([process(), value], times)
        return metric

    def _times(self, name: str, words: str, durations: gauges.Durations) -> Metric:
        metric = HistogramMetricFamily(f"korttipoyta_{name}_seconds", words, labels=["process"])
        times, buckets = 0, []
        for bound, count in zip([*map(str, gauges.BOUNDS), "+Inf"], durations.buckets, strict=True):
            times += count
            buckets.append((bound, times))
        metric.add_metric([process()], buckets, durations.total)
        return metric


def text() -> bytes:
    registry = CollectorRegistry()
    registry.register(Collector())
    return generate_latest(registry)
