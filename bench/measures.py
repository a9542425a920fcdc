"""What is measured of the machine, of the site and of the peer: rows of figures as they come."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import client, engine, floors, report, seating
from bench.places import SERVER, Bare, Boardgame, Durable, all_cores, on, production
from bench.wire import Door, Load
from tables.tests import services

PAUSE = 0.02
"""Seconds between plays at a light load."""
SHARED = 100
"""Tables of the runs that compare something else than how many tables there are."""
GAMES = ("ristikontra", "ristiseiska")


@dataclass(frozen=True)
class Choice:
    """How much is measured."""

    sizes: tuple[int, ...] = (1, 25, 100, 250)
    seconds: float = 4.0
    runs: int = 3

    @property
    def shared(self) -> int:
        return min(SHARED, self.sizes[-1])


QUICK = Choice(sizes=(1, 25), seconds=1.5, runs=1)
Rows = Iterator[report.Row]


def doors(seated: list[tuple[str, list[str]]], *ports: int) -> list[list[Door]]:
    """The sockets of tables, whose seats are spread over the processes at these ports."""
    return [
        [
            Door(ports[index % len(ports)], f"/tables/{code}/socket/", f"sessionid={key}")
            for index, key in enumerate(keys)
        ]
        for code, keys in seated
    ]


def load(sites: Iterable[services.Site], tables: list[list[Door]], **how: Any) -> Load:
    """A load on sites in production."""
    sites = list(sites)
    return Load(
        tables=tables,
        origin=production()["ORIGINS"],
        pids=[site.pid for site in sites],
        metrics=[site.port for site in sites],
        token=production()["METRICS_TOKEN"],
        cores=all_cores()[-1:],
        **how,
    )


def _plainly(server: services.Service, choice: Choice) -> dict[str, Any]:
    """How a server that is not the site is loaded."""
    return {"seconds": choice.seconds, "pids": [server.pid], "cores": all_cores()[-1:]}


def rows(what: str, where: str, figures: Iterable[dict[str, Any]]) -> Rows:
    for one in figures:
        yield {"what": what, "where": where, **one}


# ---- what the machine can do ---------------------------------------------------------------------


def measure_commits(choice: Choice) -> Rows:
    """Bare committed UPDATEs, from the core that servers have."""
    with services.scratch("commits") as folder, on(SERVER):
        for synchronous in ("FULL", "NORMAL"):
            found = floors.commits_sqlite(folder, synchronous, choice.seconds / 4, PAUSE)
            yield commit(f"SQLite {synchronous}", found)


def commit(where: str, found: floors.Commits) -> report.Row:
    a_second, light = found
    figures = {"plays_a_second": a_second, "light_ms": 1000 * light}
    return {"what": report.COMMIT, "where": where, **figures}


def measure_floors(server: str, choice: Choice) -> Rows:
    """The same server without the site: an echo, and one in and four out."""
    with (
        services.scratch("bare") as folder,
        on(SERVER),
        services.running(Bare(folder, "sqlite://:memory:", server=server)) as bare,
    ):
        for what, path, seats, sizes, pause in (
            (report.ECHO, "echo", 1, [1], 0.0),
            (report.LIGHT_ECHO, "echo", 1, [1], PAUSE),
            (report.FLOOR, "fan", 4, [1, choice.shared], 0.0),
        ):
            tables = [[Door(bare.port, f"/{path}/{n}")] * seats for n in range(sizes[-1])]
            told = Load(tables=tables, sizes=sizes, pause=pause, **_plainly(bare, choice))
            yield from rows(what, server, client.run(told))


# ---- the site ------------------------------------------------------------------------------------


class Seated:
    """A SQLite file with everybody seated, which is copied for each site."""

    def __init__(self, folder: Path, tables: int) -> None:
        self.folder = folder
        self.file = folder / "seated.sqlite3"
        address = f"sqlite:///{self.file}"
        services.migrate(address)
        self.tables = seating.run(tables, services.environment(address))

    @contextlib.contextmanager
    def site(self, server: str) -> Iterator[tuple[services.Site, list[list[Door]], float]]:
        """A site that serves a copy, its tables' sockets, and the seconds it took to start."""
        with services.scratch("site") as folder, on(SERVER):
            shutil.copy(self.file, folder / "db.sqlite3")
            address = f"sqlite:///{folder / 'db.sqlite3'}"
            site = services.Site(folder, address, server=server, **production())
            began = time.perf_counter()
            with services.running(site):
                took = time.perf_counter() - began
                yield site, doors(self.tables, site.port), took


