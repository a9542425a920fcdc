"""Hours of play at the whole of the site: what grows, and what is lost.

Several processes with PostgreSQL and Redis behind nginx. People play, lose their connections and
come back, say something, leave, and open other tables. ``--faults`` makes a part fail every few
seconds. Prints a line of JSON a minute and a summary; the exit status is 1 when a play was lost or
doubled, four screens differ, an error was not to be expected, or memory, files or connections grow.
`python -m bench.soak --help` tells the options, `bench/README.md` what the figures mean.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import resource
import sys
import time
from collections import Counter
from typing import Any

import psycopg

from tables.tests import services
from tables.tests.steady import Steady, Together

PATIENCE = 60.0
"""Seconds after which a play that is not on all four screens is an error."""
DROP, SAY, LEAVE = 0.01, 0.03, 0.002
"""How often with a play somebody's connection breaks, a line is said, the table breaks up."""
GROWTH = {"memory": 12.0, "files": 24}
"""MiB and open files that a process may have more at the end than after it has warmed up."""


class Soak:
    """What happens, and what is counted of it."""

    def __init__(self, cluster: services.Cluster, options: argparse.Namespace) -> None:
        self.cluster, self.options = cluster, options
        self.rng = random.Random(options.seed)  # noqa: S311 (chances of a play, not secrets)
        self.until: float = time.monotonic() + options.seconds
        self.counted = Counter[str]()
        self.errors = Counter[str]()
        self.slowest = 0.0
        self.rows: list[dict[str, Any]] = []
        self.playing: set[Together] = set()

    @property
    def over(self) -> bool:
        return time.monotonic() > self.until

    async def table(self) -> None:
        """One table after the other, until it is over."""
        while not self.over:
            together = Together(self._people())
            self.playing.add(together)
            try:
                await self._come(together)
                await self._sit(together)
                await together.check(self.cluster.database)
                self.counted["checked"] += 1
            except Exception as error:
                self.errors[f"{type(error).__name__}: {error}"] += 1
            finally:
                self.counted["plays"] += len(together.played)
                self.counted["reconnected"] += sum(len(one.away) for one in together.people)
                self.slowest = max(self.slowest, together.slowest)
                self.playing.remove(together)
                await together.go()

    def _people(self) -> list[Steady]:
        cluster = self.cluster
        return [Steady(cluster.url, cluster.nginx.trust, self.options.pace) for _ in range(4)]

    async def _come(self, together: Together) -> None:
        """In the middle of a fault a form is an error page; people try again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                await together.come()
            except Exception:
                if not self.options.faults or time.monotonic() > deadline:
                    raise
                for person in together.people:
                    await person.leave_site()
                together.people = self._people()
                self.counted["came again"] += 1
                await asyncio.sleep(0.5)
            else:
                self.counted["tables"] += 1
                return

    async def _sit(self, together: Together) -> None:
        rng = self.rng
        while not self.over and together.people[0].shown["status"] == "playing":
            await asyncio.sleep(rng.uniform(0.5, 1.5) * self.options.thought)
            await together.play_on(seconds=PATIENCE, again=1.0)
            if rng.random() < DROP:
                self.counted["dropped"] += 1
                await rng.choice(together.people).drop()
            if rng.random() < SAY:
                self.counted["said"] += 1
                text = f"{time.monotonic()}"
                await rng.choice(together.people).say(type="say", id=text, text=text)
            if rng.random() < LEAVE:
                return

    async def faults(self) -> None:
        """A part fails, one after the other."""
        cluster, rng = self.cluster, self.rng
        kinds = ("killed", "stopped", "Redis restarted", "Redis flushed", "PostgreSQL restarted")
        while not self.over:
            await asyncio.sleep(self.options.faults)
            kind, site = rng.choice(kinds), rng.choice(cluster.sites)
            self.counted[kind] += 1
            await asyncio.to_thread(self._fail, kind, site)

    def _fail(self, kind: str, site: services.Site) -> None:
        if kind == "killed":
            site.kill()
            site.start()
        elif kind == "stopped":
            site.stop()
            site.start()
        elif kind == "Redis restarted":
            self.cluster.redis.stop()
            self.cluster.redis.start()
        elif kind == "Redis flushed":
            with self.cluster.redis.client() as client:
                client.flushall()
        else:
            self.cluster.postgres.stop()
            self.cluster.postgres.start()

    async def watch(self) -> None:
        """Measure, and print, once in a while."""
        began = time.monotonic()
        while not self.over:
            await asyncio.sleep(min(60.0, self.options.seconds / 12))
            with contextlib.suppress(psycopg.Error, OSError):  # a part is just away
                self.rows.append({"seconds": round(time.monotonic() - began), **self.measure()})
                print(json.dumps(self.rows[-1]), flush=True)

    def measure(self) -> dict[str, Any]:
        with psycopg.connect(self.cluster.database) as connection:
            [many] = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ).fetchone() or (0,)
        with self.cluster.redis.client() as client:
            clients = client.info("clients")["connected_clients"]
        return {
            "plays": self.counted["plays"] + sum(len(one.played) for one in self.playing),
            "sockets": sum(
                person.socket is not None for one in self.playing for person in one.people
            ),
            "memory_mib": [site.memory()["now"] for site in self.cluster.sites],
            "files": [site.descriptors() for site in self.cluster.sites],
            "postgresql_connections": int(many) - 1,
            "redis_connections": clients - 1,
        }

    async def run(self) -> dict[str, Any]:
        work = [self.table() for _ in range(self.options.tables)]
        if self.options.faults:
            work.append(self.faults())
        watching = asyncio.create_task(self.watch())
        await asyncio.gather(*work)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        return self.summary()

    def summary(self) -> dict[str, Any]:
        grown: dict[str, list[float]] = {}
        if self.rows and not self.options.faults:  # a process that was restarted is another
            warm, last = self.rows[len(self.rows) // 3], self.rows[-1]
            for name, field in (("memory", "memory_mib"), ("files", "files")):
                grown[name] = [
                    round(b - a, 1) for a, b in zip(warm[field], last[field], strict=True)
                ]
                if max(grown[name]) > GROWTH[name]:
                    self.errors[f"{name} grows: {grown[name]}"] += 1
        for name, text in self.cluster.logs().items():
            for line in services.errors_in(text):
                if not self.options.faults or "Traceback" in line:
                    self.errors[f"{name}: {line}"] += 1
        return {
            "seconds": self.options.seconds,
            "tables_at_once": self.options.tables,
            **self.counted,
            "slowest_play_seconds": round(self.slowest, 2),
            "grown_since_warm": grown,
            "errors": dict(self.errors),
        }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600, help="of play (3600)")
    parser.add_argument("--tables", type=int, default=25, help="at once (25)")
    parser.add_argument("--thought", type=float, default=1.0, help="seconds before a play (1)")
    parser.add_argument("--pace", type=float, default=2.0, help="of pings and patience (2)")
    parser.add_argument("--processes", type=int, default=2, help="of the site (2)")
    parser.add_argument("--server", choices=services.SERVERS, default="uvicorn")
    parser.add_argument("--faults", type=float, default=0, help="seconds between two (0: none)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with (
        services.static_files(),
        services.cluster(options.processes, server=options.server) as cluster,
    ):
        figures = asyncio.run(Soak(cluster, options).run())
    print(json.dumps(figures, indent=2))
    return 1 if figures["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
