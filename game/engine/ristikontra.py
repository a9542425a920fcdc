"""Ristikontra: four seats, two sides, thirteen tricks, and the last card of the led rank takes.

Suits mean nothing and no rank beats another. While the stock lasts a turn is either a card from
the hand, followed at once by drawing one, or the top of the stock played unseen ("in the dark").
The rule numbers (R1 …) are those of ``docs/rules.md``.

Games that differ from it in how many cards are dealt and how they count share this engine: what is
theirs is said in `Rules`, which the state of a deal carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from game.engine.base import Illegal, Options, check_deal, choose, counted, on_turn
from game.engine.cards import PACK, deal_out, in_order, rank, without

SEATS = 4
HAND = 6
GOAL = 7
DARK = "dark"
VALUES = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


class Play(NamedTuple):
    """One card on the table, whose it is, and whether it came from the stock."""

    seat: int
    card: str
    dark: bool


Trick = tuple[Play, ...]
Pair = tuple[int, int]
"""A number for each side."""


class Scored(NamedTuple):
    """What a finished deal makes of the score and of what is held, and what its count tells of it
    besides."""

    score: Pair
    held: int
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the games of this family differ in: how many cards a hand has, what a card of each rank
    counts, the score that wins, and how a finished deal is scored."""

    hand: int
    values: Mapping[str, int] = field(hash=False)
    goal: int
    scored: Callable[[State], Scored]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score between two deals: points by side, those held (R11), the winning side."""

    dealer: int
    score: Pair = (0, 0)
    held: int = 0
    deals: int = 0
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A deal in progress. Hands are in the order the cards came, the stock's next card is first.

    ``trick`` is under way, ``last`` the one taken before it; ``leads`` are the ranks led so far, a
    letter a trick, the one under way included; ``takers`` are the sides that took the tricks so
    far, ``piles`` the cards each side has taken, trick by trick. ``conceded`` has 1 for a side that
    conceded after the deal, which only house rules know (H4).
    """

    sheet: Sheet
    rules: Rules
    hands: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]
    turn: int | None
    trick: Trick
    last: Trick
    leads: str
    takers: tuple[int, ...]
    piles: tuple[tuple[str, ...], tuple[str, ...]]
    conceded: Pair = (0, 0)


def side(seat: int) -> int:
    """Seats 0 and 2 are side 0, seats 1 and 3 side 1 (R1)."""
    return seat % 2


def winning(trick: Trick) -> Play:
    """The last card of the led rank, which takes the trick as it lies (R6)."""
    led = rank(trick[0].card)
    return next(play for play in reversed(trick) if rank(play.card) == led)


def barred(state: State) -> str | None:
    """The rank that may not be led now, if the last three tricks were all led with it (R7).

    None while a trick is under way: only a lead is ever barred (R15).
    """
    if state.trick or state.turn is None or len(state.leads) < 3:
        return None
    three = state.leads[-3:]
    return three[0] if len(set(three)) == 1 else None


def points(cards: tuple[str, ...], values: Mapping[str, int] = VALUES) -> int:
    """Card points: A 11, 10 10, K 4, Q 3, J 2 (R10), unless the table has other values."""
    return sum(values.get(rank(card), 0) for card in cards)


def pile_points(state: State) -> Pair:
    """The card points in each side's pile."""
    ours, theirs = state.piles
    return points(ours, state.rules.values), points(theirs, state.rules.values)


def game_points(state: State) -> Scored:
    """The better half of the card points wins a game point, all of them two; half and half holds
    one for the next winner (R11)."""
    one, two = pile_points(state)
    if one == two:
        return paid(state, 0, 0, held=state.sheet.held + 1)
    won = state.sheet.held + (1 if one and two else 2)
    return paid(state, won, 0) if one > two else paid(state, 0, won)


def paid(state: State, ours: int, theirs: int, held: int = 0) -> Scored:
    """Game points for each side, on top of what it had."""
    one, two = state.sheet.score
    told = {"awarded": [ours, theirs], "held": held}
    return Scored((one + ours, two + theirs), held, told)


PLAIN = Rules(HAND, VALUES, GOAL, game_points)


