"""Positions for the tests of the computers: tickets made to order, and what each seat has seen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from bots import computer
from bots.computer import PERSON, Ticket
from game.engine.base import thaw
from game.engine.ristikontra import Sheet, State
from game.tests.deals import GAME, shuffled, stack
from game.tests.naive import NaiveDeal

BARRED = (
    stack({0: "7C 7D 7H 7S 2C 2D", 1: "3C 3D 3H", 2: "5C 5D 5H", 3: "8C 8D 8H"}),
    ["7C", "3C", "5C", "8C", "7D", "3D", "5D", "8D", "7H", "3H", "5H", "8H"],
)
"""A pack and plays after which seat 0 leads, holds the last seven, and sevens are barred."""


def ticket(
    pack: Iterable[str],
    plays: Iterable[str] = (),
    sheet: Sheet = Sheet(dealer=3),  # noqa: B008 (frozen)
    secret: str = "0" * 64,
) -> Ticket:
    """A ticket for this deal. Unless told otherwise it is the first, and the person leads."""
    return Ticket(
        game=GAME.key,
        version=GAME.version,
        seats=4,
        options={},
        sheet=thaw(sheet),
        secret=secret,
        packs=1,
        pack=list(pack),
        plays=list(plays),
    )


def opened(seed: int, score: tuple[int, int] = (0, 0)) -> Ticket:
    """The first ticket of a match that is the same for the same seed, at this score."""
    sheet = Sheet(dealer=seed % 4, score=score)
    return ticket(shuffled(random.Random(seed)), (), sheet, f"{seed:064x}")


def steps(start: Ticket, seed: int = 0) -> Iterator[Ticket]:
    """The ticket and what it becomes step by step, without end; the person plays at random."""
    rng = random.Random(seed)
    while True:
        yield start
        state = state_of(start)
        mine = state.turn == PERSON
        start = computer.step(start, rng.choice(GAME.legal(state)) if mine else None)


def state_of(one: Ticket) -> State:
    """The state a ticket stands for."""
    _, state = computer.position(one)
    assert isinstance(state, State)
    return state


def first(start: Ticket, wanted: Callable[[State], bool]) -> Ticket:
    """The first ticket from this one on whose state is as wanted."""
    return next(one for one in steps(start) if wanted(state_of(one)))


def turn_of(seat: int | None) -> Callable[[State], bool]:
    """Whether it is this seat's turn; None when the deal is over."""
    return lambda state: state.turn == seat


def plain(one: Ticket) -> Any:
    """All that is in a ticket, in a form to compare: JSON knows no tuples."""
    return json.loads(json.dumps(asdict(one)))


def naive(one: Ticket) -> NaiveDeal:
    """The deal of a ticket in the model that shares nothing with the engine."""
    return replayed(one.pack, one.sheet["dealer"], one.plays)


def replayed(pack: Iterable[str], dealer: int, plays: Iterable[str]) -> NaiveDeal:
    deal = NaiveDeal(list(pack), dealer)
    for code in plays:
        deal.play(code)
    return deal


def face_up(deal: NaiveDeal) -> list[str]:
    """Every card that has been played in this deal, on the table or in the piles."""
    return [*(card for pile in deal.piles for card in pile), *(card for _, card, _ in deal.table)]


def disguised(rng: random.Random, pack: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The pack with all cards but the known ones changed round.

    When everything played is known, the same plays can be made with it.
    """
    cards = list(pack)
    hidden = [card for card in cards if card not in known]
    rng.shuffle(hidden)
    return tuple(card if card in known else hidden.pop() for card in cards)
