"""What tests of shared tables begin with: tables of known people, plays, and browsers' sockets.

`open_table` seats the host, `full_table` all four; a `Table` then plays for whoever is on turn. In
a `run` scenario a `Client` is one browser's socket over the site's whole ASGI application.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar

import pytest
from channels.routing import get_default_application
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.urls import reverse

from game import matches
from game.engine.base import freeze, thaw
from game.engine.cards import PACK
from game.models import Deal, Match
from tables import database, fast_path, live, lobby, people, protocol
from tables.reading import At, at, lines, picture

T = TypeVar("T")
# Before any test: it sets the log up anew, and what listens to it then hears no more.
APPLICATION = get_default_application()
P = ParamSpec("P")

NAMES = ("Aino", "Väinö", "Ilmari", "Louhi")
BROWSERS = tuple(f"browser of {name}" for name in NAMES)
VERSION = f"?v={protocol.VERSION}"
PATIENCE = 30.0
"""Seconds a test waits for what must come; nothing waits so long when all is well."""

LONGEST = 300.0
"""Seconds a whole scenario may take."""


_lines = itertools.count(1)


@dataclass
class Table:
    """A table whose people are known: seat s is held by ``browsers[s]``, if by anybody."""

    code: str
    browsers: list[str] = field(default_factory=lambda: list(BROWSERS))

    # ---- as it stands ----

    def at(self) -> At:
        now = at(self.code)
        assert now is not None
        return now

    @property
    def match(self) -> int:
        return self.at().match

    @property
    def row(self) -> Match:
        return Match.objects.get(table__code=self.code)

    @property
    def deal(self) -> Deal:
        """The deal under way, or the last."""
        deal = Deal.objects.filter(match__table__code=self.code).order_by("number").last()
        assert deal is not None
        return deal

    def position(self) -> matches.Position:
        now = self.at()
        return matches.position(now.match, now.ply)

    @property
    def turn(self) -> int | None:
        return self.position().state.turn

    def legal(self) -> list[str]:
        """What the seat on turn may play."""
        now = self.position()
        return now.game.legal(now.state)

    def snapshot(self, seat: int) -> dict[str, Any]:
        """What a seat would be sent now."""
        message: dict[str, Any] = json.loads(snapshots(self.code)[seat])
        return message

    # ---- what people do ----

    def invite(self, seat: int) -> str:
        return people.sign(people.Link.INVITE, self.code, seat, self.at().seats[seat].turnover)

    def claim(self, seat: int, name: str | None = None) -> None:
        given = NAMES[seat] if name is None else name
        lobby.claim(self.code, seat, self.invite(seat), self.browsers[seat], given)

    def play(self, code: str, seat: int | None = None, ply: int | None = None) -> None:
        """Play, as a rule for the seat on turn and answering the newest ply."""
        now = self.at()
        on_turn = matches.position(now.match, now.ply).state.turn if seat is None else seat
        assert on_turn is not None
        holder, answered = now.seats[on_turn].holder, now.ply if ply is None else ply
        lobby.play(lobby.Place(self.code, now.match, on_turn, holder), answered, code)

    def next_deal(self, seat: int = 0, ply: int | None = None) -> None:
        now = self.at()
        answered = now.ply if ply is None else ply
        lobby.next_deal(lobby.Place(self.code, now.match, seat, now.seats[seat].holder), answered)

    def concede(self, seat: int, ply: int | None = None) -> None:
        lobby.concede(self.place(seat), self.at().ply if ply is None else ply)

    def leave(self, seat: int, shown: str | None = None) -> str:
        """Leave, knowing how the match stands unless a page shows it otherwise."""
        now = at(self.code)
        status = shown or (now.status if now else "")
        return lobby.leave(self.code, self.browsers[seat], status)

    def turn_over(
        self,
        index: int,
        by: int | str = 0,
        turnover: int | None = None,
        taken: bool | None = None,
    ) -> None:
        """Renew an invite or free a seat, as a page of seat or browser ``by`` that shows the table
        as it is."""
        now = at(self.code)
        seat = now.seats[index] if now and index in range(len(now.seats)) else None
        turned = (seat.turnover if seat else 0) if turnover is None else turnover
        held = bool(seat and seat.holder) if taken is None else taken
        browser = self.browsers[by] if isinstance(by, int) else by
        lobby.turn_over(self.code, browser, index, turned, held)

    # ---- as their pages ----

    def place(self, seat: int) -> lobby.Place:
        """From where a seat's page commands, as the table stands now."""
        now = self.at()
        return lobby.Place(self.code, now.match, seat, now.seats[seat].holder)

    def say(self, seat: int, text: str, client: str | None = None) -> str:
        """Say a line; what its page calls it."""
        client = client or f"{seat}.{next(_lines)}"
        lobby.say(self.place(seat), client, text)
        return client

    def agree(self, to: str, *seats: int) -> None:
        """These seats say yes, one after the other."""
        for seat in seats:
            lobby.agree(self.place(seat), to)

    def back_link(self, seat: int) -> str:
        """The secret part of a seat's return link."""
        return people.sign(people.Link.RETURN, self.code, seat, self.at().seats[seat].turnover)

    def move(self, seat: int, browser: str) -> None:
        """The holder goes on in another browser."""
        lobby.move(self.code, seat, self.back_link(seat), browser)
        self.browsers[seat] = browser

    def lines(self, since: int = 0) -> list[dict[str, Any]]:
        """What has been said, as it is told to somebody who has not said any of it."""
        return [line for _, _, line, _ in lines(self.code, since)]

    # ---- longer stretches ----

    def play_script(self, script: str) -> None:
        for code in script.split():
            self.play(code)

    def play_random(self, rng: random.Random, plays: int) -> None:
        """So many random plays, or fewer if the deal ends."""
        now = self.at()
        for ply in range(now.ply, now.ply + plays):
            here = matches.position(now.match, ply)
            seat = here.state.turn
            if seat is None:
                return
            code = rng.choice(here.game.legal(here.state))
            lobby.play(lobby.Place(self.code, now.match, seat, now.seats[seat].holder), ply, code)

    def finish_deal(self, rng: random.Random) -> None:
        while self.turn is not None:
            self.play_random(rng, len(PACK))

    def set_score(self, *score: int) -> None:
        """Make the deal under way one that began with this score; the process starts afresh."""
        began = freeze(self.position().game.sheet_type, self.deal.sheet)
        sheet = thaw(replace(began, score=score))
        Deal.objects.filter(pk=self.deal.pk).update(sheet=sheet)
        Match.objects.filter(pk=self.match).update(sheet=sheet)
        matches.forget()

    # ---- browsers ----

    def cookie(self, seat: int) -> str:
        """The session cookie of a seat's browser."""
        return cookie(self.browsers[seat])


