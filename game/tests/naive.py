"""Ristikontra once more, written from the rules alone and as plainly as possible.

It shares nothing with the engine, not even helpers: lists that are changed in place, every rule
spelt out where it is needed. The engine is compared with it step by step.
"""

from __future__ import annotations

from copy import deepcopy


class NaiveDeal:
    """One deal in progress."""

    def __init__(self, pack: list[str], dealer: int) -> None:
        self.stock = pack.copy()
        self.hands: list[list[str]] = [[], [], [], []]
        self.turn = (dealer + 1) % 4
        seat = self.turn
        for _ in range(24):
            self.hands[seat].append(self.stock.pop(0))
            seat = (seat + 1) % 4
        self.table: list[tuple[int, str, bool]] = []
        self.last: list[tuple[int, str, bool]] = []
        self.led: list[str] = []
        self.piles: list[list[str]] = [[], []]

    def over(self) -> bool:
        return len(self.led) == 13 and len(self.table) == 0

    def barred(self) -> str | None:
        """The rank of the last three leads, when a lead is due and they were all of one rank."""
        if self.over() or len(self.table) > 0 or len(self.led) < 3:
            return None
        if self.led[-1] == self.led[-2] and self.led[-2] == self.led[-3]:
            return self.led[-1]
        return None

    def may(self) -> set[str]:
        """What the seat on turn may play."""
        if self.over():
            return set()
        hand = self.hands[self.turn]
        allowed = {card for card in hand if card[0] != self.barred()}
        if len(hand) == 1:
            allowed = {hand[0]}
        if len(self.stock) > 0 and self.barred() is None:
            allowed.add("dark")
        return allowed

    def play(self, code: str) -> None:
        hand = self.hands[self.turn]
        if code == "dark":
            card = self.stock.pop(0)
        else:
            card = code
            hand.remove(code)
            if len(self.stock) > 0:
                hand.append(self.stock.pop(0))
        if len(self.table) == 0:
            self.led.append(card[0])
        self.table.append((self.turn, card, code == "dark"))
        self.turn = (self.turn + 1) % 4
        if len(self.table) == 4:
            taker = self.taker(self.table)
            for _, one, _ in self.table:
                self.piles[taker % 2].append(one)
            self.last = self.table
            self.table = []
            self.turn = taker

    def taker(self, trick: list[tuple[int, str, bool]]) -> int:
        """Whoever played the last card of the rank that was led."""
        taker = trick[0][0]
        for seat, card, _ in trick:
            if card[0] == trick[0][1][0]:
                taker = seat
        return taker

    def points(self) -> list[int]:
        """The card points in each pile."""
        totals = [0, 0]
        for one in (0, 1):
            for card in self.piles[one]:
                if card[0] == "A":
                    totals[one] += 11
                if card[0] == "T":
                    totals[one] += 10
                if card[0] == "K":
                    totals[one] += 4
                if card[0] == "Q":
                    totals[one] += 3
                if card[0] == "J":
                    totals[one] += 2
        return totals

    def after(self, code: str) -> NaiveDeal:
        """A copy in which ``code`` has been played."""
        copy = deepcopy(self)
        copy.play(code)
        return copy


class NaiveMatch:
    """The score of a match."""

    def __init__(self, dealer: int) -> None:
        self.dealer = dealer
        self.score = [0, 0]
        self.held = 0
        self.deals = 0
        self.winner: int | None = None

    def add(self, deal: NaiveDeal) -> None:
        """Count a finished deal."""
        one, two = deal.points()
        self.deals += 1
        self.dealer = (self.dealer + 1) % 4
        if one == 60 and two == 60:
            self.held += 1
            return
        better = 0 if one >= 61 else 1
        self.score[better] += 1
        if one == 120 or two == 120:
            self.score[better] += 1
        self.score[better] += self.held
        self.held = 0
        if self.score[better] >= 7:
            self.winner = better