class Ristikontra:
    """The game as `game.engine.base.Game` asks for it."""

    key: ClassVar[str] = "ristikontra"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Ristikontra"
    seats: ClassVar[tuple[int, ...]] = (SEATS,)
    sides: ClassVar[int] = 2
    options: ClassVar[Mapping[str, tuple[str | int, ...]]] = {}
    board: ClassVar[str] = "korttipoyta/js/ristikontra.js"
    sheet_type: ClassVar[type[Any]] = Sheet

    def rules(self, sheet: Sheet) -> Rules:
        """The rules a match with this sheet is played by."""
        return PLAIN

    def open(self, seats: int, options: Options, dealer: int) -> Sheet:
        choose(self, seats, options, dealer)  # raises; there is nothing to choose
        return Sheet(dealer=dealer)

    def reopen(self, sheet: Sheet) -> Sheet:
        return Sheet(dealer=sheet.dealer)

    def deal(self, sheet: Sheet, pack: tuple[str, ...]) -> State:
        check_deal(self, sheet, pack)
        rules = self.rules(sheet)
        hands, stock = deal_out(pack, SEATS, sheet.dealer, rules.hand)
        return State(
            sheet=sheet,
            rules=rules,
            hands=hands,
            stock=stock,
            turn=(sheet.dealer + 1) % SEATS,
            trick=(),
            last=(),
            leads="",
            takers=(),
            piles=((), ()),
        )

    def legal(self, state: State) -> list[str]:
        if state.turn is None:
            return []
        codes = [*in_order(state.hands[state.turn]), DARK]
        return [code for code in codes if _refusal(state, state.turn, code) is None]

    def play(self, state: State, code: str) -> State:
        seat = on_turn(state)
        if refusal := _refusal(state, seat, code):
            raise refusal

        # R4: a card from the hand is replaced from the stock at once; a dark play is the stock's
        # own card. Either way the stock is one shorter.
        hand = state.hands[seat]
        if code == DARK:
            play = Play(seat, state.stock[0], dark=True)
        else:
            play = Play(seat, code, dark=False)
            hand = without(hand, code) + state.stock[:1]
        hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        stock = state.stock[1:]
        trick = (*state.trick, play)
        leads = state.leads if state.trick else state.leads + rank(play.card)

        if len(trick) < SEATS:
            turn: int | None = (seat + 1) % SEATS
            last, takers, piles = state.last, state.takers, state.piles
        else:
            taker = winning(trick).seat
            turn = taker if hand else None
            taken = tuple(one.card for one in trick)
            ours, theirs = state.piles
            piles = (ours, theirs + taken) if side(taker) else (ours + taken, theirs)
            last, trick, takers = trick, (), (*state.takers, side(taker))
        return State(
            state.sheet, state.rules, hands, stock, turn, trick, last, leads, takers, piles
        )

    def count(self, state: State) -> dict[str, Any]:
        sheet = self.settle(state)
        return {
            "points": list(pile_points(state)),
            "counts": [
                {one: sum(rank(card) == one for card in pile) for one in VALUES}
                for pile in state.piles
            ],
            "tricks": [len(pile) // SEATS for pile in state.piles],
            **state.rules.scored(state).told,
            "score": list(sheet.score),
        }

    def settle(self, state: State) -> Sheet:
        sheet = counted(state, state.sheet, SEATS)
        score, held, _ = state.rules.scored(state)
        return replace(sheet, score=score, held=held, winner=_winner(score, state.rules.goal))

    def result(self, sheet: Sheet) -> dict[str, Any] | None:
        if sheet.winner is None:
            return None
        return {"outcome": "win", "winner": sheet.winner, "score": list(sheet.score)}

    def public(self, state: State) -> dict[str, Any]:
        over = state.turn is None
        sheet = self.settle(state) if over else state.sheet
        return {
            "game": self.key,
            "deal": state.sheet.deals + 1,
            "dealer": state.sheet.dealer,
            "turn": state.turn,
            "barred": barred(state),
            "trick": [play._asdict() for play in state.trick],
            "winning": winning(state.trick).seat if state.trick else None,
            "last": [play._asdict() for play in state.last],
            "taker": winning(state.last).seat if state.last else None,
            "hands": [len(hand) for hand in state.hands],
            "stock": len(state.stock),
            "piles": [len(pile) for pile in state.piles],
            "score": list(sheet.score),
            "held": sheet.held,
            "count": self.count(state) if over else None,
            "result": self.result(sheet),
        }

    def private(self, state: State, seat: int) -> dict[str, Any]:
        return {
            "seat": seat,
            "hand": in_order(state.hands[seat]),
            "legal": self.legal(state) if state.turn == seat else [],
        }

    def view(self, state: State, seat: int) -> dict[str, Any]:
        return {**self.public(state), **self.private(state, seat)}

    def recall(self, state: State) -> list[str]:
        ours, theirs = state.piles
        return in_order(ours + theirs + tuple(play.card for play in state.trick))


def _refusal(state: State, seat: int, code: str) -> Illegal | None:
    """Why the seat on turn may not play ``code`` now; None when it may."""
    ban = barred(state)
    if code == DARK:
        if not state.stock:
            return Illegal("stock-empty")
        return Illegal("dark-barred", rank=ban) if ban else None  # R8
    hand = state.hands[seat]
    if code not in hand:
        return Illegal("not-held" if code in PACK else "unknown-code", code=code)
    # R9: the ban yields to an only card. Three leads leave one card of the rank, so whoever holds
    # two cards has another to lead.
    if rank(code) == ban and len(hand) > 1:
        return Illegal("barred", rank=ban)
    return None


def _winner(score: Pair, goal: int) -> int | None:
    """The side that has reached or passed the goal, if it is ahead (R12)."""
    one, two = score
    if one == two or max(score) < goal:
        return None
    return 0 if one > two else 1