def open_table(
    name: str = NAMES[0], key: str = "ristikontra", seats: int = 4, **options: Any
) -> Table:
    """A table where only the host sits."""
    return Table(lobby.open_table(key, seats, options, BROWSERS[0], name, voice=False))


def snapshots(code: str) -> dict[int, str]:
    """What every held seat of a table would be sent now; nothing when there is no such table."""
    now = picture(code)
    return now.snapshots([seat.index for seat in now.at.seats if seat.holder]) if now else {}


def small_table(seats: int, deals: int = 1) -> Table:
    """A table of two or three at the game that has such, whose first deal has just been dealt."""
    return full_table("ristiseiska", seats, deals=deals)


def full_table(key: str = "ristikontra", seats: int = 4, **options: Any) -> Table:
    """A table whose first deal has just been dealt."""
    table = open_table(key=key, seats=seats, **options)
    for seat in range(1, seats):
        table.claim(seat)
    return table


def won_table() -> Table:
    """A table whose match somebody has won. Give it dice with `rig` first: 60–60 wins nothing."""
    table = full_table()
    table.set_score(6, 6)
    table.finish_deal(random.Random(1))
    assert table.row.status == Match.Status.OVER
    return table


def rig(
    monkeypatch: pytest.MonkeyPatch,
    *packs: Iterable[str],
    dealer: int | None = None,
    seed: object = 0,
) -> None:
    """From now on deals have these packs, then seeded ones, and seeded salts; for tests alone."""
    rng = random.Random(str(seed))
    wished = [list(pack) for pack in packs]
    dice = SimpleNamespace(
        sample=lambda cards, size: wished.pop(0) if wished else rng.sample(cards, size)
    )
    rigged = SimpleNamespace(
        SystemRandom=lambda: dice,
        randbelow=lambda below: rng.randrange(below) if dealer is None else dealer,
        token_hex=lambda size: rng.randbytes(size).hex(),
    )
    monkeypatch.setattr(matches, "secrets", rigged)


