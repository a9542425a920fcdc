"""People at tables without a browser: real pages, real forms, real sockets.

A `Person` is one browser: it has cookies, at most one seat and at most one socket at a time. It
does what the page does and nothing a page could not do.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import re
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

PATIENCE = 30.0
"""Seconds after which something awaited is taken to be broken."""
GAME = "ristikontra"

Message = dict[str, Any]


class Turned(Exception):
    """A page that is not what was asked for: its status, and its heading."""

    def __init__(self, answer: httpx.Response) -> None:
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", answer.text, re.DOTALL)
        super().__init__(f"{answer.status_code} {html.unescape(heading[1]) if heading else ''}")
        self.status = answer.status_code


class Person:
    """One browser, at one address of the site, which ``trust`` believes when it speaks https.
    ``comes_from`` is an address of the loopback, for people who are to be told apart by theirs."""

    def __init__(
        self, site: str, trust: ssl.SSLContext | None = None, comes_from: str = "127.0.0.1"
    ) -> None:
        self.site = site
        self.trust = trust
        self.comes_from = comes_from
        # Without https there are no certificates to load.
        transport = httpx.AsyncHTTPTransport(verify=trust or False, local_address=comes_from)
        self.web = httpx.AsyncClient(trust_env=False, transport=transport, timeout=PATIENCE)
        self.code = ""
        self.page: Message = {}
        self.socket: ClientConnection | None = None
        self.listening: asyncio.Task[None] | None = None
        self.heard: deque[Message] = deque(maxlen=100)
        """What this connection has brought, the newest last."""
        self.snapshot: Message = {}
        self.here: list[Message] = []
        """Who is there, by seat, as last told."""
        self.said = 0
        self.lines: list[Message] = []
        """All lines told to this page, over all its connections."""
        self.close_code: int | None = None
        self.seen: dict[int, float] = {}
        """When each ply was first on this screen."""
        self.faults: list[str] = []
        """What no client should ever see."""
        self.secrets: set[str] = set()
        """What of this person must stand in no log."""
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.leave_site()

    async def leave_site(self) -> None:
        await self.hang_up()
        await self.web.aclose()

    # ---- pages ----

    async def get(self, path: str) -> httpx.Response:
        answer = await self.web.get(self.site + path)
        if answer.status_code != 200:
            raise Turned(answer)
        self.secrets |= set(self.web.cookies.values())
        return answer

    async def fill_in(self, path: str, **fields: str) -> str:
        """Fill in the form of a page and send it; where that leads."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', (await self.get(path)).text)
        return await self.post(path, token[1] if token else "", **fields)

    async def post(self, path: str, token: str, **fields: str) -> str:
        answer = await self.web.post(
            self.site + path,
            data={"csrfmiddlewaretoken": token, **fields},
            headers={"Origin": self.site, "Referer": self.site + path},
        )
        self.secrets |= {token, *self.web.cookies.values()}
        if answer.status_code != 302:
            raise Turned(answer)
        return answer.headers["Location"]

    async def open_table(self, name: str = "", game: str = GAME) -> None:
        """Open a table, as its host."""
        await self.look(await self.fill_in(f"/tables/new/{game}/", name=name))

    async def sit_down(self, invite: str, name: str = "") -> None:
        """Claim the seat of an invite."""
        self.secrets.add(invite.rstrip("/").rsplit("/", 1)[-1])
        await self.look(await self.fill_in(invite, name=name))

    async def take_over(self, other: Person) -> None:
        """Go on here where somebody sits, by the return link of that page."""
        path = urlsplit(other.page["comeBack"]).path
        self.secrets.add(path.rstrip("/").rsplit("/", 1)[-1])
        await self.look(await self.fill_in(path))

    async def look(self, path: str) -> None:
        """Load the table's page, which knows nothing of what was heard before."""
        text = (await self.get(path)).text
        self.said, self.lines = 0, []
        data = re.search(r'<script id="kp-page" type="application/json">(.*?)</script>', text)
        assert data, "the page has no data"
        self.page = json.loads(data[1])
        self.code = self.page["code"]

    async def leave(self) -> str:
        """Leave the table by its button; what came of it."""
        token = self.web.cookies["csrftoken"]
        left = await self.post(self.page["leave"], token, shown=self.status)
        return left.rstrip("/").rsplit("/", 1)[-1]

    def invites(self) -> list[str]:
        """The host's invites, as the newest snapshot has them."""
        found = [
            self.page["seats"][int(seat)]["invite"].replace("SIGNATURE", signature)
            for seat, signature in self.snapshot["invites"].items()
        ]
        self.secrets |= set(self.snapshot["invites"].values())
        return found

    # ---- the socket ----

    async def connect(self) -> None:
        """Connect, in place of any former socket, and wait for the table as it stands."""
        await self.hang_up()
        self.heard.clear()
        self.snapshot = {}
        self.close_code = None
        cookies = "; ".join(f"{name}={value}" for name, value in self.web.cookies.items())
        self.socket = await connect(
            f"{self.site.replace('http', 'ws', 1)}{self.page['socket']}&said={self.said}",
            origin=self.site,  # type: ignore[arg-type]
            additional_headers={"Cookie": cookies},
            compression=None,
            proxy=None,
            ssl=self.trust,
            local_addr=(self.comes_from, 0),
        )
        self.listening = asyncio.create_task(self._listen(self.socket))
        await self.until(lambda: self.snapshot or self.close_code, "a first snapshot")

    async def connect_again(self, seconds: float = PATIENCE) -> None:
        """Try to connect until the site is back, as the page does."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake):
                await self.connect()
            if self.snapshot:
                return
            if time.monotonic() > deadline:
                raise TimeoutError("the site has not come back")
            await asyncio.sleep(0.05)

    async def _listen(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                self._hear(json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            if socket is self.socket:
                self.close_code = socket.close_code
                self._news.set()

    def _hear(self, message: Message) -> None:
        now = time.perf_counter()
        if message["type"] == "snapshot":
            if message["version"] < self.snapshot.get("version", 0):
                self.faults.append("an older snapshot after a newer one")
            for ply in range(self.snapshot.get("ply", message["ply"] - 1) + 1, message["ply"] + 1):
                self.seen.setdefault(ply, now)
            self.snapshot = message
        if message["type"] == "here":
            self.here = message["seats"]
        elif message["type"] == "lines":
            self._listen_to(message)
        else:
            self.heard.append(message)
        self._news.set()

    def _listen_to(self, message: Message) -> None:
        self.said = message["said"]
        for line in message["lines"]:
            if self.lines and line["n"] <= self.lines[-1]["n"]:
                self.faults.append("a line twice or out of order")
            self.lines.append(line)

    async def hang_up(self) -> None:
        """Close the socket as a page that is left."""
        if self.socket is not None:
            await self.socket.close()
        await self._silence()

    async def drop(self) -> None:
        """Lose the connection without a word, whatever is still under way in it."""
        if self.socket is not None:
            self.socket.transport.abort()
        await self._silence()

    async def _silence(self) -> None:
        self.socket = None
        if self.listening is not None:
            self.listening.cancel()
            await asyncio.gather(self.listening, return_exceptions=True)
            self.listening = None

    async def say(self, **message: Any) -> None:
        assert self.socket is not None
        await self.socket.send(json.dumps(message))

    async def until(
        self, condition: Callable[[], object], what: str, seconds: float = PATIENCE
    ) -> None:
        """Wait for something that messages bring about."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise TimeoutError(f"not within {seconds} s: {what}; {self}") from None

    async def answer(self, kind: str, what: str = "", seconds: float = PATIENCE) -> Message:
        """The next message of a kind, or one that has come already and was not asked for yet."""
        await self.until(lambda: self._of(kind), what or f"a message {kind}", seconds)
        message = self._of(kind)[0]
        self.heard.remove(message)
        return message

    def _of(self, kind: str) -> list[Message]:
        return [message for message in self.heard if message["type"] == kind]

    # ---- the match ----

    @property
    def seat(self) -> int:
        return int(self.snapshot["you"])

    @property
    def ply(self) -> int:
        return int(self.snapshot["ply"])

    @property
    def status(self) -> str:
        return str(self.snapshot["status"])

    @property
    def turn(self) -> int | None:
        """Whose play is awaited; None between deals and when there is none."""
        seat: int | None = self.snapshot["view"]["turn"] if self.status == "playing" else None
        return seat

    def first_legal(self) -> str:
        return str(self.snapshot["view"]["legal"][0])

    async def play(self, ply: int, code: str) -> None:
        """Play, or play again: a play names the ply it answers."""
        await self.say(type="play", ply=ply, code=code)

    async def ask_for_deal(self, ply: int) -> None:
        await self.say(type="deal", ply=ply)

    async def until_said(self, text: str, seconds: float = PATIENCE) -> None:
        await self.until(
            lambda: text in [line.get("text") for line in self.lines], f"the line {text}", seconds
        )

    async def until_here(self, seat: int, here: bool, seconds: float = PATIENCE) -> None:
        """Wait until a seat is told to be here, or away."""
        await self.until(
            lambda: self.here and self.here[seat]["here"] == here, f"seat {seat} {here}", seconds
        )

    async def until_ply(self, ply: int, seconds: float = PATIENCE) -> None:
        await self.until(lambda: self.snapshot and self.ply >= ply, f"ply {ply}", seconds)

    def __str__(self) -> str:
        shown = {name: self.snapshot.get(name) for name in ("you", "ply", "version", "status")}
        return f"shown {shown}, closed {self.close_code}, heard {[m['type'] for m in self.heard]}"


# ---- four together -------------------------------------------------------------------------------


async def sit_together(people: list[Person]) -> list[Person]:
    """Four people open a table, sit down and connect; they stand in the order of their seats."""
    host, *guests = people
    await host.open_table()
    await host.connect()
    for guest, invite in zip(guests, host.invites(), strict=True):
        await guest.sit_down(invite)
        await guest.connect()
    await everybody_sees(people, 1)
    for person in people:
        await person.until_here(person.seat, True)
    return people


async def everybody_sees(people: Iterable[Person], ply: int, seconds: float = PATIENCE) -> None:
    await asyncio.gather(*(person.until_ply(ply, seconds) for person in people))


async def play_on(people: list[Person], plays: int = 1, seconds: float = PATIENCE) -> list[str]:
    """Whoever is on turn plays the first legal card, again and again, and everybody has to see each
    play in time; what was played. Between two deals somebody asks for the next."""
    played: list[str] = []
    while len(played) < plays:
        ply, turn = people[0].ply, people[0].turn
        if turn is None:
            await people[0].ask_for_deal(ply)
        else:
            played.append(people[turn].first_legal())
            await people[turn].play(ply, played[-1])
        await everybody_sees(people, ply + 1, seconds)
    return played
