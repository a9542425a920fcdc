"""The table's protocol: what a client may say, how it is read, and why a socket is closed.

`docs/protocol.md` tells it to people who write clients.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

VERSION = 1
"""Raised when a page of before could no longer understand the server; such a page is reloaded."""

LARGEST = 2_048
"""Characters of a message from a client."""


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
    """Send the snapshot again: one was lost on the way."""


Command = Play | NextDeal | Ping | Sync


class CloseCode:
    """Codes with which the server closes a socket, after a ``closing`` message that says why."""

    NOT_SEATED = 4401
    GONE = 4404
    MOVED = 4409
    RESTART = 4412
    FLOOD = 4429


def parse(text: str | None) -> Command:
    """A client's message. ValueError for anything that is not exactly one of the four."""
    if text is None or len(text) > LARGEST:
        raise ValueError("size")
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_none, parse_int=_small)
    except RecursionError:
        raise ValueError("depth") from None
    match data:
        case {"type": "play", "ply": int(ply), "code": str(code), **rest} if not rest:
            if type(ply) is int and 0 < len(code) <= 16 and code.isascii() and code.isprintable():
                return Play(ply, code)
        case {"type": "deal", "ply": int(ply), **rest} if not rest and type(ply) is int:
            return NextDeal(ply)
        case {"type": "ping", **rest} if not rest:
            return Ping()
        case {"type": "sync", **rest} if not rest:
            return Sync()
    raise ValueError("shape")


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


def encode(message: dict[str, Any]) -> str:
    """A message as it goes over the wire."""
    return json.dumps(message, separators=(",", ":"))
