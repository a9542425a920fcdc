"""The sockets of this process, by table, and how news reaches them.

After a commit the table is *rung*: one delivery task per table reads it once and sends every socket
its own seat's complete snapshot; rings that come meanwhile are one more round, not one each. A play
that went the short way (`tables.fast_path`) is shown without reading. Other processes are told
which table has changed and, of plays, what lies on the table for all to see; never what a seat
holds. A ring that is lost is made good by the next *pulse*, which compares the versions of all
tables here with what their sockets were sent.

What pages in a voice call say to each other goes through here too. It is kept nowhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import random
import signal
import threading
import time
import traceback
import uuid
from collections import defaultdict
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from channels.layers import InMemoryChannelLayer, get_channel_layer

from game import matches
from game.engine.base import Illegal
from game.models import Match
from tables import database, gauges, presence, reading
from tables.conf import setting
from tables.protocol import CloseCode, encode
from tables.reading import LINES, Picture, lines

log = logging.getLogger(__name__)

GROUP = "korttipoyta.rings"
PROCESS = uuid.uuid4().hex
SOCKETS = 8
"""Tabs one seat may have open in one process."""
RATE: float = setting("TABLES_RATE")
BURST: float = setting("TABLES_BURST")
"""Messages a second that a seat may send, and how many at once."""
SIGNAL_RATE, SIGNAL_BURST = 8.0, 64.0
"""The same for what it says to others in the call, which is not counted among those."""
NAME_RATE, NAME_BURST = 0.2, 6.0
"""The same for new names."""
LINES_SIZE = 12_000
"""Bytes that the lines in one message have at most."""
TOGETHER = 0.05
"""Seconds for which it is collected who has come and gone."""
BYE_SPREAD = 3.0
"""Seconds over which clients of a stopping process come back, each at a moment of its own."""


class Socket(Protocol):
    """What a consumer lets this module do with it. ``sat`` is the version at which its seat was
    found to be its own, ``sent`` the version last sent, ``heard`` the number of the line of chat,
    ``here`` what was last said of who is here, ``call`` what its page calls its part in the voice
    call (empty: it takes none)."""

    code: str
    match: int
    seat: int
    holder: str
    sat: int
    sent: int
    heard: int
    here: str
    call: str

    def put(self, text: str, kind: str = "") -> None:
        """Send a message, as soon as the socket takes it and without waiting for that. One of the
        same ``kind`` that still waits is not sent any more."""

    def end(self, code: int, reason: str) -> None:
        """Say why, and close, in the same way."""

    async def settle(self) -> None:
        """Wait until the commands under way are answered."""

    async def gone(self) -> None:
        """Wait until the connection is closed."""


Played = tuple[int, str]
"""The version that a play has led to, and its code."""
Buckets = dict[tuple[str, int], tuple[float, float]]
"""Of each seat how many tokens it has, and when they were counted."""


class _Here:
    """This process: its event loop, its sockets, its tasks."""

    loop: asyncio.AbstractEventLoop | None = None
    draining = False

    def __init__(self) -> None:
        self.begin(None)

    def begin(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Start afresh in a loop: a server has one for life, tests have many."""
        self.loop = loop
        # Of each table the sockets in the order they came (a dictionary is an ordered set).
        self.sockets: dict[str, dict[Socket, None]] = defaultdict(dict)
        self.pictures: dict[str, Picture] = {}
        self.dirty: set[str] = set()
        self.delivering: set[str] = set()
        self.stirred: set[str] = set()
        # What other processes are to be told as soon as they have been told the last.
        self.untold: dict[tuple[str, str], list[Played] | None] = {}
        self.telling = False
        self.going: set[tuple[str, int]] = set()
        self.tokens: Buckets = {}
        self.signal_tokens: Buckets = {}
        self.name_tokens: Buckets = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.channel = ""
        self.draining = False


_here = _Here()


