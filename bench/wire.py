"""The sockets of a load: WebSocket frames by hand, and of a message only what the next play needs.

Anything heavier would itself be what is measured.
"""

from __future__ import annotations

import asyncio
import base64
import os
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

PATIENCE = 30.0
"""Seconds after which a server that does not answer is an error."""


@dataclass(frozen=True)
class Door:
    """Where one seat's socket goes: a port of this machine, a path, and what the seat is known by.
    ``hello`` are the messages with which it begins, one after each answer (socket.io only)."""

    port: int
    path: str
    cookie: str = ""
    hello: tuple[str, ...] = ()


@dataclass(frozen=True)
class Load:
    """What to do: connect as many of the ``tables`` as each of the ``sizes`` says, more and more,
    and let all of them play for ``seconds`` each time (0: only connect). ``pause`` is how many
    seconds a table waits between plays. ``pids`` and ``metrics`` (ports) are the server's."""

    tables: list[list[Door]]
    sizes: list[int]
    seconds: float
    dialect: str = "site"
    pause: float = 0.0
    origin: str = ""
    deflate: bool = False
    pids: list[int] = field(default_factory=list)
    metrics: list[int] = field(default_factory=list)
    token: str = ""
    cores: list[int] = field(default_factory=list)


# ---- what is said --------------------------------------------------------------------------------


class Shown(NamedTuple):
    """What a message shows: the ply, and what this seat sends next if it is to do anything."""

    ply: int
    todo: bytes | None = None
    is_play: bool = False


PLY = re.compile(rb'"ply":(\d+)')
LEGAL = re.compile(rb'"legal":\[([^\]]+)\]')
TROUBLE = re.compile(rb'^\{"type":"(refused|closing|reload|bye)"')


def read_site(message: bytes) -> Shown | None:
    """A message of the site (docs/protocol.md), if it is a snapshot. RuntimeError: trouble."""
    if not message.startswith(b'{"type":"snapshot"'):
        if TROUBLE.match(message):
            raise RuntimeError(message[:300].decode())
        return None
    ply = _number(PLY, message)
    if legal := LEGAL.search(message):
        code = random.choice(legal[1].split(b","))  # noqa: S311 (no secret)
        return Shown(ply, b'{"type":"play","ply":%d,"code":%b}' % (ply, code), True)
    if b'"status":"over"' in message:
        return Shown(ply, b'{"type":"agree","to":"again"}')
    if b'"turn":null' in message and b'"you":0' in message:
        return Shown(ply, b'{"type":"deal","ply":%d}' % ply)
    return Shown(ply)


STATE = re.compile(rb'"_stateID":(\d+)')
MATCH = re.compile(rb'^42/cards,\["(?:sync|update)","([^"]+)"')
TURN = re.compile(rb'"currentPlayer":"(\d)"')
HAND = re.compile(rb'"players":\{"(\d)":\{"hand":\["([^"]+)"')


def read_boardgame(message: bytes) -> Shown | None:
    """A message of the boardgame.io server (bench/boardgame); None if it shows no state."""
    match = MATCH.match(message)
    if match is None:
        return None
    state, hand = _number(STATE, message), HAND.search(message)
    if hand is None or _number(TURN, message) != int(hand[1]):
        return Shown(state)
    action = b'{"type":"MAKE_MOVE","payload":{"type":"play","args":["%b"],"playerID":"%b"}}'
    parts = action % (hand[2], hand[1]), state, match[1], hand[1]
    return Shown(state, b'42/cards,["update",%b,%d,"%b","%b"]' % parts, True)


def _number(pattern: re.Pattern[bytes], message: bytes) -> int:
    found = pattern.search(message)
    if found is None:
        raise RuntimeError(f"a message without what is looked for: {message[:300].decode()}")
    return int(found[1])


DIALECTS: dict[str, Callable[[bytes], Shown | None]] = {
    "site": read_site,
    "boardgame": read_boardgame,
}


# ---- sockets -------------------------------------------------------------------------------------


def frame(payload: bytes, kind: int = 1) -> bytes:
    """A client's frame. Its mask is zero, which changes nothing and costs nothing."""
    size = len(payload)
    head = bytes((0x80 | kind, 0x80 | size)) if size < 126 else b""
    return (head or bytes((0x80 | kind, 0xFE)) + size.to_bytes(2, "big")) + bytes(4) + payload


