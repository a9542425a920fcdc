"""The rules of Ristiseiska, a test a sentence; the numbers are those of the rules document."""
# ruff: noqa: N802 (S7 and its like are the names of rules)

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game import words
from game.engine.base import Illegal
from game.engine.cards import PACK, RANKS, SUITS
from game.engine.ristiseiska import PANTTI, STOP, Sheet, State, fits
from game.records import Deal, Record, check
from game.tests.deals import random_deal, shuffled
from game.tests.rows import GAME, dealt, laid, opened, played, position, row, scored, views


def refused(state: State, code: str, reason: str) -> Illegal:
    """The refusal of a play that must not be possible."""
    assert code not in GAME.legal(state)
    with pytest.raises(Illegal) as raised:
        GAME.play(state, code)
    assert raised.value.reason == reason
    assert words.refusal(raised.value)
    return raised.value


def whole_suit(suit: str, rows: str) -> list[str]:
    """The ranks of a suit that may be laid at this table by a seat that holds all the others."""
    table = laid(rows)
    hand = " ".join(card for card in PACK if card[1] == suit and card not in table)
    return [code[0] for code in GAME.legal(position(hand, "AS", rows=rows)) if code != PANTTI]


# --- S1: seats, cards, dealer -----------------------------------------------------------------


@pytest.mark.parametrize("seats", [0, 1, 5, 6])
def test_S1_two_three_or_four_seats(seats: int) -> None:
    """No more and no fewer, and each plays for itself."""
    assert GAME.seats == (2, 3, 4)
    assert GAME.sides == 0
    with pytest.raises(Illegal) as raised:
        GAME.open(seats, {}, 0)
    assert raised.value.reason == "seats"


@pytest.mark.parametrize(
    ("seats", "sizes"), [(2, [26, 26]), (3, [18, 17, 17]), (4, [13, 13, 13, 13])]
)
def test_S1_all_cards_are_dealt(seats: int, sizes: list[int]) -> None:
    """Twenty-six each, or eighteen and twice seventeen, or thirteen each."""
    state = GAME.deal(opened(seats, dealer=seats - 1), PACK)
    assert [len(hand) for hand in state.hands] == sizes
    assert sorted(card for hand in state.hands for card in hand) == sorted(PACK)
    assert views(state)[0]["hands"] == sizes


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_S1_one_at_a_time_from_the_seat_after_the_dealer(seats: int) -> None:
    """The first card goes to that seat, the next to the seat after it, and so round and round."""
    for dealer in range(seats):
        pack = shuffled(random.Random(dealer))
        state = GAME.deal(opened(seats, dealer), pack)
        for place in range(seats):
            assert state.hands[(dealer + 1 + place) % seats] == pack[place::seats]


def test_S1_the_eighteenth_card_moves_round() -> None:
    """With three seats it is always the seat after the dealer that has one card more."""
    sheet, long = opened(3, dealer=1), []
    for seed in range(3):
        deal = random_deal(random.Random(seed), GAME, sheet)
        long.append([len(hand) for hand in deal.states[0].hands].index(18))
        sheet = GAME.settle(deal.states[-1])
    assert long == [2, 0, 1]


def test_S1_the_deal_goes_clockwise_on_into_a_rematch() -> None:
    """Each deal has the next dealer, and the next match goes on from the last."""
    sheet, dealers = opened(3, dealer=2), []
    for seed in range(3):
        dealers.append(sheet.dealer)
        sheet = GAME.settle(random_deal(random.Random(seed), GAME, sheet).states[-1])
    assert dealers == [2, 0, 1]
    assert GAME.result(sheet)
    assert GAME.reopen(sheet) == opened(3, dealer=2)


@pytest.mark.parametrize("dealer", [-1, 3])
def test_S1_the_first_dealer_is_named_from_outside(dealer: int) -> None:
    """And is one of the seats."""
    assert [opened(3, seat).dealer for seat in range(3)] == [0, 1, 2]
    with pytest.raises(Illegal) as raised:
        GAME.open(3, {}, dealer)
    assert raised.value.reason == "dealer"


