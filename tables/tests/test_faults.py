"""Faults of real processes: nginx with TLS, two processes of the site, PostgreSQL and Redis.

Each test brings about one fault, says what is expected of it, and ends with the same check
(`Together.check`): all four seats show what the database says, every play that was seen is there
once and in order, no card is lost, and the log has nothing in it that was not expected. What took
how long is told with `pytest -s`; docs/reliability.md has the figures.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tables import live
from tables.protocol import VERSION, CloseCode
from tables.tests import services
from tables.tests.people_online import Person, Turned, everybody_sees, play_on
from tables.tests.services import Cluster, Postgres, Redis, Service, Site, wait_until
from tables.tests.stage import CARD, DYING, Stage, rows
from tables.tests.steady import Lossy, Steady, Together, table_of, until

pytestmark = [pytest.mark.slow, pytest.mark.alone]

BUSY = float(os.environ.get("FAULT_BUSY", "1"))
"""A machine that is busy with other things may be granted so many times what is promised."""
WORKER, REDIS, POSTGRES, ROLLING = 6.0, 15.0, 10.0, 5.0
"""Seconds promised from the fault, or its end, until all four seats are right."""
HEARTBEAT = 1.0
"""Seconds within which a ping is answered, whatever the database does."""
DOWN = float(os.environ.get("FAULT_DOWN", "6"))
FROZEN = float(os.environ.get("FAULT_FROZEN", "4"))
SOCKETS = int(os.environ.get("FAULT_SOCKETS", "48"))
"""How long things are away, and how many sockets a stopping process has: by hand more."""

PULSE = max(0.5, SOCKETS / 100)
"""At each pulse a process looks at all of its tables: at a hundred, not twice a second."""
PACE = max(1.0, min(4.0, 200 / SOCKETS))
"""People who come back are as patient as their pages, where there are many."""
BY_PULSE = PULSE + 1.0 * BUSY
"""Seconds within which a play is on all screens when only the pulse brings it."""

QUICK = {
    "TABLES_PULSE": str(PULSE),
    "TABLES_LEASE": str(6 * PULSE),
    "TABLES_GRACE": "0.3",
    "TABLES_DEADLINE": "0.5",
    "LOG_LEVEL": "INFO",
}
HOOKS = (
    DYING
    + """
dies_before_a_commit({folder!r} + "/before")
dies_after_a_commit({folder!r} + "/after")
send = live._send
async def send_or_lose(*arguments):
    if not pathlib.Path({folder!r}, "silence").exists():
        await send(*arguments)
live._send = send_or_lose
"""
)
"""A file of this name brings the fault about: death ``before`` or ``after`` a commit, ``silence``
between processes."""


def seated(person: Steady) -> bool:
    return person.socket is not None and bool(person.snapshot)


class Scene:
    """The cluster in one test: its people, and what of its log is this test's."""

    def __init__(self, cluster: Cluster, traps: Path) -> None:
        self.cluster, self.traps = cluster, traps
        self.people: list[Steady] = []
        self.began = {name: len(text) for name, text in cluster.logs().items()}
        self.expected: list[str] = []
        """What may stand in lines of the log that tell of errors."""
        self.figures: dict[str, object] = {}

    def new(self, pace: float = 8.0, network: Lossy | None = None) -> Steady:
        self.people.append(Steady(self.cluster.url, self.cluster.nginx.trust, pace, network))
        return self.people[-1]

    @contextlib.asynccontextmanager
    async def four(self, pace: float = 8.0) -> AsyncIterator[Together]:
        """Four people at a table, two at each process."""
        together = Together([self.new(pace) for _ in range(4)])
        try:
            await together.come()
            await self.spread(together)
            yield together
            await together.check(self.cluster.database)
        finally:
            await together.go()

    async def spread(self, together: Together) -> None:
        """See to it that the table's seats are at both processes."""
        code = together.people[0].code
        wanders = together.people[0]
        async with asyncio.timeout(30):
            while len(set(self.processes(code))) < 2:
                await wanders.drop()
                await until(lambda: not seated(wanders), 5, "it is gone")
                await until(lambda: seated(wanders) and wanders.here, 20, "it is back")
                await until(lambda: len(self.processes(code)) == 4, 20, "each seat somewhere")
        await until(lambda: self.cluster.listening() == 2, 20, "both processes listen")
        for person in together.people:
            await until(partial(seated, person), 20, "a seat")
            person.closes.clear()
            person.away.clear()

    def processes(self, code: str) -> list[str]:
        """The processes that have the sockets of the table's seats, one each when all is quiet."""
        found = rows(
            self.cluster.database,
            "SELECT p.process FROM tables_presence p"
            " JOIN tables_seat s ON s.id = p.seat_id JOIN tables_table t ON t.id = s.table_id"
            f" WHERE t.code = '{code}' AND p.live",
        )
        return [str(process) for (process,) in found]

    @contextlib.contextmanager
    def trap(self, name: str) -> Iterator[None]:
        file = self.traps / name
        file.touch()
        try:
            yield
        finally:
            file.unlink(missing_ok=True)

    def check_logs(self) -> None:
        secret = {word for person in self.people for word in person.secrets if len(word) > 8}
        for name, text in self.cluster.logs().items():
            log = text[self.began.get(name, 0) :]
            unexpected = [
                line
                for line in services.errors_in(log)
                if not any(words in line for words in self.expected)
            ]
            assert unexpected == [], "\n".join(unexpected)
            assert not CARD.search(log), log
            assert not [word for word in secret if word in log], log


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traps")


