"""Third: five cards each, follow suit, the highest card of the led suit takes the trick.

Two or three seats, each for itself. The first to have as many tricks as agreed, and more than
anybody else, wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from django.utils.translation import gettext_lazy as _

from game.engine.base import Illegal, Options, check_deal, choose, counted, on_turn
from game.engine.cards import PACK, RANKS, deal_out, in_suits, rank, without
from game.words import Option, Words

HAND = 5


class Play(NamedTuple):
    """A card on the table and whose it is."""

    seat: int
    card: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score between two deals: tricks by seat, and how many are wanted."""

    dealer: int
    score: tuple[int, ...]
    goal: int
    deals: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A deal in progress. ``shown`` are the cards of finished tricks, ``takers`` who took them."""

    sheet: Sheet
    hands: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]
    turn: int | None
    trick: tuple[Play, ...] = ()
    last: tuple[Play, ...] = ()
    shown: tuple[str, ...] = ()
    takers: tuple[int, ...] = ()


class Third:
    """The game as `game.engine.base.Game` asks for it."""

    key: ClassVar[str] = "third"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Third"
    seats: ClassVar[tuple[int, ...]] = (2, 3)
    sides: ClassVar[int] = 0
    options: ClassVar[Mapping[str, tuple[str | int, ...]]] = {"tricks": (5, 10)}
    board: ClassVar[str] = "third/board.js"
    sheet_type: ClassVar[type[Any]] = Sheet
    words: ClassVar[Words] = Words(
        refusals={"follow": _("Whoever can follow the %(led)s must.")},
        options={"tricks": Option(_("Tricks to win"), {})},
    )

    def open(self, seats: int, options: Options, dealer: int) -> Sheet:
        chosen: dict[str, Any] = choose(self, seats, options, dealer)
        return Sheet(dealer, (0,) * seats, chosen["tricks"])

    def reopen(self, sheet: Sheet) -> Sheet:
        return replace(sheet, score=(0,) * len(sheet.score), deals=0)

    def deal(self, sheet: Sheet, pack: tuple[str, ...]) -> State:
        check_deal(self, sheet, pack)
        seats = len(sheet.score)
        hands, stock = deal_out(pack, seats, sheet.dealer, HAND)
        return State(sheet, hands, stock, turn=(sheet.dealer + 1) % seats)

    def legal(self, state: State) -> list[str]:
        if state.turn is None:
            return []
        hand = in_suits(state.hands[state.turn])
        following = [card for card in hand if state.trick and card[1] == state.trick[0].card[1]]
        return following or hand

    def play(self, state: State, code: str) -> State:
        seat = on_turn(state)
        if code not in self.legal(state):
            if code in state.hands[seat]:
                raise Illegal("follow", card=code, led=state.trick[0].card)
            raise Illegal("not-held" if code in PACK else "unknown-code", code=code)
        hands = list(state.hands)
        hands[seat] = without(hands[seat], code)
        trick = (*state.trick, Play(seat, code))
        after = replace(state, hands=tuple(hands), trick=trick, turn=(seat + 1) % len(hands))
        if len(trick) < len(hands):
            return after
        following = [one for one in trick if one.card[1] == trick[0].card[1]]
        taker = max(following, key=lambda one: RANKS.index(rank(one.card))).seat
        return replace(
            after,
            turn=taker if hands[taker] else None,
            trick=(),
            last=trick,
            shown=state.shown + tuple(one.card for one in trick),
            takers=(*state.takers, taker),
        )

    def count(self, state: State) -> dict[str, Any]:
        sheet = self.settle(state)
        return {"points": taken(state), "totals": list(sheet.score)}

    def settle(self, state: State) -> Sheet:
        seats = len(state.hands)
        score = tuple(map(sum, zip(state.sheet.score, taken(state), strict=True)))
        return counted(state, state.sheet, seats, score=score)

    def result(self, sheet: Sheet) -> dict[str, Any] | None:
        most = max(sheet.score)
        if most < sheet.goal or sheet.score.count(most) > 1:
            return None
        return {"outcome": "win", "winner": sheet.score.index(most), "score": list(sheet.score)}

    def public(self, state: State) -> dict[str, Any]:
        over = state.turn is None
        sheet = self.settle(state) if over else state.sheet
        return {
            "game": self.key,
            "deal": state.sheet.deals + 1,
            "dealer": state.sheet.dealer,
            "turn": state.turn,
            "trick": [one._asdict() for one in state.trick],
            "last": [one._asdict() for one in state.last],
            "hands": [len(hand) for hand in state.hands],
            "taken": taken(state),
            "score": list(sheet.score),
            "goal": sheet.goal,
            "count": self.count(state) if over else None,
            "result": self.result(sheet),
        }

    def private(self, state: State, seat: int) -> dict[str, Any]:
        return {
            "seat": seat,
            "hand": in_suits(state.hands[seat]),
            "legal": self.legal(state) if state.turn == seat else [],
        }

    def view(self, state: State, seat: int) -> dict[str, Any]:
        return {**self.public(state), **self.private(state, seat)}

    def recall(self, state: State) -> list[str]:
        return in_suits(state.shown + tuple(one.card for one in state.trick))


def taken(state: State) -> list[int]:
    """How many tricks each seat has taken."""
    return [state.takers.count(seat) for seat in range(len(state.hands))]