# --- S2: the seven of clubs -------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("seat", range(4))
def test_S2_the_seven_of_clubs_starts(seat: int, dealer: int) -> None:
    """Whoever deals, the seat that holds it is the first."""
    assert dealt({seat: "7C"}, seats=4, dealer=dealer).turn == seat


def test_S2_it_must_be_played() -> None:
    """Neither another seven nor the pantti nor anything else comes first."""
    state = dealt({1: "7C 7D 6C 7H 7S"})
    assert GAME.legal(state) == ["7C"]
    assert refused(state, "7D", "waits").facts == {"card": "7D", "awaited": "7C"}
    refused(state, "6C", "waits")
    refused(state, PANTTI, "must-play")
    refused(state, STOP, "no-extra")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_S2_turns_go_clockwise(seats: int) -> None:
    """A card or the pantti: then the next seat is on turn, after the last one the first."""
    state = dealt({seats - 1: "7C"}, seats=seats)
    turns = []
    for _ in range(seats + 1):
        turns.append(state.turn)
        state = GAME.play(state, GAME.legal(state)[0])
    assert turns == [seats - 1, *range(seats)]


# --- S3: seven, six, eight, then both ends ----------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "next_ones"),
    [
        ("C7", ["7"]),
        ("C7 H7", ["6"]),
        ("C7 H67", ["8"]),
        ("C7 H678", ["5", "9"]),
        ("C7 H5-8", ["4", "9"]),
        ("C7 H6-9", ["5", "T"]),
        ("C7 H3-T", ["2", "J"]),
        ("C7 H2-Q", ["A", "K"]),
        ("C7 HA-J", ["Q"]),
        ("C7 H4-K", ["3"]),
        ("C7 HA-K", []),
    ],
)
def test_S3_seven_then_six_then_eight_then_both_ends(rows: str, next_ones: list[str]) -> None:
    """What of the hearts may be laid, all of them being in one hand."""
    assert whole_suit("H", rows) == next_ones


def test_S3_no_gaps_and_the_low_end_ends_with_the_ace() -> None:
    """Laid from the seven outwards, each card fits when its neighbour lies, and never before."""
    low, high = "65432A", "89TJQK"
    assert sorted(low + "7" + high) == sorted(RANKS)
    for ranks in (low, high):
        for sooner, later in pairwise(ranks):
            without = frozenset(PACK) - {f"{sooner}S", f"{later}S"}
            if (sooner, later) != ("6", "5"):
                assert not fits(without, f"{later}S")
            assert fits(without | {f"{sooner}S"}, f"{later}S")


def test_S3_the_eight_waits_for_the_six_and_the_five_for_the_eight() -> None:
    """A refusal says which card is awaited, though others may have to come before it."""
    state = position("8H 5H 9H AH 7S", "KS", rows="C7 H7")
    for card, awaited in {"8H": "6H", "5H": "8H", "9H": "8H", "AH": "2H"}.items():
        assert refused(state, card, "waits").facts == {"card": card, "awaited": awaited}
    text = words.refusal(refused(state, "5H", "waits"))
    assert text == "The five of hearts waits for the eight of hearts."


def test_S3_a_seat_is_told_what_each_of_its_cards_waits_for() -> None:
    """By rank: it is a card of the same suit, save that every seven waits for that of clubs."""
    first, second = views(position("8H 5H 6H 7S", "5C AD", rows="C7 H7"))
    assert first["waits"] == {"5H": "8", "8H": "6"}
    assert first["legal"] == ["6H", "7S"]
    assert second["waits"] == {"5C": "8", "AD": "2"}
    start = dealt({0: "7C 7D 6C"})
    assert views(start)[0]["waits"].items() >= {"7D": "7", "6C": "7"}.items()
    assert "7C" not in views(start)[0]["waits"]


