"""Ristiseiska once more, written from the rules alone and as plainly as possible.

It shares nothing with the engine, not even helpers: how far each suit has come is two numbers that
are moved, every rule spelt out where it is needed. The engine is compared with it step by step.
"""

from __future__ import annotations

from copy import deepcopy

NUMBERS = {"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13} | {str(one): one for one in range(2, 10)}


class NaiveDeal:
    """One deal in progress."""

    def __init__(self, pack: list[str], dealer: int, seats: int) -> None:
        self.seats = seats
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        seat = dealer
        for card in pack:
            seat = (seat + 1) % seats
            self.hands[seat].append(card)
            if card == "7C":
                self.turn = seat
        self.low = {"C": 0, "D": 0, "H": 0, "S": 0}
        self.high = {"C": 0, "D": 0, "H": 0, "S": 0}
        self.holder: int | None = None
        self.extra = False
        self.winner: int | None = None

    def over(self) -> bool:
        return self.winner is not None

    def fits(self, card: str) -> bool:
        number, suit = NUMBERS[card[0]], card[1]
        if self.low["C"] == 0:
            return card == "7C"
        low, high = self.low[suit], self.high[suit]
        if number == 7:
            return low == 0
        if number == 6:
            return low == 7
        if number == 8:
            return low == 6 and high == 7
        if number < 6:
            return high >= 8 and low == number + 1
        return high == number - 1

    def may(self) -> set[str]:
        """What the seat on turn may play."""
        if self.over():
            return set()
        allowed = {card for card in self.hands[self.turn] if self.fits(card)}
        if self.extra:
            allowed.add("stop")
        elif len(allowed) == 0:
            allowed.add("pantti")
        return allowed

    def play(self, code: str) -> None:
        seat = self.turn
        self.turn = (seat + 1) % self.seats
        self.extra = False
        if code == "stop":
            return
        if code == "pantti":
            self.holder = seat
            return
        number, suit = NUMBERS[code[0]], code[1]
        self.hands[seat].remove(code)
        if number <= 7:
            self.low[suit] = number
        if number >= 7:
            self.high[suit] = number
        if len(self.hands[seat]) == 0:
            self.winner = seat
        elif number == 1 or number == 13:
            self.extra = True
            self.turn = seat

    def points(self, pantti: int) -> list[int]:
        """What everybody would pay if the deal were over now."""
        paid = []
        for seat in range(self.seats):
            points = 0
            for card in self.hands[seat]:
                points += 14 if card[0] == "A" else NUMBERS[card[0]]
            if seat == self.holder and seat != self.winner:
                points += pantti
            paid.append(points)
        return paid

    def after(self, code: str) -> NaiveDeal:
        """A copy in which ``code`` has been played."""
        copy = deepcopy(self)
        copy.play(code)
        return copy


class NaiveMatch:
    """The score of a match."""

    def __init__(self, dealer: int, seats: int, length: int, pantti: int, extra: bool) -> None:
        self.dealer = dealer
        self.length = length
        self.pantti = pantti
        self.extra_deals = extra
        self.deals = 0
        self.totals = [0] * seats

    def add(self, deal: NaiveDeal) -> None:
        """Count a finished deal."""
        self.deals += 1
        self.dealer = (self.dealer + 1) % len(self.totals)
        for seat, points in enumerate(deal.points(self.pantti)):
            self.totals[seat] += points

    def best(self) -> list[int]:
        """The seats with the lowest total."""
        return [seat for seat, total in enumerate(self.totals) if total == min(self.totals)]

    def over(self) -> bool:
        if self.deals < self.length:
            return False
        return len(self.best()) == 1 or not self.extra_deals