def counted() -> dict[str, int]:
    """How many sockets each table has here: for tests and metrics."""
    return {code: len(sockets) for code, sockets in _here.sockets.items()}


def draining() -> bool:
    """Whether this process is about to stop and takes no more sockets."""
    return _here.draining


# ---- joining and leaving -------------------------------------------------------------------------


async def join(socket: Socket) -> None:
    """Count a socket among its table's and send it the snapshot."""
    _start()
    sockets = _here.sockets[socket.code]
    same = [one for one in sockets if one.seat == socket.seat]
    for one in same[: max(0, len(same) - SOCKETS + 1)]:  # the oldest
        one.end(CloseCode.TABS, "tabs")
    _here.sockets[socket.code][socket] = None
    await _deliver(socket.code, only=socket)


def part(socket: Socket) -> None:
    """Forget a socket."""
    sockets = _here.sockets.get(socket.code)
    if sockets is None or socket not in sockets:
        return
    del sockets[socket]
    if not sockets:
        del _here.sockets[socket.code]
        _here.pictures.pop(socket.code, None)
    if not _here.draining and not _has(socket.code, socket.seat):
        _task(_depart(socket.code, socket.seat))
    elif not _here.draining and socket.call:
        _task(_hang_up(socket.code, socket.seat, socket.call))


def _has(code: str, seat: int) -> bool:
    return any(socket.seat == seat for socket in _here.sockets.get(code, ()))


async def _depart(code: str, seat: int) -> None:
    """A seat's last page here has gone; unless it comes back at once, its holder is away."""
    _here.going.add((code, seat))  # and the pulse renews it until then
    await asyncio.sleep(setting("TABLES_GRACE"))
    _here.going.discard((code, seat))
    if not _has(code, seat):
        _here.tokens.pop((code, seat), None)
        _here.signal_tokens.pop((code, seat), None)
        _here.name_tokens.pop((code, seat), None)
        await database.call(presence.depart, PROCESS, code, seat)
        stir(code)
        await database.call(_look_again, [code])


async def _hang_up(code: str, seat: int, call: str) -> None:
    """A page that was in the call has gone, and others of its seat are still here; unless it comes
    back at once, it is in the call no more."""
    await asyncio.sleep(setting("TABLES_GRACE"))
    sockets = _here.sockets.get(code, ())
    if not any(socket.seat == seat and socket.call == call for socket in sockets):
        await database.call(presence.leave_call, PROCESS, code, seat, call)
        stir(code)


def may(socket: Socket) -> bool:
    """Whether one more message of this seat, whichever of its sockets it comes by, is within the
    rate: a token bucket."""
    return _take(_here.tokens, socket, RATE, BURST)


def may_signal(socket: Socket) -> bool:
    """The same for what it says to others in the call."""
    return _take(_here.signal_tokens, socket, SIGNAL_RATE, SIGNAL_BURST)


def may_rename(socket: Socket) -> bool:
    """The same for other names, each of which the whole table is told."""
    return _take(_here.name_tokens, socket, NAME_RATE, NAME_BURST)


def _take(buckets: Buckets, socket: Socket, rate: float, burst: float) -> bool:
    now = time.monotonic()
    tokens, counted = buckets.get((socket.code, socket.seat), (burst, now))
    tokens = min(burst, tokens + (now - counted) * rate) - 1
    buckets[socket.code, socket.seat] = max(tokens, -1.0), now
    return tokens >= 0


def when_away(look: Callable[[list[str]], None]) -> None:
    """Have ``look`` called, in the database's thread, with the codes of tables that somebody may
    have gone from: what the others have agreed may hold without them."""
    _looks.append(look)


_looks: list[Callable[[list[str]], None]] = []


def _look_again(codes: list[str]) -> None:
    for look in _looks:
        look(codes)


async def resend(socket: Socket) -> None:
    """Send one socket the snapshot, whether or not it has it."""
    await _deliver(socket.code, only=socket, again=True)


# ---- ringing -------------------------------------------------------------------------------------


