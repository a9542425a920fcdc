"""Ristiseiska: two to four seats, each for itself, and a row of each suit grows from its seven.

Every card but the seven of clubs waits for one other card (``AFTER``), and fits when that one lies
on the table; there is no more to laying out than that. A seat that cannot play takes the *pantti*,
of which there is one. The rule numbers (S1 …) are those of ``docs/rules.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from game.engine.base import Illegal, Options, check_deal, choose, counted, on_turn
from game.engine.cards import PACK, RANKS, SUITS, deal_out, in_suits, rank, without

START = "7C"
PANTTI = "pantti"
STOP = "stop"
DRAW = "draw"
EXTRA_DEAL = "extra-deal"

ENDS = {"low": "65432A", "high": "89TJQK"}
"""The ranks of either end of a row, from the seven outwards."""
CLOSING = {ranks[-1] for ranks in ENDS.values()}
"""The ranks that finish an end (S7) and give an extra move (S6)."""
AFTER = {
    **{"7" + suit: START for suit in SUITS if "7" + suit != START},
    **{
        later + suit: sooner + suit
        for way in ("768", "85432A", "89TJQK")
        for sooner, later in pairwise(way)
        for suit in SUITS
    },
}
"""The card that each card waits for (S2, S3). The seven of clubs waits for none."""
COSTS = {one: cost for cost, one in enumerate("23456789TJQKA", start=2)}


class Play(NamedTuple):
    """What a seat did: a card it laid, ``pantti`` or ``stop``."""

    seat: int
    code: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score between two deals: totals by seat, and the options (S9), ``length`` in deals."""

    dealer: int
    score: tuple[int, ...]
    length: int
    pantti: int
    tie: str
    deals: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A deal in progress. ``table`` has the cards laid, ``holder`` is the seat with the pantti,
    ``extra`` says that the seat on turn has just laid an ace or a king, ``last`` what was done.
    """

    sheet: Sheet
    hands: tuple[tuple[str, ...], ...]
    turn: int | None
    table: frozenset[str] = frozenset()
    holder: int | None = None
    extra: bool = False
    last: Play | None = None


def fits(table: frozenset[str], card: str) -> bool:
    """Whether the card may be laid: the one it waits for lies there."""
    return card == START or AFTER[card] in table


def row(table: frozenset[str], suit: str) -> dict[str, Any]:
    """A suit as it lies: the cards face up, the rank that fits each end now, the ends finished."""
    closed = [end for end, ranks in ENDS.items() if ranks[-1] + suit in table]
    face_down = "".join(ENDS[end] for end in closed)  # S7
    return {
        "suit": suit,
        "cards": [one + suit for one in RANKS if one + suit in table and one not in face_down],
        **{
            end: next((one for one in ranks if _is_next(table, one + suit)), None)
            for end, ranks in ENDS.items()
        },
        "closed": closed,
    }


def costs(state: State) -> list[dict[str, int]]:
    """What each seat pays if the deal ends here: its cards, and the pantti if it has cards (S8)."""
    return [
        {
            "cards": sum(COSTS[rank(card)] for card in hand),
            "pantti": state.sheet.pantti if hand and seat == state.holder else 0,
        }
        for seat, hand in enumerate(state.hands)
    ]


class Ristiseiska:
    """The game as `game.engine.base.Game` asks for it."""

    key: ClassVar[str] = "ristiseiska"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Ristiseiska"
    seats: ClassVar[tuple[int, ...]] = (2, 3, 4)
    sides: ClassVar[int] = 0
    options: ClassVar[Mapping[str, tuple[str | int, ...]]] = {
        "deals": (3, 1, 2, 4, 5, 6, 7, 8, 9, 10),
        "pantti": (21, 25),
        "tie": (DRAW, EXTRA_DEAL),
    }
    board: ClassVar[str] = "korttipoyta/js/ristiseiska.js"
    sheet_type: ClassVar[type[Any]] = Sheet

    def open(self, seats: int, options: Options, dealer: int) -> Sheet:
        chosen: dict[str, Any] = choose(self, seats, options, dealer)
        return Sheet(dealer, (0,) * seats, chosen["deals"], chosen["pantti"], chosen["tie"])

    def reopen(self, sheet: Sheet) -> Sheet:
        return replace(sheet, score=(0,) * len(sheet.score), deals=0)

    def deal(self, sheet: Sheet, pack: tuple[str, ...]) -> State:
        check_deal(self, sheet, pack)
        hands, _ = deal_out(pack, len(sheet.score), sheet.dealer)
        return State(sheet, hands, turn=next(s for s, hand in enumerate(hands) if START in hand))

    def legal(self, state: State) -> list[str]:
        if (seat := state.turn) is None:
            return []
        codes = [*in_suits(state.hands[seat]), PANTTI, STOP]
        return [code for code in codes if _may(state, seat, code)]

    def play(self, state: State, code: str) -> State:
        seat = on_turn(state)
        if not _may(state, seat, code):
            raise _refusal(state, seat, code)
        hands, table, holder, extra = state.hands, state.table, state.holder, False
        turn: int | None = (seat + 1) % len(hands)
        if code == PANTTI:
            holder = seat
        elif code != STOP:
            hand = without(hands[seat], code)
            hands = (*hands[:seat], hand, *hands[seat + 1 :])
            table |= {code}
            if not hand:
                turn = None  # S8
            elif rank(code) in CLOSING:
                turn, extra = seat, True  # S6
        return State(state.sheet, hands, turn, table, holder, extra, Play(seat, code))

    def count(self, state: State) -> dict[str, Any]:
        sheet = self.settle(state)
        return {
            "winner": state.hands.index(()),
            "holder": state.holder,
            "points": [sum(cost.values()) for cost in costs(state)],
            "totals": list(sheet.score),
        }

    def settle(self, state: State) -> Sheet:
        paid = zip(state.sheet.score, costs(state), strict=True)
        score = tuple(total + sum(cost.values()) for total, cost in paid)
        return counted(state, state.sheet, len(score), score=score)

    def result(self, sheet: Sheet) -> dict[str, Any] | None:
        lowest, *others = [s for s, total in enumerate(sheet.score) if total == min(sheet.score)]
        if sheet.deals < sheet.length or (others and sheet.tie == EXTRA_DEAL):
            return None
        score = list(sheet.score)
        if others:
            return {"outcome": "draw", "reason": "tie", "score": score}
        return {"outcome": "win", "winner": lowest, "score": score}

    def public(self, state: State) -> dict[str, Any]:
        over = state.turn is None
        sheet = self.settle(state) if over else state.sheet
        return {
            "game": self.key,
            "deal": state.sheet.deals + 1,
            "length": sheet.length,
            "tie": sheet.tie,
            "pantti": sheet.pantti,
            "dealer": state.sheet.dealer,
            "turn": state.turn,
            "extra": state.extra,
            "rows": [row(state.table, suit) for suit in SUITS],
            "last": state.last and state.last._asdict(),
            "hands": [len(one) for one in state.hands],
            "holder": state.holder,
            "score": list(sheet.score),
            "left": _left(state) if over else None,
            "count": self.count(state) if over else None,
            "result": self.result(sheet),
        }

    def private(self, state: State, seat: int) -> dict[str, Any]:
        hand = in_suits(state.hands[seat])
        return {
            "seat": seat,
            "hand": hand,
            "legal": self.legal(state) if state.turn == seat else [],
            "waits": {card: rank(AFTER[card]) for card in hand if not fits(state.table, card)},
        }

    def view(self, state: State, seat: int) -> dict[str, Any]:
        return {**self.public(state), **self.private(state, seat)}

    def recall(self, state: State) -> list[str]:
        return in_suits(state.table)


def _left(state: State) -> list[dict[str, Any]]:
    """The hands that are left at the end of a deal, and what they cost."""
    return [
        {"hand": in_suits(hand), **cost}
        for hand, cost in zip(state.hands, costs(state), strict=True)
    ]


def _is_next(table: frozenset[str], card: str) -> bool:
    return card not in table and fits(table, card)


def _may(state: State, seat: int, code: str) -> bool:
    """Whether the seat on turn may play ``code`` now."""
    hand, table = state.hands[seat], state.table
    if code in hand:
        return fits(table, code)
    if code == STOP:
        return state.extra  # S6
    if code == PANTTI:
        return not state.extra and not any(fits(table, card) for card in hand)  # S4, S5
    return False


def _refusal(state: State, seat: int, code: str) -> Illegal:
    """Why the seat on turn may not play ``code`` now."""
    if code in state.hands[seat]:
        return Illegal("waits", card=code, awaited=AFTER[code])
    if code in PACK:
        return Illegal("not-held", code=code)
    reasons = {PANTTI: "pantti-extra" if state.extra else "must-play", STOP: "no-extra"}
    return Illegal(reasons.get(code, "unknown-code"), code=code)
