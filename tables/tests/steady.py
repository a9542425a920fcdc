"""People who keep at it, as their pages do: they connect again, ask again and play again.

A `Steady` person is a `Person` whose page does what socket.js and table.js do, at a pace for tests.
A `Lossy` network drops, doubles and reorders frames in both directions by a seed.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import ssl
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from game.engine.base import freeze, replay
from game.engine.cards import PACK
from game.engine.registry import find
from game.tests.test_contract import cards_of
from tables.tests.people_online import PATIENCE, Message, Person
from tables.tests.stage import rows

ADDRESSES = itertools.count(1)


async def until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """As `services.wait_until`, while others go on."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        await asyncio.sleep(0.005)


class Lossy:
    """A network that drops, doubles and reorders frames, each with this chance."""

    def __init__(self, seed: object, chance: float = 0.2) -> None:
        self.rng = random.Random(str(seed))
        self.chance = chance
        self.held: dict[str, list[Callable[[], None]]] = {}
        self.dropped = self.doubled = self.reordered = 0

    def pass_on(self, way: str, deliver: Callable[[], None]) -> None:
        """Deliver a frame, or not, or twice, or after the next one that goes the same way."""
        late = self.held.setdefault(way, [])
        if self.rng.random() < self.chance:
            self.dropped += 1
            return
        if self.rng.random() < self.chance:
            self.reordered += 1
            late.append(deliver)
            return
        deliver()
        if self.rng.random() < self.chance:
            self.doubled += 1
            deliver()
        for one in late:
            one()
        late.clear()

    def cut(self) -> None:
        """What is under way when a connection ends never arrives."""
        self.held.clear()


class Steady(Person):
    """One who does not give up. ``pace`` is how much quicker its page is than a real one, whose
    ping comes after 10 seconds and whose patience is 8."""

    def __init__(
        self,
        site: str,
        trust: ssl.SSLContext | None = None,
        pace: float = 1.0,
        network: Lossy | None = None,
    ) -> None:
        number = next(ADDRESSES) % 60_000
        super().__init__(site, trust, comes_from=f"127.1.{number // 250}.{1 + number % 250}")
        self.ping, self.deadline = 10.0 / pace, 8.0 / pace
        self.network = network
        self.shown: Message = {}
        """The newest snapshot, also while there is no connection."""
        self.closes = Counter[int | None]()
        """How its connections have ended."""
        self.turned_away = Counter[int]()
        """HTTP statuses in place of a socket."""
        self.away: list[float] = []
        """Seconds from each end of a connection to the next snapshot."""
        self.waits: list[float] = []
        """The seconds that a stopping server asked it to wait."""
        self.refusals = Counter[str]()
        self.saving = 0
        self.pongs: list[float] = []
        """Seconds until each ping was answered."""
        self.reloads = 0
        self.latest = 0.0
        self.asked: float | None = None
        self.keeping: asyncio.Task[None] | None = None

    # ---- the connection ----

    async def stay(self) -> None:
        """Connect, and from now on connect again whenever that is needed."""
        await self.connect_again()
        self.keeping = asyncio.create_task(self._keep())

    async def leave_site(self) -> None:
        if self.keeping is not None:
            self.keeping.cancel()
            await asyncio.gather(self.keeping, return_exceptions=True)
            self.keeping = None
        await super().leave_site()

    async def connect(self) -> None:
        await self.drop()
        if self.network is not None:
            self.network.cut()
        self.asked = None
        try:
            async with asyncio.timeout(self.deadline):
                await super().connect()
        except InvalidStatus as refused:
            self.turned_away[refused.response.status_code] += 1
            raise
        except TimeoutError:
            await self.drop()
            raise ConnectionError("no snapshot") from None

    async def connect_again(self, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake):
                await self.connect()
            if self.snapshot:
                return
            if self.close_code is not None:
                self.closes[self.close_code] += 1
            if time.monotonic() > deadline:
                raise TimeoutError(f"the site has not come back: {self}")
            await asyncio.sleep(random.uniform(0.05, 0.2))

    async def _keep(self) -> None:
        while True:
            await self._until_it_ends()
            ended = time.monotonic()
            wait = next((one["after"] for one in self._of("bye")), None)
            if wait is not None:
                self.waits.append(wait)
            await asyncio.sleep(random.uniform(0.05, 0.2) if wait is None else wait)
            await self.connect_again(10 * PATIENCE)
            self.away.append(time.monotonic() - ended)

    async def _until_it_ends(self) -> None:
        while self.close_code is None and self.socket is not None:
            silent = time.monotonic() - self.latest
            waited = 0.0 if self.asked is None else time.monotonic() - self.asked
            if waited > self.deadline:
                await self.drop()  # nobody is there, whatever the socket says
                self.closes[0] += 1
                return
            if self.asked is None and silent > self.ping:
                self.asked = time.monotonic()
                await self.say(type="ping")
            await self._news_within(0.05)
        self.closes[self.close_code] += 1

    async def _news_within(self, seconds: float) -> None:
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def say(self, **message: Any) -> None:
        """Say it if there is a connection."""
        socket = self.socket
        if socket is None:
            return
        text = json.dumps(message)
        frames: list[str] = []
        if self.network is None:
            frames.append(text)
        else:
            self.network.pass_on("out", lambda: frames.append(text))
        with contextlib.suppress(ConnectionClosed):
            for frame in frames:
                await socket.send(frame)

    def _hear(self, message: Message) -> None:
        if self.network is None:
            self._take(message)
        else:
            self.network.pass_on("in", lambda: self._take(message))

    def _take(self, message: Message) -> None:
        """As the page takes it: never an older snapshot after a newer one."""
        self.latest = time.monotonic()
        kind = message["type"]
        if kind == "pong" and self.asked is not None:
            self.pongs.append(self.latest - self.asked)
        self.asked = None
        if kind == "snapshot":
            known = self.shown.get("version", 0)
            if message["version"] < known:
                if self.network is None:
                    self.faults.append("an older snapshot after a newer one")
                return
            self.shown = message
        elif kind == "pong" and message["version"] > self.shown.get("version", 0):
            asyncio.ensure_future(self.say(type="sync"))  # noqa: RUF006 (ends by itself)
        elif kind == "refused":
            self.refusals[message["code"]] += 1
        elif kind == "saving":
            self.saving += 1
        elif kind == "reload":
            self.reloads += 1
        if kind == "lines":
            known_lines = {line["n"] for line in self.lines}
            message["lines"] = [one for one in message["lines"] if one["n"] not in known_lines]
        super()._hear(message)

    # ---- the match ----

    @property
    def ply(self) -> int:
        return int(self.shown.get("ply", 0))

    async def insist(self, again: float, ply: int, kind: str, **message: Any) -> None:
        """Say it again and again until the table has moved on from that ply."""
        while self.ply <= ply:
            await self.say(type=kind, ply=ply, **message)
            deadline = time.monotonic() + again
            while self.ply <= ply and time.monotonic() < deadline:
                await self._news_within(max(0.001, deadline - time.monotonic()))


