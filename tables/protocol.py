"""The table's protocol: what a client may say, how it is read, and why a socket is closed.

`docs/protocol.md` tells it to people who write clients.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

VERSION = 1
"""Raised when a page of before could no longer understand the server; such a page is reloaded."""

LARGEST = 2_048
"""Characters of a message from a client."""
LARGEST_SIGNAL = 12_000
"""Characters of one that is passed on to another's page: what a browser says of its sound."""


@dataclass(frozen=True, slots=True)
class Play:
    """Play a code, answering a ply."""

    ply: int
    code: str


@dataclass(frozen=True, slots=True)
class NextDeal:
    """Deal the next deal, the last having ended at this ply."""

    ply: int


@dataclass(frozen=True, slots=True)
class Ping:
    """Is the server there, and which version is the newest?"""


@dataclass(frozen=True, slots=True)
class Sync:
    """Send the snapshot again, and the lines after ``said``: something was lost on the way."""

    said: int | None = None


@dataclass(frozen=True, slots=True)
class Say:
    """Say a line of chat; ``id`` is what the page calls it, so that it is said once."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Take another name."""

    name: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Be back in a minute, or be back."""

    on: bool


@dataclass(frozen=True, slots=True)
class Agree:
    """Say yes to ``again`` or ``reissue:<seat>``, or take one's word back (empty)."""

    to: str


@dataclass(frozen=True, slots=True)
class Concede:
    """Own up to signalling in the deal that was counted at this ply, or before it."""

    ply: int


@dataclass(frozen=True, slots=True)
class JoinCall:
    """Be in the voice call; ``id`` is what the page calls its part in it."""

    id: str


@dataclass(frozen=True, slots=True)
class LeaveCall:
    """Be in the call no more."""


@dataclass(frozen=True, slots=True)
class VoiceOff:
    """Switch voice off at this table, for good."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Pass this on to the page of seat ``to`` whose part in the call is ``id``."""

    to: int
    id: str
    kind: str
    text: str


Call = JoinCall | LeaveCall | VoiceOff | Signal
Command = Play | NextDeal | Concede | Ping | Sync | Say | Rename | Pause | Agree | Call
NAMES: dict[type, str] = {
    Play: "play",
    NextDeal: "deal",
    Concede: "concede",
    Ping: "ping",
    Sync: "sync",
    Say: "say",
    Rename: "rename",
    Pause: "pause",
    Agree: "agree",
    JoinCall: "call",
    LeaveCall: "call",
    VoiceOff: "call",
    Signal: "call",
}
"""What each is called on the wire, in its ``type`` and in the ``of`` of a refusal."""
AGREEMENT = re.compile(r"(again|reissue:[0-9])?", re.ASCII)
CLIENT = re.compile(r"[A-Za-z0-9._-]{1,40}", re.ASCII)
SIGNALS = ("offer", "answer", "candidates", "state", "bye")
"""What pages in the call say to each other: the first two are a browser's own description of its
sound; candidates are ways to it, a line each; then how it goes, and a farewell."""


class CloseCode:
    """Codes with which the server closes a socket, after a ``closing`` message that says why."""

    NOT_SEATED = 4401
    BANNED = 4403
    GONE = 4404
    MOVED = 4409
    TABS = 4423
    RESTART = 4412
    FLOOD = 4429


def parse(text: str | None) -> Command:
    """A client's message. ValueError for anything that is not exactly one of them."""
    if text is None or len(text) > LARGEST_SIGNAL:
        raise ValueError("size")
    command = _read(text)
    if len(text) > LARGEST and not isinstance(command, Signal):
        raise ValueError("size")
    return command


def _read(text: str) -> Command:
    try:
        data = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("depth") from None
    match data:
        case {"type": "play", "ply": int(ply), "code": str(code), **rest} if not rest:
            if type(ply) is int and 0 < len(code) <= 16 and code.isascii() and code.isprintable():
                return Play(ply, code)
        case {"type": "deal", "ply": int(ply), **rest} if not rest and type(ply) is int:
            return NextDeal(ply)
        case {"type": "concede", "ply": int(ply), **rest} if not rest and type(ply) is int:
            return Concede(ply)
        case {"type": "ping", **rest} if not rest:
            return Ping()
        case {"type": "sync", **rest} if not rest:
            return Sync()
        case {"type": "sync", "said": int(heard), **rest} if not rest and type(heard) is int:
            if heard >= 0:
                return Sync(heard)
        case {"type": "say", "id": str(id), "text": str(said), **rest} if not rest:
            if CLIENT.fullmatch(id):
                return Say(id, said)
        case {"type": "rename", "name": str(name), **rest} if not rest:
            return Rename(name)
        case {"type": "pause", "on": bool(on), **rest} if not rest:
            return Pause(on)
        case {"type": "agree", "to": str(to), **rest} if not rest and AGREEMENT.fullmatch(to):
            return Agree(to)
        case {"type": "call"}:
            return _call(data)
    raise ValueError("shape")


def _call(data: dict[str, Any]) -> Call:
    match data:
        case {"do": "join", "id": str(id)} if len(data) == 3 and CLIENT.fullmatch(id):
            return JoinCall(id)
        case {"do": "leave"} if len(data) == 2:
            return LeaveCall()
        case {"do": "off"} if len(data) == 2:
            return VoiceOff()
        case {"do": "signal", "to": int(to), "id": str(id), "kind": str(kind), "text": str(said)}:
            known = len(data) == 6 and kind in SIGNALS and CLIENT.fullmatch(id)
            # What browsers say of their sound is ASCII, so its size in bytes is known.
            if known and type(to) is int and 0 <= to <= 9 and said.isascii():
                return Signal(to, id, kind, said)
    raise ValueError("shape")


def parse_query(query: bytes) -> int | None:
    """How much of what was said a page has, from its socket's address; None for another version's
    page, which must be loaded anew."""
    found = re.fullmatch(rf"(v={VERSION}(&said=([0-9]{{1,15}}))?)?".encode(), query)
    return int(found[3] or 0) if found else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("doubled key")
    return dict(pairs)


def _none(constant: str) -> None:
    raise ValueError(constant)


def _small(digits: str) -> int:
    if len(digits) > 15:
        raise ValueError("number")
    return int(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_none, parse_int=_small)


def encode(message: dict[str, Any]) -> str:
    """A message as it goes over the wire."""
    return json.dumps(message, separators=(",", ":"))
