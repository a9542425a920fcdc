"""Deals and whole matches of Ristiseiska, step by step against an independent naive model."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from game.engine.base import Illegal
from game.engine.cards import PACK
from game.engine.ristiseiska import Sheet, State
from game.tests.deals import shuffled
from game.tests.naive_ristiseiska import NaiveDeal, NaiveMatch
from game.tests.rows import GAME

SEEDS = st.integers(0, 9999)
"""Dice in one number: a failing match is then made shorter quickly."""


class RistiseiskaMachine(RuleBasedStateMachine):
    """The engine and the model play the same match; between deals both have none."""

    sheet: Sheet
    match: NaiveMatch
    state: State | None = None
    deal: NaiveDeal | None = None

    def between_deals(self) -> bool:
        return self.deal is None and not self.match.over()

    def in_a_deal(self) -> bool:
        return self.deal is not None and not self.deal.over()

    def after_a_deal(self) -> bool:
        return self.deal is not None and self.deal.over()

    def match_is_over(self) -> bool:
        return self.deal is None and self.match.over()

    @initialize(
        seats=st.integers(2, 4),
        dealer=st.integers(0, 3),
        length=st.integers(1, 3),
        pantti=st.sampled_from([21, 25]),
        tie=st.sampled_from(["draw", "extra-deal"]),
    )
    def open(self, seats: int, dealer: int, length: int, pantti: int, tie: str) -> None:
        self.match = NaiveMatch(dealer % seats, seats, length, pantti, tie == "extra-deal")
        options: dict[str, str | int] = {"deals": length, "pantti": pantti, "tie": tie}
        self.sheet = GAME.open(seats, options, dealer % seats)
        self.compare_sheets()

    @precondition(between_deals)
    @rule(seed=SEEDS)
    def deal_any(self, seed: int) -> None:
        pack = shuffled(random.Random(seed))
        self.state = GAME.deal(self.sheet, pack)
        self.deal = NaiveDeal(list(pack), self.match.dealer, len(self.match.totals))
        self.compare()

    @precondition(in_a_deal)
    @rule(choice=st.integers(0, 6))
    def play_one(self, choice: int) -> None:
        assert self.deal
        codes = sorted(self.deal.may())
        self.play(codes[choice % len(codes)])

    @precondition(in_a_deal)
    @rule(code=st.sampled_from([*PACK, "dark", "pantti", "stop", ""]))
    def try_one(self, code: str) -> None:
        """Any code at all: played if the model allows it, else refused."""
        assert self.state
        assert self.deal
        if code in self.deal.may():
            self.play(code)
        else:
            with pytest.raises(Illegal):
                GAME.play(self.state, code)

    @precondition(in_a_deal)
    @rule(seed=SEEDS)
    def play_the_rest(self, seed: int) -> None:
        assert self.deal
        rng = random.Random(seed)
        while not self.deal.over():
            self.play(rng.choice(sorted(self.deal.may())))

    @precondition(after_a_deal)
    @rule()
    def settle(self) -> None:
        assert self.state
        assert self.deal
        self.match.add(self.deal)
        assert GAME.count(self.state) == {
            "winner": self.deal.winner,
            "holder": self.deal.holder,
            "points": self.deal.points(self.match.pantti),
            "totals": self.match.totals,
        }
        self.sheet = GAME.settle(self.state)
        self.compare_sheets()
        self.state = self.deal = None

    @precondition(between_deals)
    @rule()
    def make_all_equal(self) -> None:
        """Ties seldom come by dice."""
        self.match.totals = [10] * len(self.match.totals)
        self.sheet = Sheet(
            self.sheet.dealer,
            tuple(self.match.totals),
            self.sheet.length,
            self.sheet.pantti,
            self.sheet.tie,
            self.sheet.deals,
        )
        self.compare_sheets()

    @precondition(match_is_over)
    @rule()
    def play_again(self) -> None:
        """No deal follows the end; a rematch starts from nothing, with the next dealer."""
        with pytest.raises(Illegal):
            GAME.deal(self.sheet, PACK)
        self.match.deals = 0
        self.match.totals = [0] * len(self.match.totals)
        self.sheet = GAME.reopen(self.sheet)
        self.compare_sheets()

    def play(self, code: str) -> None:
        assert self.state
        assert self.deal
        self.state = GAME.play(self.state, code)
        self.deal.play(code)
        self.compare()

    def compare(self) -> None:
        """The engine's state and views say what the model says."""
        assert self.state
        assert self.deal
        state, deal = self.state, self.deal
        assert state.turn == (None if deal.over() else deal.turn)
        assert state.extra == deal.extra
        assert state.holder == deal.holder
        assert [sorted(hand) for hand in state.hands] == [sorted(hand) for hand in deal.hands]
        legal = GAME.legal(state)
        assert sorted(legal) == sorted(deal.may())
        for seat in range(deal.seats):
            view = GAME.view(state, seat)
            assert sorted(view["hand"]) == sorted(deal.hands[seat])
            assert view["legal"] == (legal if seat == state.turn else [])
            assert set(view["waits"]) == {card for card in deal.hands[seat] if not deal.fits(card)}
            self.compare_rows(view["rows"])

    def compare_rows(self, rows: list[dict[str, object]]) -> None:
        assert self.deal
        for row, suit in zip(rows, "CDHS", strict=True):
            low, high = self.deal.low[suit], self.deal.high[suit]
            ranks = "0A23456789TJQK"
            up = ranks[7 if low == 1 else low : (7 if high == 13 else max(7, high)) + 1]
            assert row["suit"] == suit
            assert row["cards"] == ([one + suit for one in up] if low else [])
            ends = {"low": low == 1, "high": high == 13}
            assert row["closed"] == [end for end, closed in ends.items() if closed]
            fitting = {one for one in ranks[1:] if one != "7" and self.deal.fits(one + suit)}
            assert {row["low"], row["high"]} - {None} == fitting

    def compare_sheets(self) -> None:
        sheet, match = self.sheet, self.match
        assert sheet.dealer == match.dealer
        assert sheet.deals == match.deals
        assert list(sheet.score) == match.totals
        result = GAME.result(sheet)
        assert (result is not None) == match.over()
        if result:
            assert result["score"] == match.totals
            assert result.get("winner") == (match.best()[0] if len(match.best()) == 1 else None)


TestRistiseiskaMachine = RistiseiskaMachine.TestCase
TestRistiseiskaMachine.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
