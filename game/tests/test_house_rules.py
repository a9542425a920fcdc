"""Ristikontra by house rules, a test a sentence; the numbers are those of the rules document."""
# ruff: noqa: N802 (H1 and its like are the names of rules)

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from game import words
from game.engine.base import Illegal, freeze, thaw
from game.engine.cards import PACK
from game.engine.house import House, HouseSheet
from game.engine.ristikontra import State, points
from game.tests.deals import GAME, arranged, deal_worth

HOUSE = House()
FIVE = "five-to-one"
SWITCH = {1: "2C 2D 3H 4S", 2: "5C 5D 6H 7S"}
"""Two worthless tricks: side two takes the first from seat 0, side one the second from seat 1."""


def sheet(
    score: tuple[int, int] = (0, 0), held: int = 0, deals: int = 1, dealer: int = 3, **options: str
) -> HouseSheet:
    """The sheet of a table with these options, at this score."""
    return replace(HOUSE.open(4, options, dealer), score=score, held=held, deals=deals)


def worth(before: HouseSheet, one: int) -> State:
    """A finished deal in which side one has so many card points."""
    return deal_worth(before, one, HOUSE)


def refused(reason: str, call: Any, *arguments: Any) -> Illegal:
    with pytest.raises(Illegal) as raised:
        call(*arguments)
    assert raised.value.reason == reason
    assert words.refusal(raised.value)
    return raised.value


# --- The table --------------------------------------------------------------------------------


def test_all_defaults_count_like_the_plain_game() -> None:
    """Without a choice every deal pays what it pays there."""
    for one in (0, 2, 59, 60, 61, 118, 120):
        before = sheet((2, 3), held=1)
        house, plain = HOUSE.count(worth(before, one)), GAME.count(worth(before, one))
        assert house == plain


def test_a_sheet_keeps_its_options() -> None:
    """Through a deal, into a rematch and through JSON."""
    before = sheet((6, 0), values=FIVE, signalling="on")
    after = HOUSE.settle(worth(before, 60))
    assert after.winner == 0
    assert freeze(HouseSheet, thaw(after)) == after
    assert HOUSE.reopen(after) == HOUSE.open(4, {"values": FIVE, "signalling": "on"}, 0)