@pytest.mark.parametrize("rows", ["C7", "C67", "C5-9 D7", "CA-K DA-K"])
def test_S3_other_sevens_may_be_played_any_time(rows: str) -> None:
    """However far the other suits are."""
    state = position("7H 7S", "KS", rows=rows)
    assert GAME.legal(state) == ["7H", "7S"]


def test_S3_suits_go_on_apart() -> None:
    """The right rank of another suit does not fit."""
    state = position("6S 8D 8C 7S", "KS", rows="C7 D67 H7")
    assert GAME.legal(state) == ["8D", "7S"]


def test_S3_the_table_shows_each_row() -> None:
    """Its cards, and the rank that fits at either end now."""
    state = position("5C", "KS", rows="C5-9 D7 H67")
    assert row(state, "C") == {
        "suit": "C",
        "cards": ["5C", "6C", "7C", "8C", "9C"],
        "low": "4",
        "high": "T",
        "closed": [],
    }
    assert [row(state, "D")[end] for end in ("low", "high")] == ["6", None]
    assert [row(state, "H")[end] for end in ("low", "high")] == [None, "8"]
    assert row(state, "S") == {"suit": "S", "cards": [], "low": None, "high": None, "closed": []}


# --- S4: who can play must play ---------------------------------------------------------------


def test_S4_a_seat_that_can_play_must_play() -> None:
    """The pantti is no choice, and neither is stopping."""
    state = position("6C 4S", "KS")
    assert GAME.legal(state) == ["6C"]
    refused(state, PANTTI, "must-play")
    refused(state, STOP, "no-extra")


def test_S4_it_chooses_which() -> None:
    """Any card that fits: a six may be kept back for another seven."""
    state = position("6H 5H 7S", "KS", rows="C7 H7")
    assert GAME.legal(state) == ["6H", "7S"]
    assert row(played(state, "7S"), "H")["cards"] == ["7H"]


def test_S4_one_card_a_turn() -> None:
    """The five and the four in one hand take two turns."""
    state = position("5C 4C", "AS KS", rows="C678", turn=0)
    assert GAME.legal(state) == ["5C"]
    assert played(state, "5C").turn == 1


def test_S4_only_cards_of_the_own_hand() -> None:
    """What another seat has cannot be played, nor what lies already, nor what there is not."""
    state = position("6C 4S", "7S")
    refused(state, "7S", "not-held")
    refused(state, "7C", "not-held")
    for code in ("dark", "", "7c", "PANTTI", "pass"):
        refused(state, code, "unknown-code")


# --- S5: the pantti ---------------------------------------------------------------------------


def test_S5_a_seat_that_cannot_play_takes_the_pantti() -> None:
    """There is nothing else it may do, and its turn ends with it."""
    state = position("5C 4S", "6C KS")
    assert GAME.legal(state) == [PANTTI]
    after = played(state, PANTTI)
    assert (after.holder, after.turn, after.hands) == (0, 1, state.hands)
    assert [view["holder"] for view in views(after)] == [0, 0]
    assert [view["last"] for view in views(after)] == [{"seat": 0, "code": PANTTI}] * 2


def test_S5_taking_it_frees_the_holder() -> None:
    """There is one pantti: whoever takes it, the other has it no more."""
    state = played(position("5C 4S", "6H KS", holder=1), PANTTI)
    assert state.holder == 0
    assert played(state, PANTTI).holder == 1


def test_S5_taking_it_again_changes_nothing() -> None:
    """Three times without a card cost as much as once."""
    state = position("5C", "6C 7D 7H KS", "5S", sheet=opened(3))
    state = played(state, "pantti 7D pantti pantti 7H pantti pantti 6C")
    assert state.holder == 0
    assert [view["pantti"] for view in views(state)] == [21, 21, 21]