def split(buffer: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The whole frames of a server in ``buffer``, each its first byte and payload; the rest."""
    frames, at, most = [], 0, len(buffer)
    while most - at >= 2:
        size, start = buffer[at + 1], at + 2
        if size >= 126:
            start += 2 if size == 126 else 8
            if start > most:
                break
            size = int.from_bytes(buffer[at + 2 : start], "big")
        if start + size > most:
            break
        frames.append((buffer[at], buffer[start : start + size]))
        at = start + size
    return frames, buffer[at:]


class Seat(asyncio.Protocol):
    """One socket, as a table has one for each seat."""

    transport: asyncio.Transport

    def __init__(self, table: Table, door: Door) -> None:
        self.table, self.door = table, door
        self.read = DIALECTS[table.load.dialect]
        self.hello = list(door.hello)
        self.buffer = b""
        self.upgraded = False
        self.inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self.shown = Shown(-1)
        self.seated: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def connect(self) -> None:
        """Connect, and wait for a first state."""
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, "127.0.0.1", self.door.port)
        await self.seated

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            *(f"GET {self.door.path} HTTP/1.1", f"Host: 127.0.0.1:{self.door.port}"),
            *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
            f"Sec-WebSocket-Key: {key}",
        ]
        if self.table.load.origin:
            lines.append(f"Origin: {self.table.load.origin}")
        if self.table.load.deflate:
            lines.append("Sec-WebSocket-Extensions: permessage-deflate")
        if self.door.cookie:
            lines.append(f"Cookie: {self.door.cookie}")
        self.transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        try:
            if not self.upgraded:
                head, ended, rest = self.buffer.partition(b"\r\n\r\n")
                if not ended:
                    return
                if b" 101 " not in head[:16]:
                    raise RuntimeError(head.partition(b"\r\n")[0].decode())
                self.upgraded, self.buffer = True, rest
            frames, self.buffer = split(self.buffer)
            for first, payload in frames:
                self.hear(first, payload)
        except Exception as error:
            self.fail(error)

    def hear(self, first: int, payload: bytes) -> None:
        kind = first & 0x0F
        if kind == 9:
            self.transport.write(frame(payload, 10))
        if kind == 8:
            raise RuntimeError(f"closed: {int.from_bytes(payload[:2], 'big')}")
        if kind != 1:
            return
        counts = self.table.counts
        size = len(payload) + (2 if len(payload) < 126 else 4)
        counts["bytes"] += size
        if first & 0x40:
            payload = self.inflate.decompress(payload + b"\x00\x00\xff\xff")
            counts["deflated"] += 1
        if payload == b"2":  # engine.io's ping
            self.transport.write(frame(b"3"))
        shown = self.read(payload)
        if shown is None:
            if self.hello:
                self.transport.write(frame(self.hello.pop(0).encode()))
            return
        counts["states"] += 1
        counts["state_bytes"] += size
        if shown.ply > self.shown.ply:
            self.shown = shown
            if not self.seated.done():
                self.seated.set_result(None)
            self.table.saw(shown.ply)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.table.leaving:
            self.fail(error or RuntimeError("the connection was lost"))

    def fail(self, error: Exception) -> None:
        if not self.seated.done():
            self.seated.set_exception(error)
        self.table.counts[f"error {error}"] += 1
        self.table.leaving = True
        self.transport.abort()


class Table:
    """Some seats, of which one plays when all of them have seen the play before."""

    def __init__(self, load: Load, doors: list[Door]) -> None:
        self.load = load
        self.counts = Counter[str]()
        self.latencies: list[float] = []
        self.seats = [Seat(self, door) for door in doors]
        self.running = self.leaving = False
        self.awaited, self.missing = -1, 0
        self.sent = 0.0
        self.is_play = False
        self.loop = asyncio.get_running_loop()

    async def connect(self) -> None:
        for seat in self.seats:
            await asyncio.wait_for(seat.connect(), PATIENCE)

    def go(self) -> None:
        """Do what is to be done next, if anything still is."""
        if not self.running or self.leaving:
            return
        ply = self.seats[0].shown.ply
        todo = [seat for seat in self.seats if seat.shown.todo is not None]
        self.awaited, self.missing = ply + 1, len(self.seats)
        self.is_play = bool(todo) and todo[0].shown.is_play
        self.sent = time.perf_counter()
        for seat in todo:
            seat.transport.write(frame(seat.shown.todo or b""))

    def saw(self, ply: int) -> None:
        if ply != self.awaited:
            return
        self.missing -= 1
        if self.missing:
            return
        if self.is_play and self.running:
            self.latencies.append(time.perf_counter() - self.sent)
        if self.load.pause:
            self.loop.call_later(self.load.pause, self.go)
        else:
            self.go()
