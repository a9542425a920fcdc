"""The computer table: a ticket in, one step, a ticket out. The server keeps nothing.

The page's memory holds the whole match as a sealed *ticket*: encrypted, because it knows packs and
old tricks and the page must not, and authenticated, because the page could write one. Packs come
from a secret in the ticket, so that a step asked for again after a lost answer gives the same
result. Whoever keeps an old ticket can go back to it and so learn what comes next in a match
nobody else is part of; that is theirs to spoil.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import secrets
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from bots.policies import choose_play
from game.engine.base import BaseState, Illegal, Options, freeze, replay, thaw
from game.engine.cards import PACK
from game.engine.registry import AnyGame, find

PERSON = 0
"""The seat of the person; the computers have the others."""


@dataclass(frozen=True)
class Ticket:
    """A match at the computer table. ``packs`` counts the packs shuffled from ``secret`` so far."""

    game: str
    version: int
    seats: int
    options: dict[str, str | int]
    sheet: dict[str, Any]
    secret: str
    packs: int
    pack: list[str]
    plays: list[str]


def start(game: AnyGame, seats: int, options: Options) -> Ticket:
    """A new match, its first deal dealt. Illegal: ``seats``, ``option``."""
    sheet = game.open(seats, options, dealer=secrets.randbelow(seats))
    ticket = Ticket(
        game=game.key,
        version=game.version,
        seats=seats,
        options=dict(options),
        sheet=thaw(sheet),
        secret=secrets.token_hex(32),
        packs=0,
        pack=[],
        plays=[],
    )
    return _deal(ticket)


def step(ticket: Ticket, code: str | None) -> Ticket:
    """One step: the person's play ``code``, or without one a computer's play, the next deal, or
    (the match being over) the next match.

    Illegal: what the game says, ``your-turn``, ``not-your-turn``.
    """
    game, state = position(ticket)
    if code is not None:
        if state.turn is None:
            raise Illegal("deal-over")
        if state.turn != PERSON:
            raise Illegal("not-your-turn")
        game.play(state, code)
        return replace(ticket, plays=[*ticket.plays, code])
    if state.turn == PERSON:
        raise Illegal("your-turn")
    if state.turn is not None:
        return replace(ticket, plays=[*ticket.plays, choose_play(game, state)])
    sheet = game.settle(state)
    if game.result(sheet):
        sheet = game.reopen(sheet)
    return _deal(replace(ticket, sheet=thaw(sheet)))


def position(ticket: Ticket) -> tuple[AnyGame, BaseState]:
    """The game and the state a ticket stands for. Illegal: ``unknown-version``."""
    game = find(ticket.game, ticket.version)
    sheet = freeze(game.sheet_type, ticket.sheet)
    return game, replay(game, sheet, tuple(ticket.pack), ticket.plays)


def seal(ticket: Ticket) -> str:
    """The ticket as the page holds it: URL-safe text that says nothing."""
    data = {**asdict(ticket), "pack": " ".join(ticket.pack)}
    return _fernet().encrypt(json.dumps(data, separators=(",", ":")).encode()).decode()


def unseal(text: str, game: AnyGame) -> Ticket:
    """A ticket of this game from the page. Illegal: ``ticket-broken``, ``unknown-version``."""
    try:
        data = json.loads(_fernet().decrypt(text.encode("ascii")))
    except (InvalidToken, UnicodeEncodeError):
        raise Illegal("ticket-broken") from None
    try:
        ticket = Ticket(**{**data, "pack": data["pack"].split()})
    except (KeyError, TypeError):  # sealed by a release with other fields
        raise Illegal("unknown-version") from None
    if ticket.game != game.key:
        raise Illegal("ticket-broken")
    find(ticket.game, ticket.version)
    return ticket


def _deal(ticket: Ticket) -> Ticket:
    """The ticket with the next pack dealt. Random but repeatable: seeded by the ticket's secret."""
    seed = hashlib.sha256(f"{ticket.secret}/{ticket.packs}".encode()).digest()
    pack = random.Random(seed).sample(PACK, len(PACK))  # noqa: S311 (256 secret bits seed it)
    return replace(ticket, packs=ticket.packs + 1, pack=pack, plays=[])


def _fernet() -> MultiFernet:
    """Seals with the secret key, unseals with its fallbacks too."""
    return MultiFernet(
        [_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


@cache
def _key(secret: str) -> Fernet:
    derive = HKDF(SHA256(), length=32, salt=None, info=b"korttipoyta computer ticket")
    return Fernet(base64.urlsafe_b64encode(derive.derive(secret.encode())))
