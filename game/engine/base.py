"""What every game is: pure functions from a sheet, a pack and plays to a state.

A *sheet* is the score of a match between two deals: who deals next, what each side has, whether
somebody has won. A *deal* is a pack (52 cards in the order they lie) and the plays made with it
(short codes). Nothing else is ever stored: ``replay`` gives the state. Engines hold no randomness
and no clock: the shuffled pack and the first dealer are arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from game.engine.cards import is_pack

Options = Mapping[str, str | int]


class Illegal(Exception):
    """Something the rules do not allow: a ``reason`` from the game's list and its ``facts``.

    The reason is a code (``barred``, ``stock-empty`` …); whoever shows it to a person words it.
    """

    def __init__(self, reason: str, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


class BaseSheet(Protocol):
    """What every game's sheet tells."""

    @property
    def dealer(self) -> int:
        """The seat that deals next."""

    @property
    def deals(self) -> int:
        """How many deals have been counted."""


class BaseState(Protocol):
    """What every game's state tells."""

    @property
    def sheet(self) -> BaseSheet:
        """The score as it stood when the deal began."""

    @property
    def turn(self) -> int | None:
        """The seat whose play is awaited; None when the deal is over."""


Sheet = TypeVar("Sheet", bound=BaseSheet)
State = TypeVar("State", bound=BaseState)


class Game(Protocol[Sheet, State]):
    """A card game. Every method is pure; sheets and states are frozen and never changed."""

    key: ClassVar[str]
    version: ClassVar[int]
    """Raised only when plays already recorded would mean something else."""
    title: ClassVar[str]
    seats: ClassVar[tuple[int, ...]]
    """How many may play."""
    sides: ClassVar[int]
    """How many partnerships there are, seat s being of side s modulo this; 0 for each alone."""
    options: ClassVar[Mapping[str, tuple[str | int, ...]]]
    """The values each option may have, the default first."""
    board: ClassVar[str]
    """The static path of the module that draws its table. Empty: none yet, so no page offers it."""
    sheet_type: ClassVar[type[Any]]

    def open(self, seats: int, options: Options, dealer: int) -> Sheet:
        """The sheet of a new match, ``dealer`` dealing first. Illegal: see ``choose``."""

    def reopen(self, sheet: Sheet) -> Sheet:
        """The sheet of the next match by the same people: only whose deal it is is kept."""

    def deal(self, sheet: Sheet, pack: tuple[str, ...]) -> State:
        """The state after dealing. Illegal: ``pack``, ``match-over``."""

    def legal(self, state: State) -> list[str]:
        """The codes the seat on turn may play: the only authority on it."""

    def play(self, state: State, code: str) -> State:
        """The state after the seat on turn has played ``code``. Illegal says why not."""

    def count(self, state: State) -> dict[str, Any]:
        """What a finished deal counted, as the match record has it. Illegal: ``unfinished``."""

    def settle(self, state: State) -> Sheet:
        """The sheet after a finished deal. Illegal: ``unfinished``."""

    def result(self, sheet: Sheet) -> dict[str, Any] | None:
        """``{"outcome", "winner" or "reason", "score"}`` of a match that is over, else None."""

    def public(self, state: State) -> dict[str, Any]:
        """What lies open for every seat, ready for JSON."""

    def private(self, state: State, seat: int) -> dict[str, Any]:
        """What ``seat`` may know besides, ready for JSON: its own cards, what it may do."""

    def view(self, state: State, seat: int) -> dict[str, Any]:
        """All that ``seat`` may know: both of these. Nothing else of a state leaves the server."""

    def recall(self, state: State) -> list[str]:
        """The cards played face up in this deal: what a watchful player remembers. Never sent."""


def course(
    game: Game[Sheet, State], sheet: Sheet, pack: tuple[str, ...], plays: Iterable[str]
) -> Iterator[State]:
    """The state after dealing, and after each of the ``plays``. An Illegal carries ``play``: which
    it was, from 1."""
    state = game.deal(sheet, pack)
    yield state
    for number, code in enumerate(plays, start=1):
        try:
            state = game.play(state, code)
        except Illegal as illegal:
            illegal.facts["play"] = number
            raise
        yield state


def replay(
    game: Game[Sheet, State], sheet: Sheet, pack: tuple[str, ...], plays: Iterable[str]
) -> State:
    """The last state of a deal's ``course``."""
    *_, state = course(game, sheet, pack, plays)
    return state


def choose(game: Game[Any, Any], seats: int, options: Options, dealer: int) -> dict[str, str | int]:
    """The options with the defaults filled in. Illegal: ``seats``, ``dealer``, ``option``."""
    if seats not in game.seats:
        raise Illegal("seats", seats=seats)
    if dealer not in range(seats):
        raise Illegal("dealer", seat=dealer)
    for name, value in options.items():
        # The type is compared too: True is not 1.
        if not any(type(value) is type(one) and value == one for one in game.options.get(name, ())):
            raise Illegal("option", option=name, value=value)
    return {name: options.get(name, values[0]) for name, values in game.options.items()}


def check_deal(game: Game[Sheet, Any], sheet: Sheet, pack: tuple[str, ...]) -> None:
    """Whether this pack can be dealt now. Illegal: ``match-over``, ``pack``."""
    if game.result(sheet) is not None:
        raise Illegal("match-over")
    if not is_pack(pack):
        raise Illegal("pack")


def on_turn(state: BaseState) -> int:
    """The seat that plays now. Illegal: ``deal-over``."""
    if state.turn is None:
        raise Illegal("deal-over")
    return state.turn


def counted(state: BaseState, sheet: Sheet, seats: int, **changes: Any) -> Sheet:
    """The sheet with a finished deal counted: the next seat deals. Illegal: ``unfinished``."""
    if state.turn is not None:
        raise Illegal("unfinished")
    after: Sheet = dataclasses.replace(  # type: ignore[type-var]
        sheet, dealer=(sheet.dealer + 1) % seats, deals=sheet.deals + 1, **changes
    )
    return after


def freeze(sheet_type: type[Sheet], data: Mapping[str, Any]) -> Sheet:
    """A sheet from its JSON form (``dataclasses.asdict``)."""
    return sheet_type(**{name: _tuples(value) for name, value in data.items()})


def thaw(sheet: BaseSheet) -> dict[str, Any]:
    """A sheet's JSON form; ``freeze`` reads it."""
    return dataclasses.asdict(sheet)  # type: ignore[call-overload, no-any-return]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