def test_S5_playing_later_does_not_give_it_away() -> None:
    """It stays in front of its holder until somebody else must take it."""
    state = played(position("6C 5C KC", "7D KS", holder=0), "6C")
    assert state.holder == 0
    assert played(state, "7D").holder == 0


def test_S5_each_deal_starts_without_a_holder() -> None:
    """Whoever had it before."""
    over = played(position("AC", "KS", rows="C2-8", holder=1), "AC")
    assert over.holder == 1
    assert GAME.deal(GAME.settle(over), PACK).holder is None


# --- S6: the extra move -----------------------------------------------------------------------


@pytest.mark.parametrize(("card", "rows"), [("AC", "C2-8"), ("KC", "C6-Q")])
def test_S6_after_an_ace_or_a_king_the_same_seat_may_play_one_more_or_stop(
    card: str, rows: str
) -> None:
    """It stays on turn, with its cards that fit and the stop to choose from."""
    state = played(position(f"{card} 9H 5H 2S", "KS", rows=f"{rows} H678"), card)
    assert (state.turn, state.extra) == (0, True)
    assert GAME.legal(state) == ["5H", "9H", STOP]
    assert [played(state, code).turn for code in ("9H", STOP)] == [1, 1]
    assert [view["extra"] for view in views(state)] == [True, True]
    assert not any(view["extra"] for view in views(played(state, "9H")))


def test_S6_no_pantti_for_stopping() -> None:
    """Stopping moves it nowhere, and it cannot be taken instead."""
    state = played(position("AC 2S", "KS", rows="C2-8", holder=1), "AC")
    refused(state, PANTTI, "pantti-extra")
    assert played(state, STOP).holder == 1


@pytest.mark.parametrize("code", ["2S", "9H"])
def test_S6_the_extra_card_must_fit(code: str) -> None:
    """An extra move does not go over missing cards."""
    refused(played(position("AC 2S 9H", "KS", rows="C2-8 H67"), "AC"), code, "waits")


def test_S6_another_ace_or_king_gives_another() -> None:
    """One after the other, as long as they fit."""
    state = position("AC KC AD 9H TH", "KS", rows="C2-Q D2-8 H678")
    state = played(state, "AC KC AD")
    assert (state.turn, state.extra) == (0, True)
    state = played(state, "9H")
    assert (state.turn, state.extra) == (1, False)


def test_S6_with_nothing_to_add_the_seat_still_answers_stop() -> None:
    """So that nobody learns whether it could have played: the others see the same."""
    shown = []
    for hand in ("AC 2S", "AC 9H"):
        state = played(position(hand, "KS", rows="C2-8 H678"), "AC")
        assert state.turn == 0
        assert STOP in GAME.legal(state)
        shown.append(views(state)[1])
    assert shown[0] == shown[1]
    assert GAME.legal(played(position("AC 2S", "KS", rows="C2-8"), "AC")) == [STOP]


@pytest.mark.parametrize("code", ["6C", "9D"])
def test_S6_no_stop_after_any_other_card(code: str) -> None:
    """Only aces and kings give an extra move."""
    state = played(position("6C 9D 5S", "KS 7S", rows="C7 D678"), code)
    assert (state.turn, state.extra) == (1, False)
    refused(state, STOP, "no-extra")


# --- S7: finished ends ------------------------------------------------------------------------


def test_S7_a_finished_end_is_turned_face_down() -> None:
    """The seven and the other end stay in sight, and the other end goes on."""
    state = played(position("AC 9C", "KS", rows="C2-8"), "AC")
    assert row(state, "C") == {
        "suit": "C",
        "cards": ["7C", "8C"],
        "low": None,
        "high": "9",
        "closed": ["low"],
    }
    assert "9C" in GAME.legal(state)