class Together:
    """Four steady people at one table and all that they have played."""

    def __init__(self, people: list[Steady]) -> None:
        self.people = people
        self.played: list[str] = []
        self.slowest = 0.0
        """Seconds which the slowest play took until it was on all four screens."""

    async def play_on(self, plays: int = 1, seconds: float = PATIENCE, again: float = 1.0) -> None:
        """Whoever is on turn plays the first legal card; everybody sees each play in time."""
        goal = len(self.played) + plays
        while len(self.played) < goal:
            newest = max(self.people, key=lambda one: one.ply)
            ply, view = newest.ply, newest.shown["view"]
            if newest.shown["status"] != "playing":
                raise AssertionError("the match is over")
            began = time.monotonic()
            async with asyncio.timeout(seconds):
                await self._see(ply)
                if view["turn"] is None:
                    await newest.insist(again, ply, "deal")
                else:
                    mover = self.people[view["turn"]]
                    code = mover.shown["view"]["legal"][0]
                    await mover.insist(again, ply, "play", code=code)
                    self.played.append(code)
                await self._see(ply + 1)
            self.slowest = max(self.slowest, time.monotonic() - began)

    async def _see(self, ply: int) -> None:
        for person in self.people:
            while person.ply < ply:
                await person._news_within(0.5)

    async def come(self) -> None:
        """Everybody opens the table, sits down, and stays."""
        host, *guests = self.people
        await host.open_table()
        await host.stay()
        await host.until(lambda: "invites" in host.shown, "the invites")
        for guest, invite in zip(guests, host.invites(), strict=True):
            await guest.sit_down(invite)
            await guest.stay()
        await self._see(1)

    async def go(self) -> None:
        await asyncio.gather(*(person.leave_site() for person in self.people))

    async def check(self, database: str) -> None:
        """What must hold after every fault: everybody sees what the database says, and it says
        every play that was seen, once and in order, with all 52 cards where they belong."""
        for person in self.people:
            assert person.faults == []
        kept = table_of(database, self.people[0].code)
        assert [code for deal in kept.deals for code in deal.plays] == self.played
        assert kept.ply == len(self.played) + len(kept.deals)
        for deal in kept.deals:
            assert sorted(deal.pack) == sorted(PACK)
            game = find(kept.game, kept.engine)
            state = replay(game, freeze(game.sheet_type, deal.sheet), deal.pack, deal.plays)
            held, seen = list(cards_of(state)), game.recall(state)
            assert len(held) == len(set(held))
            assert set(held) | set(seen) == set(PACK)
        for person in self.people:
            async with asyncio.timeout(PATIENCE):
                while person.shown["version"] < kept.version:
                    await person._news_within(0.5)
        for person in self.people:
            fresh = Person(person.site, person.trust, person.comes_from)
            fresh.web.cookies, fresh.page = person.web.cookies, person.page
            try:
                await fresh.connect_again()
                differ = {
                    name: (person.shown.get(name), fresh.snapshot.get(name))
                    for name in {*person.shown, *fresh.snapshot}
                    if person.shown.get(name) != fresh.snapshot.get(name)
                }
                assert not differ, f"another picture than a fresh page's: {differ}"
            finally:
                await fresh.leave_site()


@dataclass(frozen=True)
class KeptDeal:
    sheet: dict[str, Any]
    pack: tuple[str, ...]
    plays: list[str]


@dataclass(frozen=True)
class Kept:
    """A table's newest match as the database has it."""

    game: str
    engine: int
    version: int
    ply: int
    deals: list[KeptDeal]


def table_of(database: str, code: str) -> Kept:
    [(match, *facts)] = rows(
        database,
        "SELECT m.id, game, engine, version, ply FROM tables_table t"
        f" JOIN game_match m ON m.id = t.match_id WHERE t.code = '{code}'",
    )
    deals = rows(
        database,
        f"SELECT sheet, pack, plays FROM game_deal WHERE match_id = {match} ORDER BY number",
    )
    game, engine, version, ply = facts
    return Kept(
        game,
        engine,
        version,
        ply,
        [
            KeptDeal(
                json.loads(sheet) if isinstance(sheet, str) else sheet,
                tuple(pack.split()),
                plays.split(),
            )
            for sheet, pack, plays in deals
        ],
    )
