"""Four pages and a network that loses, doubles and reorders, in one process and by a seed.

Frames in both directions and rings between delivery tasks fare alike; pages connect anew at any
moment. Half of the plays go the long way, by which they are shown with a ring, and half of the
others come as from another process. Time does not pass: when nothing is under way any more,
everybody's timer runs out at once.
Ten seeds share a table; when they are run again they do the same.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from game import matches
from tables import consumers, fast_path, gauges, live
from tables.consumers import TableConsumer
from tables.lobby import Place
from tables.reading import Picture
from tables.tests.seats import Client, Table, db, eventually, full_table, quiet, rig, run
from tables.tests.steady import Lossy

pytestmark = pytest.mark.django_db(transaction=True)

PLAYS = 5
A_DEAL = 10
"""Seeds one after the other at one table: a deal has plays for so many."""
LEAVES = 0.04
"""How often in a round a page connects anew."""
ROUNDS = 400


class Page:
    """What socket.js and table.js make of it, without their timers."""

    def __init__(self, table: Table, seat: int, network: Lossy) -> None:
        self.table, self.seat, self.network = table, seat, network
        self.shown: dict[str, Any] = {}
        self.in_flight: dict[str, Any] | None = None
        self.client: Client | None = None
        self.behind = False
        """A pong has told of a newer version."""

    async def connect(self) -> None:
        if self.client is not None and self.client.closed is None:
            await self.client.drop()
        self.network.cut()
        self.client = Client(self.table.code, await db(self.table.cookie)(self.seat))
        assert await self.client.connect()

    async def say(self, message: dict[str, Any]) -> None:
        client = self.client
        assert client is not None
        sent: list[dict[str, Any]] = []
        self.network.pass_on(f"out {self.seat}", lambda: sent.append(message))
        for one in sent:
            await client.say(**one)

    def read(self) -> bool:
        """Take what has come; whether anything has."""
        assert self.client is not None
        came = False
        queue = self.client.wire.output_queue
        while not queue.empty():
            event = queue.get_nowait()
            assert event["type"] == "websocket.send", event
            message = json.loads(event["text"])
            came = True
            self.network.pass_on(f"in {self.seat}", partial(self.take, message))
        return came

    def take(self, message: dict[str, Any]) -> None:
        if message["type"] == "snapshot":
            if message["version"] <= self.shown.get("version", 0):
                return
            self.shown = message
            if self.in_flight is not None and message["ply"] > self.in_flight["ply"]:
                self.in_flight = None
        elif message["type"] == "pong":
            self.behind |= message["version"] > self.shown.get("version", 0)
        elif message["type"] == "refused":
            assert message["code"] == "stale", message

    async def timers(self) -> None:
        """What would be done after some seconds without news."""
        if self.in_flight is not None:
            await self.say(self.in_flight)
        if self.behind or not self.shown:
            self.behind = False
            await self.say({"type": "sync"})
        await self.say({"type": "ping"})


async def simulate(
    seed: int,
    pages: list[Page],
    told: Callable[[Lossy], None],
    sockets: list[TableConsumer],
) -> None:
    """Some plays under that seed; an AssertionError when a promise is broken."""
    rng = random.Random(seed)
    network = Lossy(seed)
    told(Lossy(f"rings {seed}"))
    table = pages[0].table
    for page in pages:
        page.network = network
    made: list[str] = []
    first = (await db(table.at)()).ply
    before = (await db(lambda: table.deal.plays)()).split()
    rounds = 0
    while len(made) < PLAYS or any(page.in_flight for page in pages):
        rounds += 1
        assert rounds < ROUNDS, f"seed {seed} comes to no end"
        for page in pages:
            view = page.shown.get("view")
            if view is None or page.in_flight is not None or view["turn"] != page.seat:
                continue
            if page.shown["ply"] == first + len(made) and len(made) < PLAYS:
                code = rng.choice(view["legal"])
                made.append(code)
                page.in_flight = {"type": "play", "ply": page.shown["ply"], "code": code}
                await page.say(page.in_flight)
        if rng.random() < LEAVES:
            await rng.choice(pages).connect()
        await settled(sockets)
        if not sum(page.read() for page in pages):
            await beat()
            for page in pages:
                await page.timers()
    # The network is well again: a pulse and a ping heal what is left.
    network.chance = 0.0
    told(Lossy(seed, 0.0))
    for _ in range(3):
        await beat()
        for page in pages:
            await page.timers()
        await settled(sockets)
        for page in pages:
            page.read()
    for page in pages:
        assert page.shown == await db(table.snapshot)(page.seat), f"seed {seed}, seat {page.seat}"
    kept = (await db(lambda: table.deal.plays)()).split()
    assert kept == before + made, f"seed {seed}"
    now = await db(table.at)()
    assert now.ply == first + len(made), f"seed {seed}"


async def settled(sockets: list[TableConsumer]) -> None:
    """Wait until nothing is under way in the process."""
    for _ in range(2):
        for socket in list(sockets):
            if not socket.ended:
                await asyncio.wait_for(socket.settle(), 10)
        await quiet()
        await eventually(lambda: not any(one.outbox for one in sockets if not one.ended))


async def beat() -> None:
    """One pulse, now."""
    codes = list(live._here.sockets)
    for code, (version, said) in (await db(live._newest)(codes)).items():
        sockets = live._here.sockets.get(code, {})
        if any(socket.sent < version or socket.heard < said for socket in sockets):
            live._mark("ring", code)
    await quiet()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Lossy], None]]:
    """Rings go through this network."""
    rings = live._told_here
    now = Lossy(0, 0.0)

    def change(network: Lossy) -> None:
        nonlocal now
        now = network

    monkeypatch.setattr(
        live,
        "_told_here",
        lambda what, code: now.pass_on(what, lambda: rings(what, code)),
    )
    short = fast_path.play

    async def either(place: Place, ply: int, code: str) -> bool:
        return now.rng.random() < 0.5 and await short(place, ply, code)

    show = live.show

    def show_or_tell(picture: Picture, card: str) -> None:
        """Half of these as if another process had made them."""
        if now.rng.random() < 0.5:
            show(picture, card)
        else:
            ring = [["ring", picture.at.code, [[picture.at.version, card]]]]
            now.pass_on("ring", lambda: live._hear(ring))

    monkeypatch.setattr(fast_path, "play", either)
    monkeypatch.setattr(live, "show", show_or_tell)
    monkeypatch.setattr(live, "BURST", 1e9)
    monkeypatch.setattr(consumers, "QUEUE", 1000)
    matches.forget()
    yield change
    matches.forget()


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> list[TableConsumer]:
    """All sockets of the process, the newest last."""
    found: list[TableConsumer] = []
    connect = TableConsumer.connect

    async def connect_and_tell(self: TableConsumer, *arguments: Any) -> None:
        found.append(self)
        await connect(self, *arguments)

    monkeypatch.setattr(TableConsumer, "connect", connect_and_tell)
    return found


@pytest.mark.parametrize(
    "seeds",
    [range(20), pytest.param(range(20, 1000), marks=pytest.mark.slow)],
    ids=["20 seeds", "1000 seeds"],
)
def test_four_pages_in_a_lossy_network_case_12(
    seeds: range,
    told: Callable[[Lossy], None],
    sockets: list[TableConsumer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short = gauges.plays["short"]
    for first in range(seeds.start, seeds.stop, A_DEAL):

        async def scenario(first: int = first) -> None:
            rig(monkeypatch, seed=first)
            told(Lossy(first, 0.0))
            table = await db(full_table)()
            pages = [Page(table, seat, Lossy(first, 0.0)) for seat in range(4)]
            for page in pages:
                await page.connect()
            for seed in range(first, first + A_DEAL):
                await simulate(seed, pages, told, sockets)
            for page in pages:
                assert page.client is not None
                await page.client.drop()
            sockets.clear()

        run(scenario)
    assert gauges.plays["short"] > short + len(seeds)