@pytest.fixture(scope="module")
def cluster(postgres: Postgres, traps: Path) -> Iterator[Cluster]:
    hooks = HOOKS.format(folder=str(traps))
    with services.cluster(started=postgres, first=hooks, limits=8, settings=QUICK) as cluster:
        yield cluster


@pytest.fixture
def scene(
    cluster: Cluster, traps: Path, record_property: Callable[[str, object], None]
) -> Iterator[Scene]:
    for part in (cluster.postgres, cluster.redis, *cluster.sites, cluster.nginx):
        if part.process is None or part.process.poll() is not None:
            part.start()
    scene = Scene(cluster, traps)
    yield scene
    scene.check_logs()
    for name, figure in scene.figures.items():
        record_property(name, figure)
        print(f"\n    {name}: {figure}", end="")


def closes(together: Together) -> Counter[int | None]:
    return sum((person.closes for person in together.people), Counter())


def faults(together: Together) -> int:
    return sum(person.refusals["fault"] for person in together.people)


# ---- a process -----------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_killed_at_a_commit(scene: Scene, moment: str) -> None:
    """CASE 14: its people come to the other process, and the play is made once."""

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(5)
            began = time.monotonic()
            with scene.trap(moment):
                play = asyncio.create_task(together.play_on(seconds=WORKER * BUSY, again=0.3))
                await until(lambda: any(map(ended, scene.cluster.sites)), 20, "a process dies")
            dead = [site for site in scene.cluster.sites if ended(site)]
            await play
            scene.figures["killed, until all four are right"] = f"{time.monotonic() - began:.2f} s"
            assert len(dead) == 1
            assert dead[0].ended() == -signal.SIGKILL
            # Cut off by a proxy whose other end has died; nobody else was.
            assert set(closes(together)) <= {1006, 1001}
            assert 1 <= closes(together).total() <= 3
            await together.play_on(5, seconds=WORKER * BUSY)
            dead[0].start()
            await together.play_on(5)

    asyncio.run(story())


def ended(site: Site) -> bool:
    return site.process is not None and site.process.poll() is not None


