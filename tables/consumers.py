"""The table's socket: parse, one service call, answer. No rules and no writing live here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from functools import partial
from typing import Any

from tables import database, fast_path, gauges, ice, live, lobby, people, protocol
from tables.conf import setting
from tables.protocol import (
    NAMES,
    Agree,
    CloseCode,
    Concede,
    JoinCall,
    LeaveCall,
    NextDeal,
    Pause,
    Ping,
    Play,
    Rename,
    Say,
    Signal,
    Sync,
    VoiceOff,
    encode,
)
from tables.reading import at

log = logging.getLogger(__name__)

QUEUE = 16
"""Commands that may wait on one socket."""
OUTBOX = 64
"""Messages that may wait for one socket to take them, states counting once."""
SAVING = encode({"type": "saving"})
REFUSALS = {
    "gone": CloseCode.GONE,
    "not-seated": CloseCode.NOT_SEATED,
    "banned": CloseCode.BANNED,
}
"""Why a socket is not seated."""


def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Do this now as far as it goes; the rest, if it has to wait for something, is a task.

    As Python's eager tasks from 3.12 on, but that until it first waits it is no task: it may set no
    timeouts, and what it calls for servers' ``send`` sets none. Most of what is sent goes at once.
    """
    try:
        wait = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_rest(work, wait))


async def _rest(work: Coroutine[Any, Any, None], wait: Any) -> None:
    await _go_on(work, wait)  # which from Python 3.12 on is nothing that a task takes


@types.coroutine
def _go_on(work: Coroutine[Any, Any, None], wait: Any) -> Generator[Any, Any, None]:
    while True:
        try:
            came = yield wait
        except BaseException as error:
            go_on = partial(work.throw, error)
        else:
            go_on = partial(work.send, came)
        try:
            wait = go_on()
        except StopIteration:
            return


Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