def test_S7_each_end_is_closed_by_itself() -> None:
    """The king closes the high end; with both closed the seven is left to be seen."""
    state = played(position("KC AC 2S", "KS", rows="C2-Q"), "KC")
    assert row(state, "C")["closed"] == ["high"]
    assert row(state, "C")["cards"] == ["2C", "3C", "4C", "5C", "6C", "7C"]
    state = played(state, "AC")
    assert row(state, "C")["closed"] == ["low", "high"]
    assert row(state, "C")["cards"] == ["7C"]


# --- S8: the end of a deal --------------------------------------------------------------------


def test_S8_the_deal_ends_the_moment_a_hand_is_empty() -> None:
    """Nobody plays after that."""
    state = played(position("6C", "8C KS", "7D"), "6C")
    assert state.turn is None
    assert GAME.legal(state) == []
    for code in ("8C", PANTTI, STOP):
        with pytest.raises(Illegal) as raised:
            GAME.play(state, code)
        assert raised.value.reason == "deal-over"


@pytest.mark.parametrize(("card", "rows"), [("AC", "C2-8"), ("KC", "C6-Q")])
def test_S8_also_by_an_ace_or_a_king(card: str, rows: str) -> None:
    """The extra move does not come to it."""
    state = played(position(card, "KS", rows=rows), card)
    assert (state.turn, state.extra) == (None, False)


def test_S8_also_by_an_extra_card() -> None:
    """The ace, then the king: out in one turn."""
    state = played(position("AS KC", "KH", rows="C6-Q S2-8"), "AS KC")
    assert state.turn is None
    assert GAME.count(state)["winner"] == 0


def test_S8_the_winner_pays_nothing_and_the_others_their_hands() -> None:
    """Each card its cost, added up."""
    over = played(position("6C", "AC KC 4C", "2D TD JD QD 9D"), "6C")
    assert GAME.count(over) == {
        "winner": 0,
        "holder": None,
        "points": [0, 31, 44],
        "totals": [0, 31, 44],
    }


@pytest.mark.parametrize(("rank", "cost"), [*zip("23456789TJQKA", range(2, 15), strict=True)])
def test_S8_what_a_card_costs(rank: str, cost: int) -> None:
    """A number its number, a jack 11, a queen 12, a king 13, an ace 14; of any suit."""
    for suit in "DHS":
        over = played(position("6C", rank + suit), "6C")
        assert GAME.count(over)["points"] == [0, cost]


@pytest.mark.parametrize("value", [21, 25])
def test_S8_the_holder_pays_the_pantti_too(value: int) -> None:
    """An ace, a king and a four are 31; with the pantti 52, or 56."""
    hands = ("6C", "AS KS 4S", "2D")
    over = played(position(*hands, holder=1, sheet=opened(3, pantti=value)), "6C")
    assert GAME.count(over)["points"] == [0, 31 + value, 2]
    assert GAME.count(over)["holder"] == 1


def test_S8_a_winner_with_the_pantti_pays_nothing_and_nobody_pays_it() -> None:
    """It is nobody's then, though the count says who had it."""
    over = played(position("6C", "AS", "2D", holder=0), "6C")
    assert GAME.count(over)["points"] == [0, 14, 2]
    assert GAME.count(over)["holder"] == 0


def test_S8_the_hands_left_are_shown_at_the_end_and_not_before() -> None:
    """To every seat, with what they cost."""
    state = position("6C", "KS 4S", "2D", holder=1)
    assert [view["left"] for view in views(state)] == [None, None, None]
    left = [
        {"hand": [], "cards": 0, "pantti": 0},
        {"hand": ["4S", "KS"], "cards": 17, "pantti": 21},
        {"hand": ["2D"], "cards": 2, "pantti": 0},
    ]
    assert [view["left"] for view in views(played(state, "6C"))] == [left] * 3


# --- S9: options, totals, the end of a match --------------------------------------------------