def ring(code: str) -> None:
    """Tell every process that a table has changed. From any thread; blocks nobody."""
    _tell("ring", code)


def stir(code: str) -> None:
    """Tell every process that somebody has come to a table or gone, in the same way."""
    _tell("stir", code)


def _tell(what: str, code: str) -> None:
    loop = _here.loop
    if loop is not None and not loop.is_closed():
        # In a context of its own: the caller's may be a request's, which belongs to its thread.
        loop.call_soon_threadsafe(_told_here, what, code, context=contextvars.Context())
    else:
        _away(what, code)


def _told_here(what: str, code: str) -> None:
    _mark(what, code)
    _tell_others(what, code)


def _tell_others(what: str, code: str, played: Played | None = None) -> None:
    """Ring them for a table: to read it, or, if nothing else has happened, to add a play."""
    layer = get_channel_layer()
    if layer is None or isinstance(layer, InMemoryChannelLayer):
        return
    known = _here.untold.get((what, code), [])
    more = None if known is None or played is None else [*known, played]
    _here.untold[what, code] = more
    if not _here.telling:
        _here.telling = True
        _task(_send_all(layer))


async def _send_all(layer: Any) -> None:
    """Tell it, and then in one message what is to be told meanwhile."""
    try:
        while untold := _here.untold:
            _here.untold = {}
            try:
                await _send(layer, [[what, code, plays] for (what, code), plays in untold.items()])
            except Exception as error:  # the pulse makes it good
                log.error("other processes could not be rung: %s", where(error))
    finally:
        _here.telling = False


async def _send(layer: Any, rings: list[list[Any]]) -> None:
    gauges.count(gauges.rings, "away")
    with gauges.layer.timed():
        await layer.group_send(GROUP, {"type": "rings", "rings": rings, "from": PROCESS})


def _away(what: str, code: str) -> None:
    """Ring from a process without sockets: only the others are told, by a thread of its own."""
    layer = get_channel_layer()
    if layer is None or isinstance(layer, InMemoryChannelLayer):
        return

    threading.Thread(
        target=lambda: asyncio.run(_send(layer, [[what, code, None]])), daemon=True
    ).start()


def relay(code: str, to: int, call: str, signal: dict[str, Any]) -> None:
    """Bring a signal to the page of seat ``to`` whose part in the call is ``call``, wherever its
    socket is. From any thread; blocks nobody. One that finds nobody is lost."""
    loop = _here.loop
    if loop is not None and not loop.is_closed():
        context = contextvars.Context()
        loop.call_soon_threadsafe(_relay_here, code, to, call, signal, context=context)


