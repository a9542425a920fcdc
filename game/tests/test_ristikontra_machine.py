"""Deals and whole matches of Ristikontra, step by step against an independent naive model."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from game.engine.base import Illegal
from game.engine.cards import PACK
from game.engine.ristikontra import Sheet, State
from game.tests.deals import GAME, find_deal, random_deal, shuffled
from game.tests.naive import NaiveDeal, NaiveMatch

SEEDS = st.integers(0, 9999)
"""Dice in one number: a failing match is then made shorter quickly."""


class RistikontraMachine(RuleBasedStateMachine):
    """The engine and the model play the same match; between deals both have none."""

    sheet: Sheet
    match: NaiveMatch
    state: State | None = None
    deal: NaiveDeal | None = None

    def between_deals(self) -> bool:
        return self.deal is None and self.match.winner is None

    def in_a_deal(self) -> bool:
        return self.deal is not None and not self.deal.over()

    def after_a_deal(self) -> bool:
        return self.deal is not None and self.deal.over()

    def match_is_over(self) -> bool:
        return self.deal is None and self.match.winner is not None

    @initialize(
        dealer=st.integers(0, 3),
        score=st.tuples(st.integers(0, 6), st.integers(0, 6)),
        held=st.integers(0, 2),
    )
    def open(self, dealer: int, score: tuple[int, int], held: int) -> None:
        """A match, as a rule some deals old, so that its end is not far."""
        self.match = NaiveMatch(dealer)
        self.sheet = GAME.open(4, {}, dealer)
        self.compare_sheets()
        self.match.score, self.match.held = list(score), held
        self.sheet = Sheet(dealer, score, held)

    @precondition(between_deals)
    @rule(seed=SEEDS)
    def deal_any(self, seed: int) -> None:
        self.start(shuffled(random.Random(seed)))

    @precondition(between_deals)
    @rule(seed=SEEDS, tricks=st.integers(1, 13))
    def deal_and_play_on(self, seed: int, tricks: int) -> None:
        deal = random_deal(random.Random(seed), GAME, self.sheet)
        self.start(deal.pack, deal.plays[: 4 * tricks])

    @precondition(between_deals)
    @rule(worth=st.sampled_from([0, 2, 59, 60, 61, 118, 120]))
    def deal_with_a_score(self, worth: int) -> None:
        """A whole deal in which side one gets so many points."""
        self.start(*find_deal(self.match.dealer, worth))
        assert self.deal
        assert self.deal.points() == [worth, 120 - worth]

    @precondition(in_a_deal)
    @rule(choice=st.integers(0, 6))
    def play_one(self, choice: int) -> None:
        assert self.deal
        codes = sorted(self.deal.may())
        self.play(codes[choice % len(codes)])

    @precondition(in_a_deal)
    @rule(code=st.sampled_from([*PACK, "dark", "pantti", ""]))
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
    @rule(seed=SEEDS, repeating=st.booleans())
    def play_the_rest(self, seed: int, repeating: bool) -> None:
        """At random; or leading what was led last, or the dark, so that ranks get barred."""
        assert self.deal
        rng = random.Random(seed)
        while not self.deal.over():
            codes = sorted(self.deal.may())
            if repeating and self.deal.led and not self.deal.table:
                again = [code for code in codes if code[0] in (self.deal.led[-1], "d")]
                codes = again or codes
            self.play(rng.choice(codes))

    @precondition(after_a_deal)
    @rule()
    def settle(self) -> None:
        assert self.state
        assert self.deal
        count = GAME.count(self.state)
        assert count["points"] == self.deal.points()
        assert count["counts"] == [
            {rank: len([card for card in pile if card[0] == rank]) for rank in "ATKQJ"}
            for pile in self.deal.piles
        ]
        before = self.match.score.copy()
        self.match.add(self.deal)
        self.sheet = GAME.settle(self.state)
        self.compare_sheets()
        assert count["score"] == self.match.score
        assert count["held"] == self.match.held
        assert count["awarded"] == [self.match.score[one] - before[one] for one in (0, 1)]
        self.state = self.deal = None

    @precondition(match_is_over)
    @rule()
    def play_again(self) -> None:
        """No deal follows the end; a rematch starts from nothing, with the next dealer."""
        with pytest.raises(Illegal):
            GAME.deal(self.sheet, PACK)
        self.match = NaiveMatch(self.match.dealer)
        self.sheet = GAME.reopen(self.sheet)
        self.compare_sheets()

    def start(self, pack: tuple[str, ...], plays: tuple[str, ...] = ()) -> None:
        self.state = GAME.deal(self.sheet, pack)
        self.deal = NaiveDeal(list(pack), self.match.dealer)
        self.compare()
        for code in plays:
            self.play(code)

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
        assert list(state.stock) == deal.stock
        assert [sorted(hand) for hand in state.hands] == [sorted(hand) for hand in deal.hands]
        assert [sorted(pile) for pile in state.piles] == [sorted(pile) for pile in deal.piles]
        legal = GAME.legal(state)
        assert sorted(legal) == sorted(deal.may())
        for seat in range(4):
            view = GAME.view(state, seat)
            assert view["barred"] == deal.barred()
            assert sorted(view["hand"]) == sorted(deal.hands[seat])
            assert view["legal"] == (legal if seat == state.turn else [])
            assert [tuple(play.values()) for play in view["trick"]] == deal.table
            assert [tuple(play.values()) for play in view["last"]] == deal.last
            assert view["winning"] == (deal.taker(deal.table) if deal.table else None)
            assert view["taker"] == (deal.taker(deal.last) if deal.last else None)

    def compare_sheets(self) -> None:
        sheet, match = self.sheet, self.match
        assert sheet.dealer == match.dealer
        assert list(sheet.score) == match.score
        assert sheet.held == match.held
        assert sheet.deals == match.deals
        assert sheet.winner == match.winner
        won = GAME.result(sheet)
        assert (won and won["winner"]) == match.winner


TestRistikontraMachine = RistikontraMachine.TestCase
TestRistikontraMachine.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
