"""The rules of Cleaning, a test a sentence; the numbers are those of the rules document."""
# ruff: noqa: N802 (C1 and its like are the names of rules)

from __future__ import annotations

import random
from typing import Any

import pytest

from game.engine.base import Illegal
from game.engine.cards import PACK
from game.engine.cleaning import Cleaning, Dirt, dirt
from game.engine.ristikontra import DARK, Sheet, State, barred
from game.tests.deals import arranged, lead_all, random_deal, shuffled, stack

CLEANING = Cleaning()

TO_TWO, TO_ONE = "2C 2D 3H 4S", "5C 5D 6H 7S"
"""Worthless tricks in which the seat after the leader takes: the lead goes to the other side."""


def finished(
    tricks: dict[int, str] | None = None, score: tuple[int, int] = (0, 0), dealer: int = 3
) -> State:
    """A deal with these tricks. Seat 0 leads, and side one takes what is not said otherwise."""
    state: State = arranged(CLEANING, Sheet(dealer=dealer, score=score), tricks)
    return state


def washing(tricks: dict[int, str]) -> list[tuple[int | None, int | None]]:
    """By which trick each side was dirty, and by which it was clean again."""
    state = finished(tricks)
    found = [(one["dirtied"], one["cleaned"]) for one in CLEANING.view(state, 0)["explained"]]
    assert found == [tuple(dirt(state, side)) for side in (0, 1)]
    assert CLEANING.count(state)["dirty"] == [had is not None and not to for had, to in found]
    return found


# --- C1: the deal -----------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_C1_five_each_and_thirty_two_in_the_stock(dealer: int) -> None:
    """One at a time from the seat after the dealer."""
    pack = shuffled(random.Random(dealer))
    state = CLEANING.deal(Sheet(dealer=dealer), pack)
    for place in range(4):
        assert state.hands[(dealer + 1 + place) % 4] == pack[place:20:4]
    assert state.stock == pack[20:]
    assert len(state.stock) == 32


@pytest.mark.parametrize("seed", range(10))
def test_C1_eight_tricks_with_the_stock_and_five_without(seed: int) -> None:
    """However people play, the eighth trick takes the last card of the stock."""
    states = random_deal(random.Random(seed), CLEANING, Sheet(dealer=seed % 4)).states
    assert [bool(state.stock) for state in states] == [True] * 32 + [False] * 21
    assert [len(hand) for hand in states[32].hands] == [5] * 4
    assert len(states) == 53
    with pytest.raises(Illegal) as raised:
        CLEANING.play(states[32], DARK)
    assert raised.value.reason == "stock-empty"


def test_C1_the_lead_ban_holds() -> None:
    """Three leads of sevens bar sevens, and the dark, as in R7 and R8."""
    hands = {0: "7C 7D 7H 7S"}
    state = lead_all(CLEANING.deal(Sheet(dealer=3), stack(hands, each=5)), "7C 7D 7H")
    assert barred(state) == "7"
    assert {"7S", DARK}.isdisjoint(CLEANING.legal(state))
    assert "7S" in state.hands[0]


# --- C2: getting dirty ------------------------------------------------------------------------


def test_C2_without_an_early_queen_nobody_is_dirty() -> None:
    """Queens taken in tricks nine to thirteen do no harm."""
    assert washing({9: "2C QD 3H QS", 13: "4C QC 8H QH"}) == [(None, None), (None, None)]


@pytest.mark.parametrize("number", range(1, 9))
def test_C2_a_queen_in_any_of_the_first_eight_tricks(number: int) -> None:
    """One is enough, in trick one as in trick eight."""
    assert washing({number: "2C QD 3H 4S"}) == [(number, None), (None, None)]


def test_C2_a_queen_in_trick_nine_is_too_late() -> None:
    """The stock is gone by then."""
    assert washing({9: "2C QD 3H 4S"}) == [(None, None), (None, None)]