# ---- browsers ------------------------------------------------------------------------------------


def cookie(browser: str) -> str:
    """The key of a new session of this browser."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[people.BROWSER] = browser
    session.create()
    return str(session.session_key)


def run(scenario: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a scenario in a loop and a thread of its own, with the database in another one.

    So it is in a server; and the loop that browser tests leave in the main thread is not met.
    """
    outcome: list[T] = []
    errors: list[BaseException] = []

    async def whole() -> T:
        try:
            async with asyncio.timeout(LONGEST):
                return await scenario()
        finally:
            fast_path.stop()
            database.stop()

    def work() -> None:
        try:
            outcome.append(asyncio.run(whole()))
        except BaseException as error:
            errors.append(error)

    live._here.begin(None)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    live._here.begin(None)
    if errors:
        raise errors[0]
    return outcome[0]


class Gate:
    """A service that stands still until it is opened, in the database's thread."""

    def __init__(self, service: Callable[..., Any]) -> None:
        self.service = service
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, *arguments: object) -> Any:
        self.reached.set()
        assert self.opened.wait(30)
        return self.service(*arguments)


def db(work: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """A service or reading as a scenario calls it: in the database's thread."""
    return partial(database.call, work)


async def eventually(truth: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not truth():  # noqa: ASYNC110 (what is waited for sets no event)
            await asyncio.sleep(0.002)


async def quiet() -> None:
    """Wait until nothing is being delivered in this process."""
    await db(lambda: None)()  # what was rung before has reached the loop
    await asyncio.sleep(0)
    await eventually(lambda: not (live._here.dirty or live._here.delivering or live._here.stirred))


def new_wire(path: str, headers: list[tuple[bytes, bytes]]) -> Any:
    """What connects a browser with the site: here both are in one process."""
    return WebsocketCommunicator(APPLICATION, path, headers)


ASIDES = ("here", "lines")


class Client:
    """One browser's socket. ``frames`` are all texts it was sent, ``closed`` the closing code.

    What is told beside the table itself, who is there and what is said, comes whenever it comes:
    it is kept apart, in ``asides``, and read as the page reads it.
    """

    def __init__(
        self, code: str, cookie: str | None, origin: str | None = "", query: str = VERSION
    ) -> None:
        headers = []
        if origin is not None:
            headers.append((b"origin", (origin or settings.ORIGINS[0]).encode()))
        if cookie is not None:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()))
        path = f"{reverse('tables:table', args=[code])}socket/{query}"  # as the page does
        self.wire = new_wire(path, headers)
        self.frames: list[str] = []
        self.asides: list[str] = []
        self.kept: deque[dict[str, Any]] = deque()
        """Messages that came while something beside the table was waited for."""
        self.here: list[dict[str, Any]] = []
        """Who is there, by seat, as last told."""
        self.said = 0
        self.lines: list[dict[str, Any]] = []
        """All lines told, in the order in which they came."""
        self.closed: int | None = None

    async def connect(self) -> bool:
        """Whether the socket was accepted."""
        accepted, _ = await self.wire.connect(timeout=PATIENCE)
        return bool(accepted)

    async def next(self) -> dict[str, Any]:
        """The next message; a ``closed`` one of our own when the server closes."""
        if self.kept:
            return self.kept.popleft()
        while (message := await self._next())["type"] in ASIDES:
            pass
        return message

    async def beside(self, truth: Callable[[], object]) -> None:
        """Wait until what is told beside the table makes something so."""
        async with asyncio.timeout(PATIENCE):
            while not truth():
                message = await self._next()
                if message["type"] not in ASIDES:
                    self.kept.append(message)

    async def hears(self, said: int) -> None:
        """Wait until the lines are told up to this number."""
        await self.beside(lambda: self.said >= said)

    async def sees(self, seat: int, here: bool) -> None:
        """Wait until a seat is told to be here, or away."""
        await self.beside(lambda: self.here and self.here[seat]["here"] == here)

    async def _next(self) -> dict[str, Any]:
        try:
            async with asyncio.timeout(PATIENCE):
                event = await self.wire.output_queue.get()
        except TimeoutError:
            if self.wire.future.done():
                self.wire.future.result()  # what it fell over
            raise
        return await self._take(event)

    async def _take(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["type"] == "websocket.close":
            self.closed = event["code"]
            await self.drop()
            return {"type": "closed", "code": self.closed}
        assert event["type"] == "websocket.send", event
        message: dict[str, Any] = json.loads(event["text"])
        if message["type"] in ASIDES:
            self.asides.append(event["text"])
            self._hear(message)
        else:
            self.frames.append(event["text"])
        return message

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "here":
            self.here = message["seats"]
        else:
            self.said = message["said"]
            self.lines += message["lines"]

    async def expect(self, kind: str) -> dict[str, Any]:
        """The next message, which is of this type."""
        message = await self.next()
        assert message["type"] == kind, message
        return message

    async def until(self, kind: str, **values: object) -> dict[str, Any]:
        """The first message from here on of this type with these values."""
        while True:
            message = await self.next()
            if message["type"] == kind and values.items() <= message.items():
                return message
            assert message["type"] != "closed", message

    def received(self) -> list[str]:
        """All texts about the table that have come, also those that were not asked for yet."""
        waiting: list[dict[str, Any]] = list(getattr(self.wire.output_queue, "_queue"))  # noqa: B009
        texts = [one["text"] for one in waiting if one["type"] == "websocket.send"]
        return self.frames + [text for text in texts if json.loads(text)["type"] not in ASIDES]

    async def waiting(self) -> list[dict[str, Any]]:
        """The messages that have come and were not asked for yet."""
        messages = list(self.kept)
        self.kept.clear()
        while not self.wire.output_queue.empty():
            messages.append(await self._take(self.wire.output_queue.get_nowait()))
        return [message for message in messages if message["type"] not in ASIDES]

    async def say(self, **message: object) -> None:
        await self.say_text(json.dumps(message))

    async def say_text(self, text: str) -> None:
        await self.wire.send_input({"type": "websocket.receive", "text": text})

    async def say_bytes(self, data: bytes) -> None:
        await self.wire.send_input({"type": "websocket.receive", "bytes": data})

    async def play(self, code: str, ply: int) -> None:
        await self.say(type="play", ply=ply, code=code)

    async def ending(self) -> tuple[str, int]:
        """The reason of the ``closing`` message that comes next, and the code of the close after
        it, which is the same."""
        message = await self.expect("closing")
        closed = await self.expect("closed")
        assert closed["code"] == message["code"]
        return message["reason"], message["code"]

    async def drop(self) -> None:
        """The connection is gone, as the server notices it."""
        await self.wire.send_input({"type": "websocket.disconnect", "code": 1001})
        await self.wire.wait(timeout=PATIENCE)


async def connected(table: Table, seat: int, said: int | None = None) -> Client:
    """A seat's browser on the line, its first snapshot read, and told to be there. ``said``: a page
    that has heard that much already."""
    query = VERSION if said is None else f"{VERSION}&said={said}"
    client = Client(table.code, await db(table.cookie)(seat), query=query)
    assert await client.connect()
    await client.expect("snapshot")
    await client.sees(seat, here=True)
    return client


async def all_connected(table: Table) -> list[Client]:
    """Everybody on the line, and told so."""
    seats = range(len((await db(table.at)()).seats))
    clients = [await connected(table, seat) for seat in seats]
    for client in clients:
        for seat in seats:
            await client.sees(seat, here=True)
    return clients


async def drop_all(clients: Iterable[Client]) -> None:
    for client in clients:
        if client.closed is None:
            await client.drop()