class TableConsumer:
    """One browser at one seat: an ASGI application for one connection.

    None of Channels' consumers, because those wait for a database thread before every event and
    make two tasks for it, for channels that no socket needs: rings come by `tables.live`.
    """

    __slots__ = (
        "call",
        "closing",
        "code",
        "ended",
        "heard",
        "here",
        "holder",
        "match",
        "outbox",
        "parted",
        "sat",
        "seat",
        "seated",
        "send",
        "sent",
        "waiting",
        "worker",
        "writer",
        "writing",
    )

    def __init__(self, code: str, send: Send) -> None:
        self.code = code
        self.send = send
        self.seat = -1
        self.holder = self.here = self.call = ""
        self.match = self.sat = self.heard = 0
        self.sent = -1
        self.ended = self.seated = False
        self.parted = asyncio.get_running_loop().create_future()
        # Most sockets are quiet most of the time, so both tasks are there only while they are busy.
        self.waiting: list[protocol.Command] = []
        self.worker: asyncio.Task[None] | None = None
        # What waits to be sent, by kind or, for what no later message makes worthless, by itself.
        self.outbox: dict[object, str] = {}
        self.closing: int | None = None
        self.writing = False
        self.writer: asyncio.Task[None] | None = None

    @classmethod
    async def serve(cls, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve a connection to its end. However that comes, also by a broken database or a server
        that has lost patience, the socket is forgotten."""
        self = cls(scope["url_route"]["kwargs"]["code"], send)
        try:
            while (event := await receive())["type"] != "websocket.disconnect":
                if event["type"] == "websocket.connect":
                    await self.connect(scope["query_string"], scope["headers"])
                elif event["type"] == "websocket.receive":
                    self.receive(event.get("text"))
        finally:
            self.ended = True
            live.part(self)
            if self.worker is not None:  # what it does be done, but not for a database that is away
                await asyncio.wait([self.worker], timeout=1)
            if self.writer is not None:
                self.writer.cancel()
            self.parted.set_result(None)

    async def connect(self, query: bytes, headers: Headers) -> None:
        await self.send({"type": "websocket.accept"})
        asked = protocol.parse_query(query)
        if asked is None:
            self.put(encode({"type": "reload"}))
            self.end(CloseCode.RESTART, "reload")
            return
        self.heard = asked
        if live.draining():
            self.end(CloseCode.RESTART, "restart")
            return
        try:
            refusal = await database.call(self._sit, headers)
            if refusal:
                self.end(REFUSALS[refusal], refusal)
                return
            if live.draining():  # since this socket came; from here on it is bidden goodbye
                self.end(CloseCode.RESTART, "restart")
                return
            self.seated = True
            await live.join(self)
            await database.call(lobby.arrive, live.PROCESS, self._place())
            live.stir(self.code)
        except Exception as error:  # no database: the page comes again
            log.error("a socket could not be seated: %s", live.where(error))
            self.end(CloseCode.RESTART, "restart")

    def receive(self, text: str | None) -> None:
        if self.ended or not self.seated:
            return
        command: protocol.Command | None = None
        with contextlib.suppress(ValueError):
            command = protocol.parse(text)
        signal = isinstance(command, Signal) and bool(self.call)
        within = signal and live.may_signal(self)  # what goes beyond counts as anything else
        if not within and not live.may(self):
            self.end(CloseCode.FLOOD, "too-fast")
            return
        if command is None:
            self._refuse("message", "request")
            return
        if signal and not within:
            self._refuse("call", "too-fast")
            return
        if isinstance(command, Rename) and not live.may_rename(self):
            self._refuse("rename", "too-fast")
            return
        if isinstance(command, Ping):
            pong = {"type": "pong", "version": self.sent, "said": self.heard}
            self.put(encode(pong))
            return
        if len(self.waiting) >= QUEUE:
            self._refuse("message", "too-fast")
            return
        self.waiting.append(command)
        if self.worker is None:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    # ---- what tables.live asks of a socket ----

    def put(self, text: str, kind: str = "") -> None:
        if self.ended:
            return
        self.outbox[kind or object()] = text  # in the place of an older one of its kind
        self._send_out()
        if len(self.outbox) > OUTBOX:  # it does not read: when it does it comes anew
            self.end(CloseCode.RESTART, "slow")

    def end(self, code: int, reason: str) -> None:
        if self.ended:
            return
        self.outbox[object()] = encode({"type": "closing", "code": code, "reason": reason})
        self.closing = code
        self._send_out()
        self.ended = True
        live.part(self)

    async def settle(self) -> None:
        if self.worker is not None:
            await asyncio.wait([self.worker])

    async def gone(self) -> None:
        await asyncio.shield(self.parted)

    # ---- commands ----

    def _sit(self, headers: Headers) -> str | None:
        """Find out whose seat this is; a refusal code when it is nobody's here."""
        now = at(self.code)
        if now is None:
            return "gone"
        seat = now.seat_of(people.browser_of(people.session_of(headers)))
        if seat is None:
            return "not-seated"
        if now.seats[seat].shut_out:
            return "banned"
        self.seat, self.match, self.holder = seat, now.match, now.seats[seat].holder
        self.sat = now.version
        return None

    async def _work(self) -> None:
        """Carry out the commands that wait, one after the other."""
        while self.waiting and not self.ended:
            try:
                await self._carry_out(self.waiting.pop(0))
            except Exception as error:
                log.error("a command failed: %s", live.where(error))
                self._refuse("message", "fault")
        self.worker = None

    async def _carry_out(self, command: protocol.Command) -> None:
        if isinstance(command, Sync):
            self.heard = self.heard if command.said is None else command.said
            await live.resend(self)
            return
        loop = asyncio.get_running_loop()
        late = loop.call_later(setting("TABLES_DEADLINE"), self._tell_late)
        try:
            await self._call(command)
        except lobby.Refused as refused:
            facts = refused.facts | ({"id": command.id} if isinstance(command, Say) else {})
            self._refuse(NAMES[type(command)], refused.code, facts)
            if refused.code == "stale":
                live.ring(self.code)  # what made it so may be a commit that nobody was told of
                await live.resend(self)
            return
        finally:
            late.cancel()
        if isinstance(command, JoinCall):
            joined = {"type": "call", "do": "joined", "id": command.id}
            self.put(encode(joined | ice.servers(command.id)))

    async def _call(self, command: protocol.Command) -> None:
        if isinstance(command, Play):
            short = await fast_path.play(self._place(), command.ply, command.code)
            if not short:
                await database.call(self._serve, command)
            gauges.count(gauges.plays, "short" if short else "long")
        else:
            if isinstance(command, JoinCall):
                # Before others hear of it and answer, and so that it ends with this socket, however
                # long the database takes.
                self.call = command.id
            await database.call(self._serve, command)

    def _tell_late(self) -> None:
        log.warning("a command waits for the database")
        self.put(SAVING)

    def _serve(self, command: protocol.Command) -> None:
        place = self._place()
        match command:
            case Play(ply, code):
                lobby.play(place, ply, code)
            case NextDeal(ply):
                lobby.next_deal(place, ply)
            case Concede(ply):
                lobby.concede(place, ply)
            case Say(id, text):
                lobby.say(place, id, text)
            case Rename(name):
                lobby.rename(place, name)
            case Pause(on):
                lobby.pause(place, on)
            case Agree(to):
                lobby.agree(place, to)
            case JoinCall(id):
                lobby.join_call(live.PROCESS, place, id)
            case LeaveCall():
                lobby.leave_call(live.PROCESS, place, self.call)
                self.call = ""
            case Signal():
                lobby.pass_on(place, self.call, command)
            case VoiceOff():
                lobby.switch_voice_off(place)

    def _place(self) -> lobby.Place:
        return lobby.Place(self.code, self.match, self.seat, self.holder)

    def _refuse(self, of: str, code: str, facts: dict[str, Any] | None = None) -> None:
        gauges.count(gauges.refusals, code)
        self.put(encode({"type": "refused", "of": of, "code": code, "facts": facts or {}}))

    def _send_out(self) -> None:
        if not self.writing:
            self.writing = True
            self.writer = begin(self._write())

    async def transmit(self, text: str) -> None:
        await self.send({"type": "websocket.send", "text": text})

    async def _write(self) -> None:
        """Send what waits, and wait for nobody but this socket."""
        try:
            while self.outbox:
                await self.transmit(self.outbox.pop(next(iter(self.outbox))))
            if self.closing is not None:
                await self.send({"type": "websocket.close", "code": self.closing})
        except Exception as error:  # as a rule it is just closing; if not, its page comes again
            log.info("a socket could not be written to: %s", live.where(error))
            self.ended = True
            live.part(self)
            with contextlib.suppress(Exception):
                await self.send({"type": "websocket.close", "code": CloseCode.RESTART})
        self.writing = False
        self.writer = None


async def nowhere(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """What answers at an address that is no table's: it is not told what the address was."""
    await receive()
    await send({"type": "websocket.close"})