def test_S9_absent_options_have_their_defaults() -> None:
    """Three deals, a pantti of 21, a tie is a draw."""
    named = opened(2, deals=3, pantti=21, tie="draw")
    assert opened(2) == named
    view = views(GAME.deal(named, PACK))[0]
    assert [view[name] for name in ("length", "pantti", "tie")] == [3, 21, "draw"]


@pytest.mark.parametrize("deals", range(1, 11))
def test_S9_a_match_has_one_to_ten_deals(deals: int) -> None:
    """As many as were chosen, then there is a result."""
    sheet = opened(2, deals=deals)
    for seed in range(deals):
        assert GAME.result(sheet) is None
        sheet = GAME.settle(random_deal(random.Random(seed), GAME, sheet).states[-1])
    assert GAME.result(sheet)


@pytest.mark.parametrize(
    "options",
    [
        {"deals": 0},
        {"deals": 11},
        {"deals": "3"},
        {"deals": True},
        {"pantti": 20},
        {"pantti": 0},
        {"pantti": "21"},
        {"tie": "sudden-death"},
        {"tie": 1},
        {"seats": 2},
        {"length": 3},
    ],
    ids=str,
)
def test_S9_another_value_is_refused(options: dict[str, Any]) -> None:
    """So is an option that there is not."""
    with pytest.raises(Illegal) as raised:
        GAME.open(2, options, 0)
    assert raised.value.reason == "option"


def test_S9_the_pantti_is_shown_apart() -> None:
    """Ten for the cards and twenty-one for the pantti, as the count of the deal is written."""
    over = played(position("6C", "TS", holder=1), "6C")
    left = views(over)[0]["left"][1]
    assert f"{left['cards']} + {left['pantti']}" == "10 + 21"
    assert GAME.count(over)["points"][1] == 31


def test_S9_points_add_up_over_the_deals() -> None:
    """29, 32 and 43 after three deals of three people."""
    sheet = opened(3)
    for hands, holder in (
        (("6C", "TS 8S", "KS AS"), None),
        (("TS JS", "6C", "9S 7S"), None),
        (("8S", "AS", "6C"), None),
    ):
        winner = hands.index("6C")
        state = position(*hands, turn=winner, holder=holder, sheet=sheet)
        sheet = GAME.settle(played(state, "6C"))
    assert sheet.score == (29, 32, 43)
    assert GAME.result(sheet) == {"outcome": "win", "winner": 0, "score": [29, 32, 43]}


@pytest.mark.parametrize(
    ("totals", "winner"), [((40, 12, 13), 1), ((0, 51, 51, 105), 0), ((5, 4), 1)]
)
def test_S9_the_lowest_total_wins(totals: tuple[int, ...], winner: int) -> None:
    """Others may be equal."""
    for tie in ("draw", "extra-deal"):
        result = GAME.result(scored(*totals, tie=tie))
        assert result == {"outcome": "win", "winner": winner, "score": list(totals)}


def test_S9_a_shared_lowest_total_is_a_draw() -> None:
    """Unless an extra deal was chosen."""
    result = GAME.result(scored(12, 30, 12))
    assert result == {"outcome": "draw", "reason": "tie", "score": [12, 30, 12]}


def test_S9_or_deals_are_added_while_the_lowest_total_is_shared() -> None:
    """As many as it takes; everybody plays on, and anybody may win."""
    sheet = scored(12, 30, 12, tie="extra-deal")
    assert GAME.result(sheet) is None
    view = views(GAME.deal(sheet, PACK))[0]
    assert (view["deal"], view["length"]) == (4, 3)
    for hands, score in ((("6C", "KS", "2D 8D"), (12, 43, 22)), (("KS", "6C", "TS"), (25, 30, 22))):
        state = position(*hands, turn=hands.index("6C"), sheet=sheet)
        assert GAME.settle(played(state, "6C")).score == score
    again = position("5S", "6C", "5D", turn=1, sheet=sheet)
    sheet = GAME.settle(played(again, "6C"))
    assert sheet.score == (17, 30, 17)
    assert GAME.result(sheet) is None
    over = GAME.settle(played(position("6C", "5D", "2S", sheet=sheet), "6C"))
    assert GAME.result(over) == {"outcome": "win", "winner": 0, "score": [17, 35, 19]}