@pytest.mark.parametrize("trick", ["QC 2D 3H 4S", "2C QD 3H 4S", "2C 3D QH 4S", "2C 3D 4H QS"])
def test_C2_whose_queen_it_was_does_not_matter(trick: str) -> None:
    """Played by oneself, by the partner or by an opponent."""
    assert washing({3: trick}) == [(3, None), (None, None)]


def test_C2_who_plays_it_to_the_others_trick_stays_clean() -> None:
    """The side that takes the trick is dirty: here seat 1, with seat 0's queen."""
    assert washing({1: TO_TWO, 2: "8C 9D 3C QS", 3: TO_ONE}) == [(None, None), (2, None)]


def test_C2_the_first_queen_is_the_one_that_counts() -> None:
    """More of them change nothing."""
    assert washing({2: "2C QD 3H QS", 5: "4C QH 8H 3S"}) == [(2, None), (None, None)]


# --- C3: getting clean ------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(9, 14))
def test_C3_a_king_in_any_of_the_last_five_tricks(number: int) -> None:
    """Then the side is clean again."""
    assert washing({1: "2C QD 3H 4S", number: "5C KD 6H 7S"}) == [(1, number), (None, None)]


@pytest.mark.parametrize("number", [2, 8])
def test_C3_kings_taken_earlier_do_not_count(number: int) -> None:
    """Not in trick eight, and all four of them not."""
    assert washing({1: "2C QD 3H 4S", number: "5C KD KH KS"}) == [(1, None), (None, None)]


@pytest.mark.parametrize("trick", ["KC 5D 6H 7S", "5C KD 6H 7S", "5C 6D KH 7S", "5C 6D 7H KS"])
def test_C3_whose_king_it_was_does_not_matter(trick: str) -> None:
    """Led, from the partner or from an opponent."""
    assert washing({1: "2C QD 3H 4S", 10: trick}) == [(1, 10), (None, None)]


@pytest.mark.parametrize("trick", ["QC KD 6H 7S", "QC KD QH 7S", "QC KD KH KS"])
def test_C3_not_in_a_trick_taken_by_a_queen(trick: str) -> None:
    """However many kings are in it."""
    assert washing({1: "2C QD 3H 4S", 11: trick}) == [(1, None), (None, None)]


def test_C3_a_queen_may_be_in_the_trick() -> None:
    """As long as it is not the card that takes it."""
    assert washing({1: "2C QD 3H 4S", 11: "5C KD QH 7S"}) == [(1, 11), (None, None)]


def test_C3_one_king_cleans_however_many_queens() -> None:
    """Four queens in four tricks, one king."""
    tricks = {1: "2C QD 3H 4S", 3: "3C QH 4H 5S", 5: "4C QS 5H 6S", 8: "QC 7D 8H 9S"}
    assert washing({**tricks, 9: "8C KD 9H 3S"}) == [(1, 9), (None, None)]


def test_C3_the_first_king_is_the_one_that_counts() -> None:
    """A trick taken by a queen before does not spoil it."""
    tricks = {1: "2C QD 3H 4S", 9: "QC KD 6H 7S", 10: "5C KH 7H 8S", 12: "6C KS 8H 9S"}
    assert washing(tricks) == [(1, 10), (None, None)]


def test_C3_a_king_of_the_other_side_cleans_nobody_else() -> None:
    """Side one is dirty, side two takes the king."""
    tricks = {1: "2C QD 3H 4S", 9: "5C 5D KH 7S"}
    assert washing(tricks) == [(1, None), (None, None)]


def test_C3_both_sides_dirty_and_one_of_them_cleaned() -> None:
    """Each for itself."""
    tricks = {1: "2C QD 3H 4S", 2: "5C 5D 6H 7S", 3: "8C QH 9H 3S", 10: "9D KC TH JS"}
    assert washing(tricks) == [(1, None), (3, 10)]


# --- C4: what dirt costs ----------------------------------------------------------------------