@pytest.mark.parametrize(
    ("option", "value"), [("sweep", "wipe"), ("signalling", "on"), ("goal", "card-points")]
)
def test_the_table_is_told_its_rules(option: str, value: str) -> None:
    """Every view names all the options, the values of the cards and the goal."""
    state = HOUSE.deal(HOUSE.open(4, {option: value}, 0), PACK)
    for seat in range(4):
        view = HOUSE.view(state, seat)
        assert view["options"] == {
            "values": "standard",
            "goal": "game-points",
            "sweep": "two-points",
            "signalling": "off",
        } | {option: value}
        assert view["values"] == {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
        assert view["goal"] == (120 if option == "goal" else 7)


@pytest.mark.parametrize(
    "options",
    [
        {"sweep": "wipe"},
        {"signalling": "on"},
        {"sweep": "wipe", "signalling": "on"},
        {"sweep": "wipe", "values": FIVE},
    ],
    ids=str,
)
def test_what_needs_game_points_is_refused_without_them(options: dict[str, str]) -> None:
    """H3 and H4: the refusal names the option."""
    illegal = refused("game-points-only", HOUSE.open, 4, {**options, "goal": "card-points"}, 0)
    assert illegal.facts["option"] in options
    assert illegal.facts["value"] == options[illegal.facts["option"]]
    assert HOUSE.open(4, {**options, "goal": "game-points"}, 0)


def test_every_other_combination_can_be_opened() -> None:
    """Ten of sixteen."""
    opened = 0
    for chosen in product(*HOUSE.options.values()):
        options = dict(zip(HOUSE.options, chosen, strict=True))
        try:
            HOUSE.open(4, options, 0)
            opened += 1
        except Illegal:
            assert options["goal"] == "card-points"
    assert opened == 10


# --- H1: values -------------------------------------------------------------------------------


@pytest.mark.parametrize("card", PACK)
def test_H1_five_to_one(card: str) -> None:
    """Ace five, king four, queen three, jack two, ten one, the others nothing."""
    values = HOUSE.rules(sheet(values=FIVE)).values
    assert points((card,), values) == {"A": 5, "K": 4, "Q": 3, "J": 2, "T": 1}.get(card[0], 0)


@pytest.mark.parametrize(
    ("one", "awarded"),
    [
        (60, [2, 0]),
        (59, [1, 0]),
        (31, [1, 0]),
        (30, [0, 0]),
        (29, [0, 1]),
        (1, [0, 1]),
        (0, [0, 2]),
    ],
)
def test_H1_a_deal_holds_sixty(one: int, awarded: list[int]) -> None:
    """More than thirty pays a game point, sixty pays two, thirty nobody."""
    count = HOUSE.count(worth(sheet((1, 2), values=FIVE), one))
    assert count["points"] == [one, 60 - one]
    assert count["awarded"] == awarded
    assert count["score"] == [1 + awarded[0], 2 + awarded[1]]


def test_H1_thirty_thirty_is_held_and_paid() -> None:
    """Two such deals hold two; the next winner gets them."""
    now: Any = sheet(values=FIVE)
    for held in (1, 2):
        count = HOUSE.count(worth(now, 30))
        assert (count["awarded"], count["held"], count["score"]) == ([0, 0], held, [0, 0])
        now = HOUSE.settle(worth(now, 30))
        assert now.held == held
    count = HOUSE.count(worth(now, 29))
    assert (count["awarded"], count["held"], count["score"]) == ([0, 3], 0, [0, 3])


def test_H1_the_counts_come_in_the_same_order() -> None:
    """Aces, tens, kings, queens, jacks, whatever they are worth."""
    for counts in HOUSE.count(worth(sheet(values=FIVE), 40))["counts"]:
        assert list(counts) == ["A", "T", "K", "Q", "J"]


# --- H2: goal ---------------------------------------------------------------------------------


def points_sheet(score: tuple[int, int], values: str = "standard") -> HouseSheet:
    return sheet(score, goal="card-points", values=values)


@pytest.mark.parametrize(("one", "two"), [(61, 59), (60, 60), (120, 0), (2, 118)])
def test_H2_card_points_are_added_up(one: int, two: int) -> None:
    """No game points, nothing held, and the count speaks of neither."""
    state = worth(points_sheet((30, 20)), one)
    count = HOUSE.count(state)
    assert list(count) == ["points", "counts", "tricks", "score"]
    assert count["score"] == [30 + one, 20 + two]
    assert HOUSE.settle(state).held == 0


@pytest.mark.parametrize(
    ("values", "score", "one", "final", "winner"),
    [
        ("standard", (50, 30), 69, (119, 81), None),
        ("standard", (50, 30), 70, (120, 80), 0),
        ("standard", (50, 59), 59, (109, 120), 1),
        ("standard", (0, 0), 120, (120, 0), 0),
        (FIVE, (30, 10), 29, (59, 41), None),
        (FIVE, (30, 10), 30, (60, 40), 0),
        (FIVE, (10, 40), 20, (30, 80), 1),
    ],
)
def test_H2_first_to_reach_or_pass_what_a_deal_holds(
    values: str, score: tuple[int, int], one: int, final: tuple[int, int], winner: int | None
) -> None:
    """A hundred and twenty, or sixty with five to one."""
    after = HOUSE.settle(worth(points_sheet(score, values), one))
    assert (after.score, after.winner) == (final, winner)


@pytest.mark.parametrize(("one", "winner"), [(61, 0), (59, 1)])
def test_H2_both_past_in_one_deal_the_higher_wins(one: int, winner: int) -> None:
    """It is judged after trick thirteen, so who passed first does not matter."""
    after = HOUSE.settle(worth(points_sheet((100, 100)), one))
    assert min(after.score) > 120
    assert after.winner == winner
    assert HOUSE.result(after) == {"outcome": "win", "winner": winner, "score": list(after.score)}


def test_H2_equal_totals_past_the_goal_play_on() -> None:
    """Another deal, until somebody is ahead."""
    even = HOUSE.settle(worth(points_sheet((100, 98)), 59))
    assert (even.score, even.winner) == ((159, 159), None)
    assert HOUSE.result(even) is None
    assert HOUSE.settle(worth(points_sheet(even.score), 60)).winner is None
    assert HOUSE.settle(worth(points_sheet(even.score), 59)).winner == 1


# --- H3: sweep --------------------------------------------------------------------------------


def wipe(score: tuple[int, int], held: int = 0) -> HouseSheet:
    return sheet(score, held, sweep="wipe")


@pytest.mark.parametrize(
    ("dealer", "final"),
    [(3, (3, 0)), (0, (0, 5))],
    ids=["side one sweeps", "side two sweeps"],
)
def test_H3_thirteen_tricks_earn_nothing_and_wipe_the_others(
    dealer: int, final: tuple[int, int]
) -> None:
    """The sweeping side keeps its score, the other has none left. Whoever leads first sweeps."""
    state = arranged(HOUSE, sheet((3, 5), dealer=dealer, sweep="wipe"))
    count = HOUSE.count(state)
    assert sorted(count["tricks"]) == [0, 13]
    assert (count["awarded"], count["held"], tuple(count["score"])) == ([0, 0], 0, final)
    assert HOUSE.settle(state).score == final


def test_H3_held_points_are_paid_all_the_same() -> None:
    """A sweep brings what was held, and then nothing is held."""
    count = HOUSE.count(arranged(HOUSE, wipe((3, 5), held=2)))
    assert (count["awarded"], count["held"], count["score"]) == ([2, 0], 0, [5, 0])


def test_H3_a_sweep_can_win_by_what_was_held_alone() -> None:
    """Six and one held are seven."""
    assert HOUSE.settle(arranged(HOUSE, wipe((6, 5)))).winner is None
    after = HOUSE.settle(arranged(HOUSE, wipe((6, 5), held=1)))
    assert (after.score, after.winner) == ((7, 0), 0)


def test_H3_all_the_points_without_all_the_tricks_pay_two() -> None:
    """One worthless trick for the others and nobody is wiped."""
    count = HOUSE.count(arranged(HOUSE, wipe((3, 5), held=1), SWITCH))
    assert (count["points"], count["tricks"]) == ([120, 0], [12, 1])
    assert (count["awarded"], count["score"]) == ([3, 0], [6, 5])


def test_H3_by_default_a_sweep_pays_two() -> None:
    """And takes nothing from anybody."""
    count = HOUSE.count(arranged(HOUSE, sheet((3, 5))))
    assert (count["awarded"], count["score"]) == ([2, 0], [5, 5])


# --- H4: signalling ---------------------------------------------------------------------------


def signalling(score: tuple[int, int], deals: int = 1) -> HouseSheet:
    return sheet(score, deals=deals, signalling="on")


@pytest.mark.parametrize(("side", "final"), [(0, (2, 5)), (1, (4, 3))])
def test_H4_conceding_costs_two_game_points(side: int, final: tuple[int, int]) -> None:
    """Of the side that concedes."""
    assert HOUSE.concede(signalling((4, 5)), side).score == final


@pytest.mark.parametrize(("has", "left"), [(0, 0), (1, 0), (2, 0), (3, 1)])
def test_H4_never_below_zero(has: int, left: int) -> None:
    """Whoever has less loses what it has; at zero it may still own up."""
    after = HOUSE.concede(signalling((has, 6)), 0)
    assert (after.score, after.conceded) == ((left, 6), (1, 0))


def test_H4_both_sides_may_concede_each_once() -> None:
    """A second time is refused until another deal has been counted."""
    now = HOUSE.concede(HOUSE.concede(signalling((4, 5)), 1), 0)
    assert (now.score, now.conceded) == ((2, 3), (1, 1))
    for side in (0, 1):
        refused("conceded", HOUSE.concede, now, side)
    after = HOUSE.settle(worth(now, 61))
    assert isinstance(after, HouseSheet)
    assert (after.score, after.conceded) == ((3, 3), (0, 0))
    assert HOUSE.concede(after, 0).score == (1, 3)


def test_H4_not_before_a_deal_has_been_counted() -> None:
    """There is nothing to own up to yet."""
    now = HOUSE.open(4, {"signalling": "on"}, 3)
    refused("nothing-counted", HOUSE.concede, now, 0)
    refused("nothing-counted", HOUSE.concede_now, HOUSE.deal(now, PACK), 0)


def test_H4_not_once_the_match_is_won() -> None:
    """Neither side, however the score."""
    state = worth(signalling((6, 5)), 61)
    for side in (0, 1):
        refused("match-over", HOUSE.concede, HOUSE.settle(state), side)
        refused("match-over", HOUSE.concede_now, state, side)


@pytest.mark.parametrize("option", [{}, {"goal": "card-points"}, {"sweep": "wipe"}], ids=str)
def test_H4_not_where_it_was_not_chosen(option: dict[str, str]) -> None:
    """Off is the default, and card points know no such thing."""
    now = replace(HOUSE.open(4, option, 3), score=(4, 5), deals=9)
    refused("signalling-off", HOUSE.concede, now, 0)


def test_H4_after_the_count_the_finished_deal_shows_it() -> None:
    """Score and sheet have the penalty in them; what the deal paid stays what it was."""
    state = worth(signalling((4, 4)), 61)
    assert HOUSE.count(state)["score"] == [5, 4]
    now = HOUSE.concede_now(HOUSE.concede_now(state, 0), 1)
    assert now.conceded == (1, 1)
    count = HOUSE.count(now)
    assert (count["awarded"], count["score"]) == ([1, 0], [3, 2])
    after = HOUSE.concede(HOUSE.concede(HOUSE.settle(state), 1), 0)
    assert HOUSE.settle(now) == after
    for seat in range(4):
        view = HOUSE.view(now, seat)
        assert (view["score"], view["conceded"], view["concede"]) == ([3, 2], [1, 1], False)
    refused("conceded", HOUSE.concede_now, now, 0)


def test_H4_until_the_next_deals_first_play() -> None:
    """In a deal that nobody has played in it is still possible, and then no more."""
    state = HOUSE.deal(signalling((4, 5)), PACK)
    now = HOUSE.concede_now(state, 1)
    assert now.sheet == HOUSE.concede(signalling((4, 5)), 1)
    assert [HOUSE.view(now, seat)["concede"] for seat in range(4)] == [True, False, True, False]
    assert HOUSE.view(now, 0)["score"] == [4, 3]
    played = HOUSE.play(state, "dark")
    refused("concede-late", HOUSE.concede_now, played, 0)
    assert [HOUSE.view(played, seat)["concede"] for seat in range(4)] == [False] * 4


def test_H4_conceding_before_and_after_the_deal_is_the_same() -> None:
    """The next deal starts from the same sheet either way."""
    state = worth(signalling((4, 4)), 59)
    early = HOUSE.deal(HOUSE.settle(HOUSE.concede_now(state, 0)), PACK)
    late = HOUSE.concede_now(HOUSE.deal(HOUSE.settle(state), PACK), 0)
    assert early == late
    refused("conceded", HOUSE.concede_now, early, 0)