def test_S9_a_match_that_is_over_has_no_more_deals() -> None:
    """Drawn or won; a rematch begins with nothing."""
    for sheet in (scored(1, 2), scored(2, 2)):
        with pytest.raises(Illegal) as raised:
            GAME.deal(sheet, PACK)
        assert raised.value.reason == "match-over"
    rematch = GAME.reopen(scored(1, 2, pantti=25, deals=3, tie="extra-deal"))
    assert rematch == opened(2, pantti=25, tie="extra-deal")


# --- S10: somebody can always play ------------------------------------------------------------


@given(
    seats=st.integers(2, 4),
    order=st.permutations(PACK),
    lying=st.integers(1, 51),
    owners=st.lists(st.integers(0, 3), min_size=52, max_size=52),
    turn=st.integers(0, 3),
)
@settings(deadline=None, max_examples=200)
def test_S10_a_whole_round_of_panttis_is_impossible(
    seats: int, order: list[str], lying: int, owners: list[int], turn: int
) -> None:
    """At any table that can come about, whoever has the other cards, somebody has one that fits."""
    table = frozenset[str]()
    while len(table) < lying:
        table |= {next(card for card in order if card not in table and fits(table, card))}
    hands: list[list[str]] = [[] for _ in range(seats)]
    for card, owner in zip(order, owners, strict=True):
        if card not in table:
            hands[owner % seats].append(card)
    state = State(
        opened(seats), tuple(map(tuple, hands)), turn=turn % seats, table=table, holder=None
    )
    panttis = 0
    while GAME.legal(state) == [PANTTI]:
        state = GAME.play(state, PANTTI)
        panttis += 1
        assert panttis < seats


@given(seed=st.integers(0, 9999), seats=st.integers(2, 4))
@settings(deadline=None, max_examples=100)
def test_S10_nor_does_it_come_about_in_a_deal(seed: int, seats: int) -> None:
    """Played at random to its end: every deal ends, with fewer panttis in a row than seats."""
    deal = random_deal(random.Random(seed), GAME, opened(seats))
    row_of_panttis = 0
    for code in deal.plays:
        row_of_panttis = row_of_panttis + 1 if code == PANTTI else 0
        assert row_of_panttis < seats


# --- S11: all cards are dealt -----------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_S11_no_card_is_left_over(seats: int) -> None:
    """Nothing is drawn, and every row can be finished by those who sit there and by nobody else."""
    state = GAME.deal(opened(seats), shuffled(random.Random(seats)))
    held = {
        suit: {card[0] for hand in state.hands for card in hand if card[1] == suit}
        for suit in SUITS
    }
    assert held == {suit: set(RANKS) for suit in SUITS}


@pytest.mark.parametrize("reason", ["left", "closed"])
def test_S11_a_match_that_loses_a_seat_is_a_draw(reason: str) -> None:
    """Whatever the totals: such a record is right, and one that names a winner is not."""
    deal = random_deal(random.Random(1), GAME, opened(3))
    deals = (Deal(0, deal.pack, deal.plays), Deal(1, deal.pack, ("7C",)))
    score = list(GAME.settle(deal.states[-1]).score)
    draw = {"outcome": "draw", "reason": reason, "score": score}
    report = check(Record(GAME.key, {}, 3, deals, result=draw))
    assert (report["finished"], report["winner"]) == (False, None)


def test_the_sheet_is_what_it_says() -> None:
    """Its fields by name, since stored sheets are read by them."""
    assert opened(2, dealer=1) == Sheet(
        dealer=1, score=(0, 0), length=3, pantti=21, tie="draw", deals=0
    )