SHARED = {1: "2C QD 3H 4S", 8: "5C 5D AH AS", 9: "6C AC 8H TS"}
"""Side one is dirty. Side two takes trick eight and all that come after."""


def test_C4_a_dirty_side_earns_nothing_and_keeps_what_it_had() -> None:
    """The other side gets its own points, not more."""
    count = CLEANING.count(finished(SHARED, score=(100, 200)))
    one, two = count["points"]
    assert one > 10
    assert two > 10
    assert count["dirty"] == [True, False]
    assert count["score"] == [100, 200 + two]


def test_C4_a_cleaned_side_earns_its_points() -> None:
    """As if nothing had been."""
    state = finished({1: "2C QD 3H 4S", 9: "5C KD 6H 7S"}, score=(100, 200))
    count = CLEANING.count(state)
    assert (count["dirty"], count["points"]) == ([False, False], [120, 0])
    assert count["score"] == [220, 0]


def test_C4_both_can_be_dirty() -> None:
    """Then neither gets anything."""
    count = CLEANING.count(
        finished({1: "2C QD 3H 4S", 4: "5C 5D AH AS", 5: "6C QH 8H TS"}, score=(100, 200))
    )
    assert min(count["points"]) > 10
    assert count["dirty"] == [True, True]
    assert count["score"] == [100, 200]


# --- C5: ten points or fewer ------------------------------------------------------------------


def with_few(trick: str, score: tuple[int, int] = (100, 200)) -> dict[str, Any]:
    """The count of a deal in which this is side two's only trick; seat 0 leads it."""
    return CLEANING.count(finished({1: trick, 2: "5C 5D 6H 7S"}, score))


@pytest.mark.parametrize(
    ("trick", "few", "score"),
    [
        ("2C 2D 3H 4S", 0, [220, 0]),
        ("2C 2D KH KS", 8, [212, 0]),
        ("2C 2D TH 4S", 10, [210, 0]),
        ("2C 2D AH 4S", 11, [209, 211]),
    ],
    ids=["none", "eight", "ten exactly", "eleven"],
)
def test_C5_ten_points_or_fewer_cost_the_whole_score(
    trick: str, few: int, score: list[int]
) -> None:
    """This deal's points included; eleven are enough to keep it."""
    count = with_few(trick)
    assert count["points"] == [120 - few, few]
    assert count["score"] == score


def test_C5_a_side_with_nothing_stays_at_nothing() -> None:
    """There is nothing below zero."""
    assert with_few("2C 2D TH 4S", score=(0, 0))["score"] == [110, 0]


def test_C5_the_pile_is_counted_before_the_dirt() -> None:
    """A dirty side with many points in its pile earns nothing but keeps what it had."""
    count = CLEANING.count(finished({1: "2C QD 3H 4S", 13: "6C 8D 8H AS"}, score=(100, 200)))
    assert (count["points"], count["dirty"]) == ([120, 0], [True, False])
    assert count["score"] == [100, 0]


def test_C5_dirty_with_few_is_zero_too() -> None:
    """Dirt does not save a score."""
    count = with_few("2C 2D QH 4S")
    assert (count["points"], count["dirty"]) == ([117, 3], [False, True])
    assert count["score"] == [217, 0]


def test_C5_it_is_explained() -> None:
    """With the tricks: who fell to zero."""
    state = finished({1: "2C 2D QH 4S", 2: "5C 5D 6H 7S"})
    for seat in range(4):
        assert CLEANING.view(state, seat)["explained"] == [
            {"dirtied": None, "cleaned": None, "dropped": False},
            {"dirtied": 1, "cleaned": None, "dropped": True},
        ]


# --- C6: the match ----------------------------------------------------------------------------

EVEN = {7: "5C 5D AH AS", 8: "6C AC 8H TS"}
"""Both sides get more than ten points, and nobody is dirty."""