def _relay_here(code: str, to: int, call: str, signal: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if _hand_over(code, to, call, signal) or layer is None:
        return
    if not isinstance(layer, InMemoryChannelLayer):
        message = {"type": "signal", "table": code, "to": to, "call": call, "signal": signal}
        _task(layer.group_send(GROUP, message | {"from": PROCESS}))


def _hand_over(code: str, to: int | None, call: str, signal: dict[str, Any]) -> bool:
    """Give a signal to the sockets here that it is for; whether there are any."""
    sockets = [one for one in _here.sockets.get(code, ()) if (one.seat, one.call) == (to, call)]
    for socket in sockets:
        socket.put(encode({"type": "call", "do": "signal"} | signal))
    return bool(sockets)


def _mark(what: str, code: str) -> None:
    if code not in _here.sockets:
        return
    if what == "stir":
        if not _here.stirred:
            _task(_tell_presence())
        _here.stirred.add(code)
        return
    gauges.count(gauges.rings, "here")
    _here.dirty.add(code)
    if code not in _here.delivering:
        _here.delivering.add(code)
        _task(_deliver_all(code))


async def _tell_presence() -> None:
    """Tell the tables that were stirred who is there; what stirs meanwhile is another round. All
    who come back at once, to whatever tables, are one reading."""
    await asyncio.sleep(TOGETHER)
    codes = list(_here.stirred)
    _here.stirred.clear()
    await _deliver_presence(codes)


async def _deliver_presence(codes: list[str]) -> None:
    """Read who is at these tables, and tell the sockets that were told otherwise."""
    told: dict[str, str] = await database.call(presence.told, codes)
    for code, text in told.items():
        for socket in list(_here.sockets.get(code, ())):
            if socket.here != text:
                socket.here = text
                socket.put(text, "here")


async def _deliver_all(code: str) -> None:
    try:
        while code in _here.dirty:
            _here.dirty.discard(code)
            await _deliver(code)
    finally:
        _here.delivering.discard(code)


async def _deliver(code: str, only: Socket | None = None, again: bool = False) -> None:
    """Read the table once and send what is new to its sockets here, or to one of them.

    ``again`` sends a version that was sent already, but never one older than that: another
    delivery may have waited at a slow socket in the meantime.
    """
    try:
        picture: Picture | None = await database.call(reading.picture, code)
    except Illegal:  # an engine newer or older than this process knows
        for socket in [only] if only else list(_here.sockets.get(code, ())):
            socket.put('{"type":"reload"}', "reload")
        return
    if picture is None:
        for socket in [only] if only else list(_here.sockets.get(code, ())):
            socket.end(CloseCode.GONE, "gone")
        return
    said = picture.at.said
    sockets = [only] if only else list(_here.sockets.get(code, ()))
    since = min((socket.heard for socket in sockets), default=said)
    news = await database.call(lines, code, since) if since < said else []
    for socket in _show(picture, sockets, again):
        if since <= socket.heard < said:  # else it has asked for more meanwhile
            texts = _lines(socket, said, news)
            socket.heard = said
            for text in texts:
                socket.put(text)


def _show(picture: Picture, sockets: list[Socket], again: bool = False) -> list[Socket]:
    """Send each of these sockets its seat's snapshot, if it is new to it; those that still are
    their seats', the others being closed."""
    at = picture.at
    known = _here.pictures.get(at.code)
    if at.code in _here.sockets and (known is None or known.at.version < at.version):
        _here.pictures[at.code] = picture
    mine, behind = [], []
    for socket in sockets:
        if at.version < socket.sat:
            continue  # its seat was another's then
        seat = at.seats[socket.seat]
        if not seat.holder:
            socket.end(CloseCode.MOVED, "freed")
        elif seat.holder != socket.holder:
            socket.end(CloseCode.MOVED, "moved")
        elif seat.shut_out:
            socket.end(CloseCode.BANNED, "banned")
        else:
            mine.append(socket)
            if at.version >= socket.sent:
                socket.match = at.match
            if at.version > socket.sent or (again and at.version == socket.sent):
                behind.append(socket)
    texts = picture.snapshots({socket.seat for socket in behind}) if behind else {}
    for socket in behind:
        socket.sent = at.version
        socket.put(texts[socket.seat], "snapshot")
    return mine


def picture(code: str) -> Picture | None:
    """The newest picture of a table that a socket here was shown, if it has any. Something may have
    changed since."""
    return _here.pictures.get(code)


def show(picture: Picture, card: str) -> None:
    """Show a table as a play that is committed has left it: to its sockets here at once, while the
    other processes are told of it."""
    code, played = picture.at.code, (picture.at.version, card)
    _remember(picture)
    gauges.count(gauges.rings, "here")
    _show(picture, list(_here.sockets.get(code, ())))
    _tell_others("ring", code, played)


def _remember(picture: Picture) -> None:
    if picture.position is not None:
        matches.remember(picture.position)


def _hear(rings: Any) -> None:
    """What another process has told. What is no ring is none."""
    for ring in rings if isinstance(rings, list) else ():
        match ring:
            case ["ring" | "stir" as what, str(code), plays]:
                gauges.count(gauges.rings, "heard")
                if not (isinstance(plays, list) and _follow(code, plays)):
                    _mark(what, code)


def _follow(code: str, plays: list[Any]) -> bool:
    """Show plays that others have committed, each made to the version before its own; False: the
    table must be read, because something else has happened or was never heard of."""
    seen = _here.pictures.get(code)
    for play in plays:
        match play:
            case [int(version), str(card)] if seen is not None:
                if version <= seen.at.version:
                    continue
                if version > seen.at.version + 1:
                    return False
                try:
                    seen = seen.played(card)
                except Illegal:
                    return False
            case _:
                return False
    if seen is None:
        return False
    _remember(seen)
    gauges.count(gauges.rings, "here")
    # Also what this process had: perhaps only one socket was shown it, which came just then.
    _show(seen, list(_here.sockets.get(code, ())))
    return True


def _lines(
    socket: Socket, said: int, news: list[tuple[int, int, dict[str, Any], str]]
) -> list[str]:
    """The messages with the lines that a socket has not had; its own with what its page calls
    them. ``said`` counts lines committed when the table was read; a later one comes later. Servers
    send no message that is larger than they would take, so that many lines are several."""
    told = [
        (changed, line | ({"id": client} if seat == socket.seat else {}))
        for changed, seat, line, client in news
        if socket.heard < changed <= said
    ]
    parts: list[tuple[int, list[dict[str, Any]]]] = []
    size = 0
    for changed, line in told[-LINES:]:
        weight = len(encode(line).encode())
        if not parts or size + weight > LINES_SIZE:
            parts.append((changed, []))
            size = 0
        size += weight
        parts[-1] = (changed, [*parts[-1][1], line])
    *first, (_, last) = parts or [(said, [])]
    messages: list[dict[str, Any]] = [
        *({"type": "lines", "said": to, "lines": some, "more": True} for to, some in first),
        {"type": "lines", "said": said, "lines": last},
    ]
    if len(told) > LINES:  # what was read one too many tells that there were more
        messages[0]["missed"] = True
    return [encode(message) for message in messages]


# ---- the tasks of a process ----------------------------------------------------------------------


def _start() -> None:
    """Begin the pulse and the listening, once, in the loop that has the first socket."""
    loop = asyncio.get_running_loop()
    if _here.loop is loop:
        return
    _here.begin(loop)
    _task(_pulse())
    layer = get_channel_layer()
    if layer is not None and not isinstance(layer, InMemoryChannelLayer):
        _task(_listen(layer))
    if threading.current_thread() is threading.main_thread():
        _drain_on_sigterm(loop)


def _task(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.ensure_future(work)
    _here.tasks.add(task)
    task.add_done_callback(_done)


def _done(task: asyncio.Task[None]) -> None:
    _here.tasks.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.error("a task failed: %s", where(error))


def where(error: BaseException) -> str:
    """What happened and where, for the log: never the message, which may hold a card."""
    places = traceback.extract_tb(error.__traceback__)
    return type(error).__name__ + "".join(f" {Path(p.filename).name}:{p.lineno}" for p in places)


async def _pulse() -> None:
    """Compare versions every few seconds, and deliver what a lost ring has left behind."""
    while True:
        await asyncio.sleep(setting("TABLES_PULSE"))
        codes = list(_here.sockets)
        if not codes:
            continue
        seats = {(code, one.seat) for code in codes for one in _here.sockets.get(code, ())}
        seats |= _here.going
        try:
            await database.call(presence.renew, PROCESS, seats)
            newest = await database.call(_newest, codes)
            await _deliver_presence(codes)
        except Exception as error:
            log.error("the pulse could not read: %s", where(error))
            continue
        for code in codes:
            version, said = newest.get(code, (2**62, 0))
            sockets = _here.sockets.get(code, {})
            if any(socket.sent < version or socket.heard < said for socket in sockets):
                gauges.count(gauges.heals)
                _mark("ring", code)
        try:
            await database.call(_look_again, codes)
        except Exception as error:
            log.error("the pulse could not look at what is agreed: %s", where(error))


def _newest(codes: list[str]) -> dict[str, tuple[int, int]]:
    """Of each table its version and how much has been said at it."""
    rows = Match.objects.filter(table__code__in=codes)
    newest = rows.values_list("table__code", "version", "said")
    return {code: (version, said) for code, version, said in newest}


async def _listen(layer: Any) -> None:
    """Hear the rings of other processes; a layer that is away is tried again."""
    # One name for life: a new one at each turn would stay in the group beside the old ones.
    name = _here.channel = await layer.new_channel("korttipoyta")
    now = asyncio.get_running_loop().time
    # A cancellation that meets a message just as it comes may be swallowed below.
    while not _here.draining:
        try:
            await layer.group_add(GROUP, name)
            joined = now()
            while now() < joined + setting("TABLES_LISTEN") and not _here.draining:
                try:
                    async with asyncio.timeout(setting("TABLES_LISTEN")):
                        message = await layer.receive(name)
                except TimeoutError:
                    break
                what = message.get("type")
                if message.get("from") == PROCESS:
                    continue
                if what == "rings":
                    _hear(message.get("rings"))
                elif what == "signal" and isinstance(message.get("signal"), dict):
                    table, call = str(message.get("table")), str(message.get("call"))
                    _hand_over(table, message.get("to"), call, message["signal"])
        except Exception as error:
            log.error("the channel layer is away: %s", where(error))
            await asyncio.sleep(1)


async def _stop_listening(layer: Any) -> None:
    """Nobody need ring this process any more: else its place in the group stays for a day."""
    with contextlib.suppress(Exception):  # without the layer it does
        async with asyncio.timeout(1):
            await layer.group_discard(GROUP, _here.channel)


# ---- stopping ------------------------------------------------------------------------------------


def _drain_on_sigterm(loop: asyncio.AbstractEventLoop) -> None:
    """On SIGTERM say goodbye to every socket first, then let the server stop as it would."""
    server_handler: Any = signal.getsignal(signal.SIGTERM)
    if not callable(server_handler):
        return  # no server: a test, or a command

    def on_sigterm(number: int, frame: FrameType | None) -> None:
        def stop() -> None:
            server_handler(number, frame)

        loop.call_soon_threadsafe(lambda: _task(_drain(stop)))

    signal.signal(signal.SIGTERM, on_sigterm)


async def _drain(stop: Callable[[], None]) -> None:
    """Finish what is under way, tell every client when to come back, close, stop."""
    if _here.draining:
        return
    _here.draining = True
    tables = [(code, list(sockets)) for code, sockets in _here.sockets.items()]
    try:
        await asyncio.wait_for(
            asyncio.gather(*(_goodbye(*table) for table in tables), return_exceptions=True),
            timeout=setting("TABLES_DRAIN"),
        )
    except TimeoutError:
        log.error("some sockets did not take their leave in time")
    with contextlib.suppress(Exception):  # else the lease tells
        departs = database.call(presence.depart_all, PROCESS)
        await asyncio.wait_for(departs, timeout=setting("TABLES_DRAIN"))
    # What still waits when the interpreter ends may bring it down.
    others = _here.tasks - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=2)
    if _here.channel:
        await _stop_listening(get_channel_layer())
    stop()


async def _goodbye(code: str, sockets: list[Socket]) -> None:
    """See a table's sockets off: what they asked is answered, and all have seen the last play."""
    await asyncio.gather(*(socket.settle() for socket in sockets))
    with contextlib.suppress(Exception):  # without a database they go all the same
        await _deliver(code)
    for socket in sockets:
        after = round(random.uniform(0, BYE_SPREAD), 1)  # noqa: S311 (spreads them, guards nothing)
        socket.put(f'{{"type":"bye","after":{after}}}')
        socket.end(CloseCode.RESTART, "restart")
    await asyncio.gather(*(socket.gone() for socket in sockets))