def test_a_worker_that_stops_with_many_sockets(scene: Scene) -> None:
    """CASE 41: everybody on it is told when to come back, each at a moment of their own; nobody is
    cut off, nobody gets an error from the other process."""
    site = scene.cluster.sites[0]

    async def story() -> None:
        tables = [Together([scene.new(PACE) for _ in range(4)]) for _ in range(SOCKETS // 4)]
        few = asyncio.Semaphore(4)

        async def come(together: Together) -> None:
            async with few:
                await together.come()
                await together.play_on(2)

        try:
            await asyncio.gather(*(come(one) for one in tables))
            people = [person for one in tables for person in one.people]
            statuses = Counter[int]()
            asking = asyncio.create_task(ask_pages(scene.cluster, statuses))
            plays = [asyncio.create_task(one.play_on(12, seconds=20.0)) for one in tables]
            assert site.process is not None
            site.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            await until(lambda: ended(site), 20, "the process ends")
            assert site.ended() in services.CLEANLY
            scene.figures["stopped, until it has ended"] = f"{time.monotonic() - began:.2f} s"
            await asyncio.gather(*plays)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

            closed = sum((person.closes for person in people), Counter())
            assert set(closed) == {CloseCode.RESTART}
            assert not [person for person in people if person.turned_away]
            waits = sorted(wait for person in people for wait in person.waits)
            assert len(waits) >= SOCKETS // 4
            assert waits[-1] <= live.BYE_SPREAD
            # Spread evenly: no second of the three has most of them.
            busiest = max(sum(low <= wait < low + 1 for wait in waits) for low in (0, 1, 2))
            assert busiest < 0.75 * len(waits), waits
            away = [away for person in people for away in person.away]
            assert max(away) <= live.BYE_SPREAD + ROLLING * BUSY
            scene.figures["sockets of it, of all"] = f"{len(waits)}, {len(people)}"
            scene.figures["away, median and most"] = (
                f"{statistics.median(away):.2f} s, {max(away):.2f} s"
            )
            assert statuses[200] > 20
            assert not [status for status in statuses if status >= 500], statuses
            for together in tables:
                await together.check(scene.cluster.database)
        finally:
            await asyncio.gather(*(together.go() for together in tables))

    asyncio.run(story())


async def ask_pages(cluster: Cluster, statuses: Counter[int]) -> None:
    """Ask for pages, one after the other, until cancelled."""
    assert cluster.nginx.trust
    async with httpx.AsyncClient(verify=cluster.nginx.trust, trust_env=False, timeout=30) as web:
        while True:
            for path in ("/", "/games/ristikontra/", "/tables/new/ristikontra/"):
                statuses[(await web.get(cluster.url + path)).status_code] += 1
            await asyncio.sleep(0.15)


def test_a_rolling_restart_under_load(scene: Scene) -> None:
    """CASE 41: one process after the other; every client is back within five seconds, and every
    table plays on all the while."""

    async def story() -> None:
        tables = [Together([scene.new(4.0) for _ in range(4)]) for _ in range(4)]
        try:
            for together in tables:
                await together.come()
            stop = asyncio.Event()
            playing = [asyncio.create_task(play_until(one, stop)) for one in tables]
            for site in scene.cluster.sites:
                assert site.process is not None
                site.process.send_signal(signal.SIGTERM)
                assert await asyncio.to_thread(site.ended) in services.CLEANLY
                site.launch()
                await asyncio.to_thread(site.until_it_serves)
                await asyncio.sleep(live.BYE_SPREAD)
            stop.set()
            await asyncio.gather(*playing)
            people = [person for one in tables for person in one.people]
            assert set(sum((person.closes for person in people), Counter())) == {CloseCode.RESTART}
            away = [away for person in people for away in person.away]
            assert len(away) >= 8
            assert max(away) <= ROLLING * BUSY
            scene.figures["plays meanwhile"] = sum(len(one.played) for one in tables)
            scene.figures["away, median and most"] = (
                f"{statistics.median(away):.2f} s, {max(away):.2f} s"
            )
            for together in tables:
                await together.check(scene.cluster.database)
        finally:
            await asyncio.gather(*(together.go() for together in tables))

    asyncio.run(story())


async def play_until(together: Together, stop: asyncio.Event, pause: float = 0.1) -> None:
    while not stop.is_set():
        await together.play_on(seconds=30.0)
        await asyncio.sleep(pause)


# ---- Redis ---------------------------------------------------------------------------------------


def test_redis_restarts(scene: Scene) -> None:
    """CASE 13: no socket closes, and rings are heard again."""
    scene.expected = ["the channel layer is away", "other processes could not be rung"]

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(5)
            scene.cluster.redis.stop()
            scene.cluster.redis.start()
            began = time.monotonic()
            await together.play_on(3, seconds=REDIS * BUSY)
            await until(lambda: scene.cluster.listening() == 2, REDIS * BUSY, "both listen")
            assert time.monotonic() - began < REDIS * BUSY
            scene.figures["restarted, until both listen"] = f"{time.monotonic() - began:.2f} s"
            await together.play_on(5)
            assert not closes(together)

    asyncio.run(story())


def test_redis_is_down(scene: Scene) -> None:
    """The pulse carries the match; people can still open tables and sit down."""
    scene.expected = ["the channel layer is away", "the cache is away"]
    scene.expected.append("other processes could not be rung")

    async def story() -> None:
        async with scene.four() as together:
            scene.cluster.redis.stop()
            try:
                until = time.monotonic() + DOWN
                while time.monotonic() < until:
                    await together.play_on(seconds=10.0)
                scene.figures["down, the slowest play"] = f"{together.slowest:.2f} s"
                assert together.slowest < BY_PULSE
                async with Person(scene.cluster.url, scene.cluster.nginx.trust) as host:
                    await host.open_table("Aino")
                    await host.connect()
                    guest = Person(scene.cluster.url, scene.cluster.nginx.trust)
                    async with guest:
                        await guest.sit_down(host.invites()[0], "Toni")
            finally:
                scene.cluster.redis.start()
            await together.play_on(5, seconds=REDIS * BUSY)
            wait_until(lambda: scene.cluster.listening() == 2, REDIS * BUSY, "both listen")
            assert not closes(together)

    asyncio.run(story())


def test_redis_stands_still(scene: Scene) -> None:
    """It takes connections and answers nothing, which is noticed more slowly than that it is away:
    the pulse carries the match, and a form waits two seconds for what counts it."""
    scene.expected = ["the channel layer is away", "the cache is away"]
    scene.expected.append("other processes could not be rung")

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(3)
            with frozen(scene.cluster.redis):
                until = time.monotonic() + FROZEN
                while time.monotonic() < until:
                    await together.play_on(seconds=10.0)
                began = time.monotonic()
                async with Person(scene.cluster.url, scene.cluster.nginx.trust) as host:
                    await host.open_table("Aino")
                    scene.figures["frozen, a table is opened"] = f"{time.monotonic() - began:.2f} s"
                    assert time.monotonic() - began < 2 + 3 * BUSY
                    await host.connect()
            scene.figures["frozen, the slowest play"] = f"{together.slowest:.2f} s"
            assert together.slowest < BY_PULSE
            await together.play_on(5, seconds=REDIS * BUSY)
            wait_until(lambda: scene.cluster.listening() == 2, REDIS * BUSY, "both listen")
            assert not closes(together)

    asyncio.run(story())


def test_redis_is_flushed(scene: Scene) -> None:
    """Nobody is a member of anything any more, and nothing says so: the pulse heals."""

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(3)
            with scene.cluster.redis.client() as client:
                client.flushall()
            await together.play_on(8, seconds=10.0)
            scene.figures["flushed, the slowest play"] = f"{together.slowest:.2f} s"
            assert together.slowest < BY_PULSE
            assert not closes(together)

    asyncio.run(story())


def test_every_ring_between_processes_is_lost_for_a_whole_deal(scene: Scene) -> None:
    """CASE 12: each play is on all screens within a pulse all the same."""

    async def story() -> None:
        async with scene.four() as together:
            with scene.trap("silence"):
                while together.people[0].shown["view"]["turn"] is not None:
                    await together.play_on(seconds=10.0)
            assert len(together.played) >= 24
            assert together.slowest < BY_PULSE
            scene.figures["the slowest play, with a pulse of 0.5 s"] = f"{together.slowest:.2f} s"

    asyncio.run(story())


# ---- PostgreSQL ----------------------------------------------------------------------------------

NO_DATABASE = [
    "the pulse could not read",
    "a command failed",
    "a socket could not be seated",
    "a task failed",
    "django.request",
]


def test_postgresql_restarts(scene: Scene) -> None:
    """CASE 13: what is played meanwhile is refused in words; no socket closes."""
    scene.expected = NO_DATABASE

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(5)
            scene.cluster.postgres.stop()
            refused = asyncio.create_task(together.play_on(seconds=60.0, again=0.4))
            await until(lambda: faults(together), 30, "a refusal")
            scene.cluster.postgres.start()
            began = time.monotonic()
            await refused
            assert time.monotonic() - began < POSTGRES * BUSY
            scene.figures["restarted, until all four are right"] = (
                f"{time.monotonic() - began:.2f} s"
            )
            await together.play_on(5)
            assert not closes(together)

    asyncio.run(story())


def test_postgresql_stands_still(scene: Scene) -> None:
    """Pings are answered within a second, the page is told "saving", and the play is made once."""
    scene.expected = NO_DATABASE

    async def story() -> None:
        async with scene.four(pace=40.0) as together:
            await together.play_on(5)
            for person in together.people:
                person.pongs.clear()
                person.deadline = 20.0
            with frozen(scene.cluster.postgres):
                play = asyncio.create_task(together.play_on(seconds=60.0, again=0.5))
                await asyncio.sleep(FROZEN)
                assert not play.done()
                assert sum(person.saving for person in together.people) >= 1
            began = time.monotonic()
            await play
            assert time.monotonic() - began < POSTGRES * BUSY
            pongs = [pong for person in together.people for pong in person.pongs]
            assert len(pongs) >= 4
            assert max(pongs) < HEARTBEAT * BUSY
            scene.figures["frozen, the slowest ping"] = f"{max(pongs):.2f} s"
            scene.figures["thawed, until all four are right"] = f"{time.monotonic() - began:.2f} s"
            await together.play_on(5)
            assert not closes(together)

    asyncio.run(story())


@contextlib.contextmanager
def frozen(service: Service) -> Iterator[None]:
    """All its processes stand still."""
    family = [service.pid]
    for children in Path(f"/proc/{service.pid}/task").glob("*/children"):
        family += map(int, children.read_text().split())
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(family):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_postgresql_has_no_connection_left(scene: Scene) -> None:
    """Plays are refused in words until there is one; no socket closes, and pings are answered."""
    scene.expected = NO_DATABASE

    async def story() -> None:
        async with scene.four(pace=40.0) as together:
            await together.play_on(5)
            with all_connections_taken(scene.cluster.database):
                play = asyncio.create_task(together.play_on(seconds=60.0, again=0.5))
                await until(lambda: faults(together), 30, "a refusal")
                assert not play.done()
                for person in together.people:
                    person.pongs.clear()
                await asyncio.sleep(1.5)
                assert max(pong for person in together.people for pong in person.pongs) < (
                    HEARTBEAT * BUSY
                )
            began = time.monotonic()
            await play
            assert time.monotonic() - began < POSTGRES * BUSY
            scene.figures["connections free, until all four are right"] = (
                f"{time.monotonic() - began:.2f} s"
            )
            await together.play_on(5)
            assert not closes(together)

    asyncio.run(story())


@contextlib.contextmanager
def all_connections_taken(database: str) -> Iterator[None]:
    """Whatever connections others had are closed, and none can be made."""
    held: list[psycopg.Connection[Any]] = []
    others: object = None
    try:
        while others != (0,):
            with contextlib.suppress(psycopg.OperationalError):
                while True:
                    held.append(psycopg.connect(database, autocommit=True))
            others = (
                held[0]
                .execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE backend_type = 'client backend' AND pid <> ALL(%s)",
                    ([one.info.backend_pid for one in held],),
                )
                .fetchone()
            )
        yield
    finally:
        for one in held:
            one.close()


# ---- SQLite --------------------------------------------------------------------------------------


def test_the_disk_is_full_under_sqlite(new_sqlite: Callable[[], str], tmp_path: Path) -> None:
    """No file may grow beyond where the write-ahead log is already. Plays are refused in words and
    shown nowhere, reading goes on, and when there is room again nothing is lost."""
    database = new_sqlite()
    quick = {name: value for name, value in QUICK.items() if name != "LOG_LEVEL"}
    site = Site(tmp_path, database, "", "daphne", **quick)

    async def story() -> None:
        together = Together([Steady(site.url, pace=8.0) for _ in range(4)])
        try:
            await together.come()
            await together.play_on(5)
            shown = [person.shown for person in together.people]
            usual = resource.prlimit(site.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(site.pid, resource.RLIMIT_FSIZE, (65536, usual[1]))
            made = list(together.played)
            play = asyncio.create_task(together.play_on(seconds=60.0, again=0.3))
            await until(lambda: faults(together) >= 2, 30, "two refusals")
            assert [person.shown for person in together.people] == shown
            assert table_plays(database) == made
            async with Person(site.url) as reader:
                assert (await reader.get("/")).status_code == 200
            resource.prlimit(site.pid, resource.RLIMIT_FSIZE, usual)
            await play
            await together.play_on(5)
            await together.check(database)
            assert not closes(together)
        finally:
            await together.go()

    with services.running(site):
        asyncio.run(story())
    log = site.log.read_text()
    assert "Traceback" not in log
    assert not CARD.search(log)


def table_plays(database: str) -> list[str]:
    return " ".join(plays for (plays,) in rows(database, "SELECT plays FROM game_deal")).split()


# ---- the network ---------------------------------------------------------------------------------


def test_frames_are_dropped_doubled_and_reordered(scene: Scene) -> None:
    """CASES 11, 12, 16: a fifth of all frames each, in both directions, at all four seats."""

    async def story() -> None:
        networks = [Lossy(seat) for seat in range(4)]
        together = Together([scene.new(10.0) for _ in range(4)])
        try:
            await together.come()
            for person, network in zip(together.people, networks, strict=True):
                person.network = network
            await together.play_on(20, seconds=30.0, again=0.5)
            for person in together.people:
                person.network = None
            await together.play_on(3)
            await together.check(scene.cluster.database)
            for one in networks:
                assert one.dropped and one.doubled and one.reordered
            scene.figures["dropped, doubled, reordered"] = (
                f"{sum(one.dropped for one in networks)}, {sum(one.doubled for one in networks)},"
                f" {sum(one.reordered for one in networks)} frames;"
                f" the slowest play {together.slowest:.1f} s"
            )
        finally:
            await together.go()

    asyncio.run(story())


def test_a_seat_that_does_not_read(scene: Scene) -> None:
    """CASE 15: while it reads nothing the others play on and the process keeps its memory; when it
    reads again it ends with the full state."""

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(4)
            before = sum(site.memory()["now"] for site in scene.cluster.sites)
            deaf = Person(scene.cluster.url, scene.cluster.nginx.trust)
            deaf.web.cookies, deaf.page = together.people[3].web.cookies, together.people[3].page
            await deaf.connect()
            assert deaf.socket is not None
            deaf.socket.transport.pause_reading()
            while len(together.played) < 40:
                await together.play_on(seconds=10.0)
                for person in together.people[:2]:
                    await person.say(type="pause", on=len(together.played) % 2 == 0)
                    await person.say(type="sync")
            assert together.slowest < 5.0 * BUSY
            grown = sum(site.memory()["now"] for site in scene.cluster.sites) - before
            assert grown < 20
            scene.figures["memory meanwhile"] = f"{grown:+.1f} MiB"
            deaf.socket.transport.resume_reading()
            await deaf.until(
                lambda: (
                    deaf.close_code is not None
                    or deaf.snapshot["version"] == together.people[0].shown["version"]
                ),
                "the newest snapshot",
            )
            if deaf.close_code is not None:
                await deaf.connect_again()
            assert deaf.snapshot["ply"] == together.people[0].ply
            assert deaf.faults == []
            await deaf.leave_site()

    asyncio.run(story())


def test_a_flood_from_one_socket(scene: Scene) -> None:
    """It alone is closed; the others at its table notice nothing."""

    async def story() -> None:
        async with scene.four() as together:
            flooding = Person(scene.cluster.url, scene.cluster.nginx.trust)
            flooding.web.cookies = together.people[2].web.cookies
            flooding.page = together.people[2].page
            await flooding.connect()
            assert flooding.socket is not None
            with contextlib.suppress(Exception):  # it is closed in the middle
                for _ in range(2000):
                    await flooding.say(type="ping")
            await flooding.until(lambda: flooding.close_code is not None, "it is closed")
            assert flooding.close_code == CloseCode.FLOOD
            await flooding.leave_site()
            await asyncio.sleep(1.0)  # its seat may speak again
            await together.play_on(8, seconds=5.0 * BUSY)
            assert not closes(together)

    asyncio.run(story())


def test_a_flood_from_one_address(scene: Scene) -> None:
    """It is answered 429, pages and sockets; everybody else plays on and gets every page."""

    async def story() -> None:
        async with scene.four() as together:
            statuses, others = Counter[int](), Counter[int]()
            asking = asyncio.create_task(ask_pages(scene.cluster, others))
            transport = httpx.AsyncHTTPTransport(
                verify=scene.cluster.nginx.trust or False, local_address="127.0.0.66"
            )
            async with httpx.AsyncClient(transport=transport, timeout=60) as flood:

                async def ask(number: int) -> None:
                    path = "/tables/x/socket/" if number % 3 else "/games/ristikontra/"
                    answer = await flood.get(scene.cluster.url + path)
                    statuses[answer.status_code] += 1

                playing = asyncio.create_task(together.play_on(10, seconds=10.0 * BUSY))
                for hundred in range(0, 900, 100):
                    await asyncio.gather(*(ask(hundred + one) for one in range(100)))
                await playing
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert statuses[429] >= 50, statuses
            assert set(others) == {200}
            assert not closes(together)
            scene.figures["answered 429, of 900"] = statuses[429]
            scene.figures["the slowest play meanwhile"] = f"{together.slowest:.2f} s"

    asyncio.run(story())


# ---- processes that differ -----------------------------------------------------------------------


@contextlib.contextmanager
def differently(site: Site, first: str = "", **environment: str) -> Iterator[None]:
    """The process runs otherwise for a while."""
    usual = site.first, site.environment
    assert site.environment is not None
    site.stop()
    site.first, site.environment = site.first + first, site.environment | environment
    try:
        site.start()
        yield
    finally:
        site.stop()
        site.first, site.environment = usual
        site.start()


def test_the_clock_of_one_worker_is_two_hours_off(scene: Scene) -> None:
    """Seats are taken, moved, played from and seen as here at both processes; lines are in order
    and say the database's time."""
    faked = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    clock = {"LD_PRELOAD": str(faked), "FAKETIME": "+2h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    async def story() -> None:
        async with scene.four() as together:
            await together.play_on(8)
            for number, person in enumerate(together.people):
                await person.say(type="say", id="1", text=f"line {number}")
                for one in together.people:
                    await one.until_said(f"line {number}")
            for person in together.people:
                times = [time_of(line["at"]) for line in person.lines]
                assert max(times) - min(times) < 600
                for seat in range(4):
                    await person.until_here(seat, True)
            old, phone = together.people[1], scene.new()
            await phone.take_over(old)
            await phone.stay()
            await old.until(lambda: old.closes[CloseCode.MOVED], "the old page is closed")
            await old.leave_site()
            together.people[1] = phone
            await together.play_on(8)

    with differently(scene.cluster.sites[1], **clock):
        scene.began = {name: len(text) for name, text in scene.cluster.logs().items()}
        asyncio.run(story())


def time_of(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


NEWER = f"""
import django
django.setup()
from tables import protocol
protocol.VERSION = {VERSION + 1}
from game.engine import registry
from game.engine.ristikontra import Ristikontra
class Next(Ristikontra):
    version = Ristikontra.version + 1
registry.GAMES["ristikontra", Next.version] = Next()
"""


def test_a_worker_of_the_next_release_beside_this_one(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 41: while both serve, a page is told to load anew by the other's process, and is served
    by its own. A table with the raised engine is refused in words where it is not known. Nobody
    loses a seat, and when all processes are new everybody plays on."""
    database = postgres.database()
    old = stage.site(database, REDIS_URL=redis.url, TABLES_PULSE="0.5")
    new = stage.site(database, NEWER, REDIS_URL=redis.url, TABLES_PULSE="0.5")

    async def told_to_load_anew(person: Person, site: Site) -> None:
        person.site = site.url
        await person.connect()
        assert person.close_code == CloseCode.RESTART
        assert [message["type"] for message in person.heard] == ["reload", "closing"]

    async def load_anew(person: Person, site: Site) -> None:
        person.site = site.url
        await person.look(f"/tables/{person.code}/")
        await person.connect_again()

    async def story() -> None:
        async with stage.four(old) as people, stage.some(new) as others:
            await play_on(people, 4)
            await told_to_load_anew(people[1], new)
            await load_anew(people[1], new)
            await play_on(people, 8, seconds=10.0)
            await told_to_load_anew(people[1], old)
            await load_anew(people[1], old)
            await play_on(people, 8, seconds=10.0)

            host, *guests = others
            await host.open_table()
            await host.connect()
            for guest, invite in zip(guests, host.invites(), strict=True):
                guest.site = old.url
                if guest is not guests[-1]:
                    await guest.sit_down(invite)
                    continue
                with pytest.raises(Turned) as refused:  # it would deal
                    await guest.sit_down(invite)
                assert refused.value.status == 409
                guest.site = new.url
                await guest.sit_down(invite)
            for guest in guests:
                await load_anew(guest, new)
            await everybody_sees(others, 1)
            await play_on(others, 4)
            lost = guests[0]
            lost.site = old.url
            await lost.look(f"/tables/{lost.code}/")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(lost.connect(), 2.0)
            assert [message["type"] for message in lost.heard][:1] == ["reload"]

            old.stop()
            old.first = NEWER
            old.start()
            for person in (*people, *others):
                await load_anew(person, old)
            await play_on(people, 8)
            await play_on(others, 8)
            kept = [table_of(database, one[0].code) for one in (people, others)]
            assert [one.engine for one in kept] == [1, 2]

    asyncio.run(story())