def after_even(one: int, two: int) -> Sheet:
    """The sheet after a deal that brings the sides to these totals."""
    gained = CLEANING.count(finished(EVEN))["points"]
    assert min(gained) > 10
    return CLEANING.settle(finished(EVEN, (one - gained[0], two - gained[1])))


@pytest.mark.parametrize(
    ("one", "two", "winner"),
    [(499, 300, None), (500, 300, 0), (501, 300, 0), (300, 500, 1), (499, 499, None)],
)
def test_C6_first_to_reach_or_pass_five_hundred(one: int, two: int, winner: int | None) -> None:
    """Card points add up; there are no game points and nothing is held."""
    after = after_even(one, two)
    assert (after.score, after.held, after.winner) == ((one, two), 0, winner)


@pytest.mark.parametrize(("one", "two", "winner"), [(520, 510, 0), (500, 501, 1), (500, 590, 1)])
def test_C6_both_past_in_one_deal_the_higher_wins(one: int, two: int, winner: int) -> None:
    """Whoever got there first."""
    after = after_even(one, two)
    assert CLEANING.result(after) == {"outcome": "win", "winner": winner, "score": [one, two]}


@pytest.mark.parametrize("total", [500, 533])
def test_C6_equal_totals_past_it_play_on(total: int) -> None:
    """Another deal."""
    after = after_even(total, total)
    assert CLEANING.result(after) is None
    assert CLEANING.deal(after, PACK).turn is not None


def test_C6_a_score_past_it_can_still_be_lost() -> None:
    """After equal totals the next deal may drop one side to zero: the other has won."""
    after = CLEANING.settle(finished({1: "2C 2D TH 4S", 2: "5C 5D 6H 7S"}, score=(520, 520)))
    assert (after.score, after.winner) == ((630, 0), 0)


def test_C6_the_count_has_no_game_points() -> None:
    """Points, counts, tricks, dirt and score."""
    count = CLEANING.count(finished(EVEN))
    assert list(count) == ["points", "counts", "tricks", "dirty", "score"]


# --- C7: what is seen -------------------------------------------------------------------------


def test_C7_every_seat_sees_who_is_dirty() -> None:
    """From the trick that does it until the trick that cleans, and no word of which it was."""
    pack = stack({0: "2C 8C", 1: "QD 3D", 2: "3H 4H", 3: "4S 5S"}, each=5)
    state = CLEANING.deal(Sheet(dealer=3), pack)
    marks = [CLEANING.view(state, seat)["dirty"] for seat in range(4)]
    assert marks == [[False, False]] * 4
    for code in ("2C", "QD", "3H"):
        state = CLEANING.play(state, code)
        assert CLEANING.view(state, 0)["dirty"] == [False, False]
    state = CLEANING.play(state, "4S")
    for seat in range(4):
        view = CLEANING.view(state, seat)
        assert view["dirty"] == [True, False]
        assert view["explained"] is None


def test_C7_a_cleaned_side_is_shown_clean() -> None:
    """The mark goes with the king."""
    state = finished({1: "2C QD 3H 4S", 13: "5C KD 6H 7S"})
    assert dirt(state, 0) == Dirt(1, 13)
    assert CLEANING.view(state, 1)["dirty"] == [False, False]


@pytest.mark.parametrize("seed", range(10))
def test_C7_which_trick_it_was_is_told_when_the_deal_is_counted(seed: int) -> None:
    """Not before, to anybody."""
    deal = random_deal(random.Random(seed), CLEANING, Sheet(dealer=0))
    for state in deal.states:
        for seat in range(4):
            told = CLEANING.view(state, seat)["explained"]
            assert (told is None) == (state.turn is not None)


def test_the_table_is_told_its_goal_and_values() -> None:
    """As at a table with house rules."""
    view = CLEANING.view(CLEANING.deal(Sheet(dealer=0), PACK), 0)
    assert view["goal"] == 500
    assert view["values"] == {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