def measure_site(seated: Seated, server: str, choice: Choice) -> Rows:
    """One process on SQLite: a light load, and saturation at every size."""
    with seated.site(server) as (site, tables, started):
        yield {"what": "cold start", "where": server, "seconds": started}
        light = load([site], tables, sizes=[1], seconds=choice.seconds, pause=PAUSE)
        yield from rows(report.LIGHT, server, client.run(light))
        squeezed = load([site], tables[1:], sizes=[1], seconds=choice.seconds / 2, deflate=True)
        yield from rows(report.SQUEEZED, server, client.run(squeezed))
        full = load([site], tables, sizes=list(choice.sizes), seconds=choice.seconds)
        yield from rows(report.SITE, server, client.run(full))


def measure_sockets(seated: Seated, server: str, choice: Choice) -> Rows:
    """How much memory sockets take of a site that has just started: all but the first table's."""
    with seated.site(server) as (site, tables, _):
        first, last = client.run(load([site], tables, sizes=[1, choice.sizes[-1]], seconds=0))
        more = last["sockets"] - first["sockets"]
        yield {
            "what": "sockets",
            "where": server,
            "sockets": last["sockets"],
            "server_bytes": last["server_bytes"],
            "bytes_a_socket": (last["server_bytes"] - first["server_bytes"]) / more,
            "connecting_seconds": last["connecting_seconds"],
        }


def measure_postgres(choice: Choice) -> Rows:
    """PostgreSQL that commits durably, with Redis: one process, and two that share every table."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(on(*all_cores()[1:]) if len(all_cores()) > 1 else on(*all_cores()))
        folder = stack.enter_context(services.scratch("pg"))
        postgres = stack.enter_context(services.running(Durable(folder)))
        redis = stack.enter_context(services.redis())
        database = postgres.database()
        with on(SERVER):
            found = floors.commits_postgres(database, choice.seconds / 4, PAUSE)
        yield commit("PostgreSQL", found)
        seated = seating.run(choice.shared, services.environment(database))
        for server in services.SERVERS:
            for processes in (1, 2):
                with _sites(processes, server, database, redis.url) as sites:
                    tables = doors(seated, *(site.port for site in sites))
                    told = load(sites, tables, sizes=[choice.shared], seconds=choice.seconds)
                    yield from rows(report.POSTGRES[processes], server, client.run(told))


@contextlib.contextmanager
def _sites(processes: int, server: str, database: str, redis: str) -> Iterator[list[services.Site]]:
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(services.scratch("sites"))
        sites = []
        for number in range(processes):
            settings = production() | {"REDIS_URL": redis, "PROCESS_NAME": str(number)}
            with on(all_cores()[number % len(all_cores())]):
                site = services.Site(folder, database, server=server, **settings)
                sites.append(stack.enter_context(services.running(site)))
        yield sites


# ---- the rest ------------------------------------------------------------------------------------


def measure_engine(choice: Choice) -> Rows:
    with on(SERVER):
        for key in GAMES:
            for what, measure in (("engine", engine.plays), ("self-play", engine.matches)):
                yield {"what": what, "where": key, "a_second": measure(key, choice.seconds / 2)}


def measure_boardgame(store: str, sizes: tuple[int, ...], choice: Choice) -> Rows:
    """The peer, at each size with new matches: its log of a match grows with every play."""
    with (
        services.scratch("boardgame") as folder,
        on(SERVER),
        services.running(Boardgame(folder, store, sum(sizes))) as peer,
    ):
        matches = iter(range(sum(sizes)))
        for size in sizes:
            tables = [peer.doors(next(matches)) for _ in range(size)]
            how = _plainly(peer, choice)
            told = Load(tables=tables, sizes=[size], dialect="boardgame", **how)
            yield from rows(report.PEER, store, client.run(told))
