"""The rules of Ristikontra, a test a sentence; the numbers are those of the rules document."""
# ruff: noqa: N802 (R7 and its like are the names of rules)

from __future__ import annotations

import random
from typing import Any

import pytest

from game import words
from game.engine.base import Illegal, replay
from game.engine.cards import PACK, rank
from game.engine.ristikontra import DARK, Sheet, State, barred, points
from game.tests.deals import (
    GAME,
    deal_worth,
    dealt,
    lead,
    lead_all,
    lead_others,
    played,
    random_deal,
    shuffled,
    stack,
)

SEVENS = "7C 7D 7H 7S"
WORTHLESS = "8C 8D 8H 8S 9C 9D 9H 9S"


def refused(state: State, code: str) -> Illegal:
    """The refusal of a play that must not be possible."""
    assert code not in GAME.legal(state)
    with pytest.raises(Illegal) as raised:
        GAME.play(state, code)
    return raised.value


def views(state: State) -> list[dict[str, Any]]:
    return [GAME.view(state, seat) for seat in range(4)]


def after_stock_tricks(hands: dict[int, str]) -> State:
    """The stock is gone, seat 0 leads and still has the sevens it was dealt."""
    return lead_others(dealt(hands), "7", 7)


def with_one_barred_card() -> State:
    """Trick thirteen: seat 0 led tricks ten to twelve with sevens and has a seven left."""
    return lead_all(lead_others(dealt({0: SEVENS}), "7", 9), "7C 7D 7H")


# --- R1 to R3: seats, cards, dealer -----------------------------------------------------------


@pytest.mark.parametrize("seats", [0, 1, 2, 3, 5, 6])
def test_R1_four_seats_and_only_four(seats: int) -> None:
    """Four play, neither fewer nor more."""
    assert GAME.seats == (4,)
    with pytest.raises(Illegal) as raised:
        GAME.open(seats, {}, 0)
    assert raised.value.reason == "seats"


def test_R1_turns_go_clockwise() -> None:
    """Within a trick the turn goes to the next seat, and from the last to the first."""
    state = dealt({}, dealer=1)
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        state = GAME.play(state, DARK)
    assert turns == [2, 3, 0, 1]


@pytest.mark.parametrize(("taker", "pile"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_R1_opposite_seats_are_one_side(taker: int, pile: int) -> None:
    """What seats 0 and 2 take lies in one pile, what seats 1 and 3 take in the other."""
    assert GAME.sides == 2
    state = lead(dealt({taker: "7C"}, dealer=taker - 1 if taker else 3), "7C")
    assert [len(one) for one in state.piles] == [4 * (pile == 0), 4 * (pile == 1)]


@pytest.mark.parametrize("dealer", range(4))
def test_R2_six_each_one_at_a_time_from_the_seat_after_the_dealer(dealer: int) -> None:
    """Every seat has six cards, every fourth of the pack; twenty-eight are left, in their order."""
    pack = shuffled(random.Random(dealer))
    state = GAME.deal(Sheet(dealer=dealer), pack)
    for place in range(4):
        seat = (dealer + 1 + place) % 4
        assert state.hands[seat] == pack[place:24:4]
        assert len(state.hands[seat]) == 6
    assert state.stock == pack[24:]
    assert len(state.stock) == 28


@pytest.mark.parametrize(
    "pack",
    [(), PACK[:51], (*PACK, "7C"), (*PACK[:51], "7C"), (*PACK[:51], "ks"), (*PACK[:51], "XX")],
    ids=["none", "51", "53", "one twice", "lower case", "no card"],
)
def test_R2_fifty_two_different_cards(pack: tuple[str, ...]) -> None:
    """Only the whole pack can be dealt, each card once."""
    with pytest.raises(Illegal) as raised:
        GAME.deal(Sheet(dealer=0), pack)
    assert raised.value.reason == "pack"


@pytest.mark.parametrize("dealer", range(4))
def test_R3_the_first_dealer_is_named_from_outside(dealer: int) -> None:
    """The engine draws nothing: whoever opens the match says who deals first."""
    assert GAME.open(4, {}, dealer) == Sheet(dealer, score=(0, 0), held=0, deals=0, winner=None)


@pytest.mark.parametrize("dealer", [-1, 4])
def test_R3_the_dealer_is_one_of_the_seats(dealer: int) -> None:
    """Somebody at the table deals."""
    with pytest.raises(Illegal) as raised:
        GAME.open(4, {}, dealer)
    assert raised.value.reason == "dealer"


def test_R3_the_deal_moves_one_seat_clockwise() -> None:
    """Each deal has the next dealer, whoever won it or nobody."""
    sheet = Sheet(dealer=2)
    dealers = []
    for worth in (60, 0, 61, 118, 60):
        dealers.append(sheet.dealer)
        sheet = GAME.settle(deal_worth(sheet, worth))
    assert dealers == [2, 3, 0, 1, 2]


def test_R3_the_deal_moves_on_into_a_rematch() -> None:
    """The next match at the table starts with the next dealer and nothing else of the last one."""
    over = GAME.settle(deal_worth(Sheet(dealer=1, score=(6, 5), deals=12), 120))
    assert over.winner == 0
    assert GAME.reopen(over) == GAME.open(4, {}, 2)


@pytest.mark.parametrize("dealer", range(4))
def test_R3_the_seat_after_the_dealer_leads_trick_one(dealer: int) -> None:
    """It is the first to play."""
    assert GAME.deal(Sheet(dealer=dealer), PACK).turn == (dealer + 1) % 4


# --- R4 and R5: a turn, the stock -------------------------------------------------------------


def test_R4_a_turn_is_a_card_from_the_hand_or_the_dark() -> None:
    """With a stock the seat on turn has exactly its hand and the dark to choose from."""
    state = dealt({0: "KS 7C AD 7D 2H TC"})
    assert GAME.legal(state) == ["AD", "2H", "7C", "7D", "TC", "KS", DARK]


@pytest.mark.parametrize("code", ["7C", DARK])
def test_R4_one_play_ends_the_turn(code: str) -> None:
    """Playing from the hand or in the dark, never both: the next seat is on turn."""
    state = played(dealt({0: "7C"}), code)
    assert len(state.trick) == 1
    assert state.turn == 1


def test_R4_a_card_from_the_hand_is_replaced_at_once() -> None:
    """The top of the stock is in the hand before the next seat moves."""
    state = played(dealt({0: "7C 7D 7H 7S AC AD"}, stock="KS QS"), "7C")
    assert state.turn == 1
    assert set(state.hands[0]) == {"7D", "7H", "7S", "AC", "AD", "KS"}
    assert state.stock[0] == "QS"
    assert GAME.view(state, 0)["hand"] == ["AC", "AD", "7D", "7H", "7S", "KS"]
    assert GAME.view(state, 1)["hands"] == [6, 6, 6, 6]
    assert GAME.view(state, 1)["stock"] == 27


def test_R4_only_the_seat_that_draws_sees_the_card_drawn() -> None:
    """Nobody else is shown it."""
    state = played(dealt({0: "7C"}, stock="KS"), "7C")
    assert ["KS" in str(view) for view in views(state)] == [True, False, False, False]


def test_R4_the_drawn_card_can_be_played_on_the_next_turn() -> None:
    """It is a card of the hand like any other."""
    state = played(dealt({0: "7C", 1: "2C", 2: "3C", 3: "4C"}, stock="KS"), "7C 2C 3C 4C KS")
    assert state.trick[0].card == "KS"


def test_R4_the_dark_play_is_the_top_of_the_stock() -> None:
    """The card turned up is played, whatever it is, and the stock is one shorter."""
    state = played(dealt({}, stock="KS QS"), DARK)
    assert state.trick[0].card == "KS"
    assert state.stock[0] == "QS"
    assert len(state.stock) == 27


def test_R4_the_dark_play_leaves_the_hand_unchanged() -> None:
    """Nothing is drawn for it: the same six cards, and not the one turned up."""
    before = dealt({}, stock="KS")
    after = GAME.play(before, DARK)
    assert after.hands == before.hands


def test_R4_the_dark_play_is_marked_for_everyone() -> None:
    """All four seats see that the card came from the stock, also when the trick is over."""
    state = played(dealt({0: "7C", 2: "2D", 3: "3D"}, stock="4D KS"), "7C dark")
    for view in views(state):
        assert view["trick"] == [
            {"seat": 0, "card": "7C", "dark": False},
            {"seat": 1, "card": "KS", "dark": True},
        ]
    for view in views(played(state, "2D 3D")):
        assert [play["dark"] for play in view["last"]] == [False, True, False, False]


def test_R4_no_dark_play_and_no_draw_once_the_stock_is_empty() -> None:
    """From trick eight on hands shrink by a card a trick and the dark is refused, led or not."""
    state = after_stock_tricks({0: SEVENS})
    assert not state.stock
    for left in range(6, 0, -1):
        for _ in range(4):
            assert state.turn is not None
            assert len(state.hands[state.turn]) == left
            assert refused(state, DARK).reason == "stock-empty"
            code = GAME.legal(state)[-1]
            before = set(state.hands[state.turn])
            seat = state.turn
            state = GAME.play(state, code)
            assert set(state.hands[seat]) == before - {code}
    assert state.turn is None


@pytest.mark.parametrize("way", ["hand", "dark", "either"])
@pytest.mark.parametrize("seed", range(3))
def test_R5_the_stock_empties_with_the_fourth_card_of_trick_seven(way: str, seed: int) -> None:
    """Four stock cards go in each of seven tricks, from the hands, in the dark or mixed."""
    rng = random.Random(seed)
    state = GAME.deal(Sheet(dealer=0), shuffled(rng))
    for number in range(28):
        assert len(state.stock) == 28 - number
        assert len(state.piles[0]) + len(state.piles[1]) == 4 * (number // 4)
        codes = GAME.legal(state)
        from_hand = [code for code in codes if code != DARK]
        dark = [DARK] if DARK in codes else from_hand
        state = GAME.play(state, rng.choice({"hand": from_hand, "dark": dark}.get(way, codes)))
    assert not state.stock
    assert not state.trick
    assert len(state.piles[0]) + len(state.piles[1]) == 28
    assert [len(hand) for hand in state.hands] == [6, 6, 6, 6]


def test_R5_tricks_eight_to_thirteen_come_from_the_hands() -> None:
    """Six more tricks, thirteen in all; then the deal is over and nothing can be played."""
    deal = random_deal(random.Random(5), GAME, Sheet(dealer=0))
    assert len(deal.plays) == 52
    assert DARK in deal.plays[:28]
    assert DARK not in deal.plays[28:]
    over = deal.states[-1]
    assert sum(GAME.count(over)["tricks"]) == 13
    assert over.turn is None
    assert GAME.legal(over) == []
    assert refused(over, "7C").reason == "deal-over"
    assert refused(over, DARK).reason == "deal-over"


# --- R6: who takes the trick ------------------------------------------------------------------

WORKED = [
    ("7 A 3 9", 0, 11),
    ("7 A 3 7", 3, 11),
    ("7 5 A 3", 0, 11),
    ("K 3 T K", 3, 18),
    ("5 3 5 8", 2, 0),
    ("2 5 2 4", 2, 0),
]


@pytest.mark.parametrize(("ranks", "taker", "worth"), WORKED)
@pytest.mark.parametrize("suits", ["CDHS", "SHDC"])
@pytest.mark.parametrize("leader", range(4))
def test_R6_worked_tricks(ranks: str, taker: int, worth: int, suits: str, leader: int) -> None:
    """The worked tricks, led from every seat and in other suits."""
    trick = [one + suit for one, suit in zip(ranks.split(), suits, strict=True)]
    seats = [(leader + place) % 4 for place in range(4)]
    state = dealt(dict(zip(seats, trick, strict=True)), dealer=(leader + 3) % 4)
    state = played(state, " ".join(trick))
    side = seats[taker] % 2
    assert state.turn == seats[taker]
    assert state.piles[side] == tuple(trick)
    assert points(state.piles[side]) == worth
    assert state.piles[1 - side] == ()


@pytest.mark.parametrize("number", [0, 8, 28, 40])
def test_R6_any_card_in_hand_may_be_played(number: int) -> None:
    """No suit or rank has to be followed: every follower may play any card it has."""
    for seed in range(20):
        state = random_deal(random.Random(seed), GAME, Sheet(dealer=0)).states[number + 1]
        assert state.trick
        assert state.turn is not None
        assert set(GAME.legal(state)) - {DARK} == set(state.hands[state.turn])


def test_R6_a_higher_card_of_the_suit_led_takes_nothing() -> None:
    """Suits never matter, and no rank beats another."""
    state = played(dealt({0: "2C", 1: "AC", 2: "KC", 3: "TC"}), "2C AC KC TC")
    assert state.turn == 0


@pytest.mark.parametrize(
    ("ranks", "taker"),
    [("7 7 3 9", 1), ("7 7 7 9", 2), ("7 7 3 7", 3), ("7 7 7 7", 3), ("7 3 9 7", 3)],
)
def test_R6_the_last_card_of_the_led_rank_takes(ranks: str, taker: int) -> None:
    """However many match, the last of them has the trick, the partner's too."""
    trick = [one + suit for one, suit in zip(ranks.split(), "CDHS", strict=True)]
    assert played(dealt(dict(enumerate(trick))), " ".join(trick)).turn == taker


def test_R6_a_rank_that_was_not_led_takes_nothing() -> None:
    """Three of another rank on the lead change nothing."""
    assert played(dealt({0: "7C", 1: "AD", 2: "AH", 3: "AS"}), "7C AD AH AS").turn == 0


def test_R6_a_dark_card_takes_like_any_other() -> None:
    """A matching card turned up from the stock takes the trick."""
    hands = {0: "7C", 2: "2C", 3: "3C"}
    assert played(dealt(hands, stock="4C 7D"), "7C dark 2C 3C").turn == 1


def test_R6_a_dark_lead_is_matched_like_any_other() -> None:
    """The rank turned up is the rank led; unmatched, its leader takes the trick."""
    hands = {1: "2C", 2: "7C", 3: "3C"}
    assert played(dealt(hands, stock="7D"), "dark 2C 7C 3C").turn == 2
    assert played(dealt(hands, stock="8D"), "dark 2C 7C 3C").turn == 0


def test_R6_the_taker_leads_next() -> None:
    """Whoever took the trick starts the next one."""
    state = played(dealt({0: "7C", 1: "2C", 2: "7D 8C", 3: "3C"}), "7C 2C 7D 3C 8C")
    assert state.trick[0].seat == 2
    assert state.turn == 3


# --- R7 to R9: the lead ban -------------------------------------------------------------------


def test_R7_rank_that_led_three_tricks_is_barred() -> None:
    """After three leads of sevens in a row no seven may be led."""
    state = lead_all(dealt({0: SEVENS}), "7C 7D 7H")
    assert barred(state) == "7"
    assert refused(state, "7S").reason == "barred"
    assert {rank(code) for code in GAME.legal(state)}.isdisjoint("7")


def test_R7_two_leads_bar_nothing() -> None:
    """The third lead of a rank is still free."""
    state = lead_all(dealt({0: SEVENS}), "7C 7D")
    assert barred(state) is None
    assert {"7H", "7S", DARK} <= set(GAME.legal(state))


def test_R7_leads_that_are_not_in_a_row_bar_nothing() -> None:
    """Another lead in between starts the count again: it is the last three that matter."""
    state = lead_all(dealt({0: f"{SEVENS} KC"}), "7C 7D KC 7H")
    assert barred(state) is None
    assert "7S" in GAME.legal(state)


def test_R7_three_different_ranks_bar_nothing() -> None:
    """Nor do two of three."""
    assert barred(lead_all(dealt({0: "7C 8C 9C"}), "7C 8C 9C")) is None
    assert barred(lead_all(dealt({0: "8C 7C 7D"}), "8C 7C 7D")) is None


def test_R7_another_lead_lifts_the_ban() -> None:
    """Once something else was led, the rank may be led again."""
    state = lead_all(dealt({0: f"{SEVENS} KC"}), "7C 7D 7H KC")
    assert barred(state) is None
    assert {"7S", DARK} <= set(GAME.legal(state))


def test_R7_whoever_led_them() -> None:
    """Three leads of eights by two seats bar eights, for the seat on the lead as for any."""
    hands = {0: "8C", 1: "8D 8H 8S", 2: "2C", 3: "3C"}
    state = lead_all(played(dealt(hands), "8C 8D 2C 3C"), "8H 8S")
    assert state.turn == 1
    assert barred(state) == "8"


def test_R7_the_ban_is_on_the_rank_not_on_the_seat() -> None:
    """The third seven is taken by another seat's: the ban meets that seat too.

    Four sevens are gone by then, so what it cannot do is turn up the stock.
    """
    hands = {0: "7C 7D 7H", 1: "2C 2D 2H", 2: "3C 4C 7S", 3: "5C 5D 5H"}
    state = played(dealt(hands), "7C 2C 3C 5C 7D 2D 4C 5D 7H 2H 7S 5H")
    assert state.turn == 2
    assert refused(state, DARK).facts["rank"] == "7"


def test_R7_matching_cards_are_no_leads() -> None:
    """Only the cards led count, not those that followed with the same rank."""
    hands = {0: "7C", 1: "2C", 2: "7D 7H", 3: "3C"}
    state = lead(played(dealt(hands), "7C 2C 7D 3C"), "7H")
    assert state.turn == 2
    assert barred(state) is None


def test_R7_dark_leads_count() -> None:
    """A seven turned up as a lead is a lead of sevens, first, second or third."""
    for place in range(3):
        leads = ["7C", "7D"]
        leads.insert(place, DARK)
        # Four cards of the stock go in each trick before.
        stock = " ".join([*WORTHLESS.split()[: 4 * place], "7H"])
        state = lead_all(dealt({0: "7C 7D 7S"}, stock), " ".join(leads))
        assert [play.card for play in state.last if play.dark] == ["7H"] * (place == 2)
        assert state.turn == 0
        assert barred(state) == "7"
        assert refused(state, "7S").reason == "barred"


def test_R7_a_dark_lead_of_another_rank_ends_the_row() -> None:
    """The rank turned up counts, not the intention."""
    state = lead_all(dealt({0: "7C 7D 7H 7S"}, WORTHLESS + " KS"), "7C 7D dark")
    assert state.last[0].card == "KS"
    assert barred(state) is None


def test_R7_the_count_starts_afresh_each_deal() -> None:
    """Sevens led at the end of one deal bar nothing in the next."""
    state = lead_all(lead_others(dealt({0: "7C 7D 7H", 1: "7S"}), "7", 10), "7C 7D 7H")
    assert state.turn is None
    assert state.leads[-3:] == "777"
    after = GAME.settle(state)
    again = GAME.deal(after, stack({1: SEVENS}, dealer=after.dealer))
    assert again.turn == 1
    assert barred(again) is None
    assert set(SEVENS.split()) < set(GAME.legal(again))
    again = lead_all(again, "7C 7D")
    assert barred(again) is None


def test_R7_nor_do_leads_of_two_deals_add_up() -> None:
    """Two leads at the end of a deal and one in the next are not three in a row."""
    state = lead_all(lead_others(dealt({0: "7C 7D", 1: "7H", 2: "7S"}), "7", 11), "7C 7D")
    assert state.leads[-2:] == "77"
    after = GAME.settle(state)
    again = lead(GAME.deal(after, stack({1: SEVENS}, dealer=after.dealer)), "7C")
    assert barred(again) is None


@pytest.mark.parametrize("one", "A23456789TJQK")
def test_R7_no_rank_is_spared(one: str) -> None:
    """The ban is the same for every rank."""
    state = lead_all(dealt({0: f"{one}C {one}D {one}H {one}S"}), f"{one}C {one}D {one}H")
    assert refused(state, f"{one}S").facts == {"rank": one}


def test_R8_no_dark_lead_while_a_rank_is_barred() -> None:
    """The card turned up could be of the barred rank, so it is not turned."""
    state = lead_all(dealt({0: "7C 7D 7H"}, stock=f"{WORTHLESS} 2C 2D 2H 2S 7S"), "7C 7D 7H")
    assert state.stock[0] == "7S"
    assert refused(state, DARK).reason == "dark-barred"


def test_R8_not_even_when_all_four_have_been_seen() -> None:
    """The rule is the same when nothing could go wrong."""
    hands = {0: "8C", 1: "8D 8H 8S", 2: "2C", 3: "3C"}
    state = lead_all(played(dealt(hands), "8C 8D 2C 3C"), "8H 8S")
    assert [card for card in GAME.recall(state) if rank(card) == "8"] == ["8C", "8D", "8H", "8S"]
    assert state.stock
    assert refused(state, DARK).reason == "dark-barred"


def test_R8_following_in_the_dark_stays_allowed() -> None:
    """Once another card was led everybody may follow in the dark, also with the barred rank."""
    stock = f"{WORTHLESS} 2C 2D 2H 2S 3C 7S"
    state = lead_all(dealt({0: "7C 7D 7H KC"}, stock), "7C 7D 7H")
    state = played(state, "KC dark")
    assert state.trick[1].card == "7S"
    assert DARK in GAME.legal(state)
    assert DARK in GAME.legal(played(state, DARK))


def test_R9_the_ban_yields_to_an_only_card() -> None:
    """Three leads of sevens and a seven as the last card: it is led, and the trick is played."""
    state = with_one_barred_card()
    assert state.leads[-3:] == "777"
    assert state.hands[0] == ("7S",)
    assert GAME.legal(state) == ["7S"]
    over = lead(state, "7S")
    assert over.turn is None
    assert over.last[0].card == "7S"


def test_R9_not_before_trick_thirteen() -> None:
    """With a seven and another card the other one is led."""
    state = lead_all(lead_others(dealt({0: SEVENS}), "7", 8), "7C 7D 7H")
    assert len(state.hands[0]) == 2
    assert [rank(code) == "7" for code in GAME.legal(state)] == [False]
    assert refused(state, "7S").reason == "barred"


def test_R9_another_seat_is_not_concerned() -> None:
    """A last card of another rank is led as ever."""
    state = lead_all(lead_others(dealt({0: "7C 7D 7H"}), "7", 9), "7C 7D 7H")
    assert barred(state) == "7"
    assert GAME.legal(state) == list(state.hands[0])


# --- R10 to R12: counting ---------------------------------------------------------------------


@pytest.mark.parametrize("card", PACK)
def test_R10_card_points(card: str) -> None:
    """Ace 11, ten 10, king 4, queen 3, jack 2, the others nothing, in every suit."""
    assert points((card,)) == {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}.get(card[0], 0)


def test_R10_a_deal_holds_120() -> None:
    """Both piles together, whatever happened."""
    assert points(PACK) == 120
    for seed in range(20):
        over = random_deal(random.Random(seed), GAME, Sheet(dealer=0)).states[-1]
        count = GAME.count(over)
        assert sum(count["points"]) == 120
        assert count["points"] == [points(pile) for pile in over.piles]


def test_R10_tricks_count_for_nothing() -> None:
    """A side with fewer tricks and more points wins the deal."""
    found = 0
    for seed in range(100):
        over = random_deal(random.Random(seed), GAME, Sheet(dealer=0)).states[-1]
        count = GAME.count(over)
        if count["tricks"][0] < count["tricks"][1] and count["points"][0] > 60:
            assert count["awarded"] == [1, 0]
            found += 1
    assert found


@pytest.mark.parametrize(
    ("worth", "awarded"),
    [
        (120, [2, 0]),
        (118, [1, 0]),
        (61, [1, 0]),
        (60, [0, 0]),
        (59, [0, 1]),
        (2, [0, 1]),
        (0, [0, 2]),
    ],
)
@pytest.mark.parametrize("dealer", range(4))
def test_R11_what_a_deal_pays(worth: int, awarded: list[int], dealer: int) -> None:
    """More than half pays a game point, everything pays two, half pays nobody."""
    over = deal_worth(Sheet(dealer=dealer, score=(3, 2)), worth)
    count = GAME.count(over)
    assert count["points"] == [worth, 120 - worth]
    assert count["awarded"] == awarded
    assert count["score"] == [3 + awarded[0], 2 + awarded[1]]
    assert GAME.settle(over).score == (3 + awarded[0], 2 + awarded[1])


def test_R11_all_the_points_without_all_the_tricks_pay_two() -> None:
    """A worthless trick for the other side does not spoil it."""
    state = dealt({0: "5C 7D", 1: "2C 6C", 2: "3C 6D KC KD KH KS", 3: "4C 7C"}, dealer=0)
    state = played(state, "2C 3C 4C 5C 6C 6D 7C 7D")
    count = GAME.count(lead_others(state, "none", 11))
    assert count["tricks"] == [12, 1]
    assert count["points"] == [120, 0]
    assert count["awarded"] == [2, 0]


def test_R11_sixty_sixty_holds_a_game_point() -> None:
    """Nobody scores; one game point waits."""
    sheet = GAME.settle(deal_worth(Sheet(dealer=0, score=(4, 1)), 60))
    assert sheet.score == (4, 1)
    assert sheet.held == 1
    assert GAME.view(GAME.deal(sheet, PACK), 0)["held"] == 1


def settled(sheet: Sheet, *worths: int) -> Sheet:
    """The sheet after deals with these points for side one."""
    for worth in worths:
        sheet = GAME.settle(deal_worth(sheet, worth))
    return sheet


def test_R11_further_sixty_sixty_deals_add_to_it() -> None:
    """Two such deals hold two, three hold three."""
    assert [settled(Sheet(dealer=0), *[60] * number).held for number in (1, 2, 3)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("worths", "score"),
    [
        ((60, 61), (2, 0)),
        ((60, 60, 61), (3, 0)),
        ((60, 60, 2), (0, 3)),
        ((60, 60, 120), (4, 0)),
        ((60, 60, 0), (0, 4)),
    ],
)
def test_R11_the_next_winner_takes_what_is_held(
    worths: tuple[int, ...], score: tuple[int, int]
) -> None:
    """On top of its own one or two, all of it, and then nothing is held."""
    sheet = settled(Sheet(dealer=0), *worths)
    assert sheet.score == score
    assert sheet.held == 0
    assert settled(sheet, 61).score == (score[0] + 1, score[1])


def test_R11_what_was_held_shows_in_the_count() -> None:
    """The count of the deal that pays has it as paid, the count of a 60-60 deal as held."""
    sheet = Sheet(dealer=0, score=(1, 1), held=1)
    even, paid = GAME.count(deal_worth(sheet, 60)), GAME.count(deal_worth(sheet, 59))
    assert (even["awarded"], even["held"], even["score"]) == ([0, 0], 2, [1, 1])
    assert (paid["awarded"], paid["held"], paid["score"]) == ([0, 2], 0, [1, 3])


@pytest.mark.parametrize(
    ("score", "held", "worth", "final", "winner"),
    [
        ((6, 0), 0, 61, (7, 0), 0),
        ((6, 6), 0, 59, (6, 7), 1),
        ((5, 3), 0, 120, (7, 3), 0),
        ((6, 3), 0, 120, (8, 3), 0),
        ((2, 6), 1, 59, (2, 8), 1),
        ((6, 6), 1, 120, (9, 6), 0),
        ((6, 6), 2, 0, (6, 10), 1),
        ((0, 0), 5, 120, (7, 0), 0),
    ],
)
def test_R12_first_to_reach_or_pass_seven_wins(
    score: tuple[int, int], held: int, worth: int, final: tuple[int, int], winner: int
) -> None:
    """Seven game points or more end the match, with the score as it is."""
    sheet = settled(Sheet(dealer=3, score=score, held=held), worth)
    assert sheet.score == final
    assert sheet.winner == winner
    assert GAME.result(sheet) == {"outcome": "win", "winner": winner, "score": list(final)}


@pytest.mark.parametrize(("score", "held"), [(5, 0), (4, 1), (1, 4)])
def test_R12_six_is_not_enough(score: int, held: int) -> None:
    """The match goes on below seven, also when part of the six was held."""
    sheet = settled(Sheet(dealer=0, score=(score, 6), held=held), 61)
    assert sheet.score == (6, 6)
    assert sheet.winner is None
    assert GAME.result(sheet) is None


def test_R12_no_deal_follows_the_end() -> None:
    """A match that is won is over."""
    with pytest.raises(Illegal) as raised:
        GAME.deal(settled(Sheet(dealer=0, score=(6, 6)), 61), PACK)
    assert raised.value.reason == "match-over"


def test_R12_held_points_are_in_nobodys_score() -> None:
    """Six and one held is six: nobody has won by holding."""
    sheet = settled(Sheet(dealer=0, score=(6, 6)), 60, 60)
    assert sheet.score == (6, 6)
    assert sheet.held == 2
    assert sheet.winner is None


def test_R12_held_points_lapse_with_the_match() -> None:
    """The next match at the table starts with nothing held."""
    assert GAME.reopen(Sheet(dealer=0, score=(3, 2), held=2, deals=7)) == Sheet(dealer=0)


def test_R12_the_last_view_tells_the_result() -> None:
    """Whoever looks at the deal that decided sees the final score and the winner."""
    for view in views(deal_worth(Sheet(dealer=0, score=(6, 2), held=1), 120)):
        assert view["score"] == [9, 2]
        assert view["result"] == {"outcome": "win", "winner": 0, "score": [9, 2]}


# --- R13: what the board shows ----------------------------------------------------------------


def cards_in(value: Any) -> set[str]:
    """Every card somewhere in a view."""
    if isinstance(value, dict):
        return cards_in(list(value.values()))
    if isinstance(value, list):
        return set().union(*map(cards_in, value))
    return {value} & set(PACK) if isinstance(value, str) else set()


def test_R13_piles_are_counts() -> None:
    """How many cards lie in each pile, never which."""
    state = lead_all(dealt({0: "7C 8C"}), "7C 8C")
    for view in views(state):
        assert view["piles"] == [8, 0]


@pytest.mark.parametrize("seed", range(10))
def test_R13_nothing_older_than_the_last_trick(seed: int) -> None:
    """A view has the seat's hand, the trick in progress and the last one, and no other card."""
    deal = random_deal(random.Random(seed), GAME, Sheet(dealer=0))
    for state in deal.states:
        assert state.turn is None or len(state.last) in (0, 4)
        on_table = {play.card for play in (*state.trick, *state.last)}
        for seat, view in enumerate(views(state)):
            assert cards_in(view) == on_table | set(state.hands[seat])


def test_R13_the_last_trick_stays_until_the_next_is_taken() -> None:
    """Until then both are shown, with who took the last and whose the next would be."""
    hands = {0: "7C", 1: "2C 9C", 2: "7D 9D", 3: "3C 8C"}
    state = played(dealt(hands), "7C 2C 7D 3C 9D 8C")
    for view in views(state):
        assert [play["card"] for play in view["last"]] == ["7C", "2C", "7D", "3C"]
        assert view["taker"] == 2
        assert [play["card"] for play in view["trick"]] == ["9D", "8C"]
        assert view["winning"] == 2
    state = played(state, f"{next(code for code in GAME.legal(state) if code[0] != '9')} 9C")
    for view in views(state):
        assert view["last"][0]["card"] == "9D"
        assert view["taker"] == 1
        assert view["trick"] == []
        assert view["winning"] is None


def test_R13_a_scored_deal_shows_what_each_pile_held() -> None:
    """Aces, tens, kings, queens and jacks of each pile and its points, once the deal is over."""
    deal = random_deal(random.Random(13), GAME, Sheet(dealer=0))
    for state in deal.states[:-1]:
        assert [view["count"] for view in views(state)] == [None] * 4
    over = deal.states[-1]
    count = GAME.count(over)
    assert count["counts"] == [
        {one: sum(card.startswith(one) for card in pile) for one in "ATKQJ"} for pile in over.piles
    ]
    for one in "ATKQJ":
        assert sum(counts[one] for counts in count["counts"]) == 4
    assert count["tricks"] == [len(pile) // 4 for pile in over.piles]
    for view in views(over):
        assert view["count"] == count
        assert view["hand"] == []


# --- R15: the board and the refusals ----------------------------------------------------------


def test_R15_the_barred_rank_is_named_until_the_next_lead() -> None:
    """From the end of the third such trick on, for every seat; with the next lead it is gone."""
    state = lead_all(dealt({0: f"{SEVENS} KC"}), "7C 7D")
    seen = [{view["barred"] for view in views(state)}]
    third = played(state, "7H")
    while third.trick:
        seen.append({view["barred"] for view in views(third)})
        third = played(third, next(code for code in GAME.legal(third) if code != DARK))
    assert seen == [{None}] * 4
    assert {view["barred"] for view in views(third)} == {"7"}
    assert {view["barred"] for view in views(played(third, "KC"))} == {None}


def test_R15_it_is_named_even_when_it_hinders_nobody() -> None:
    """Also while the ban yields to an only card; not once the deal is over."""
    state = with_one_barred_card()
    assert {view["barred"] for view in views(state)} == {"7"}
    assert {view["barred"] for view in views(lead(state, "7S"))} == {None}


def test_R15_the_leader_sees_which_cards_are_barred() -> None:
    """Its barred cards are in its hand but not among its plays; the others have no such list."""
    state = lead_all(dealt({0: SEVENS}), "7C 7D 7H")
    leader, *others = views(state)
    assert set(leader["hand"]) - set(leader["legal"]) == {"7S"}
    assert [view["legal"] for view in others] == [[], [], []]


def test_R15_a_followers_card_is_never_barred() -> None:
    """After three tricks led with sevens a seven may still follow, even take a trick."""
    state = lead_all(dealt({0: "7C 7D 7H KC", 1: "7S"}), "7C 7D 7H")
    state = played(state, "KC")
    assert "7S" in GAME.legal(state)
    assert played(state, "7S").trick[1].card == "7S"


def test_R15_refusals_name_the_rule() -> None:
    """A refused play says which rule, and for the ban which rank."""
    state = lead_all(dealt({0: SEVENS, 1: "KC"}), "7C 7D 7H")
    refusals = {code: refused(state, code) for code in ("7S", DARK, "KC", "7C", "joker")}
    assert {code: (one.reason, one.facts) for code, one in refusals.items()} == {
        "7S": ("barred", {"rank": "7"}),
        DARK: ("dark-barred", {"rank": "7"}),
        "KC": ("not-held", {"code": "KC"}),
        "7C": ("not-held", {"code": "7C"}),
        "joker": ("unknown-code", {"code": "joker"}),
    }
    assert refused(after_stock_tricks({0: SEVENS}), DARK).reason == "stock-empty"


def test_R15_refusals_have_words() -> None:
    """The sentence a person reads names the rank that is barred."""
    state = lead_all(dealt({0: SEVENS}), "7C 7D 7H")
    for code in ("7S", DARK):
        assert words.REFUSALS[refused(state, code).reason]
        assert "sevens" in words.refusal(refused(state, code))


def test_R15_a_refused_play_changes_nothing() -> None:
    """The position stays what it was, and a legal play is still possible."""
    state = lead_all(dealt({0: SEVENS}), "7C 7D 7H")
    before = views(state)
    refused(state, "7S")
    assert views(state) == before
    assert lead(state, GAME.legal(state)[0]).turn == 0


def test_R15_a_replayed_refusal_names_the_play() -> None:
    """In a record it is said which play of the deal was wrong, counted from one."""
    pack = stack({0: "7C", 1: "2C", 2: "3C", 3: "4C"})
    with pytest.raises(Illegal) as raised:
        replay(GAME, Sheet(dealer=3), pack, ["7C", "2C", "3C", "4C", "7C", "dark"])
    assert raised.value.reason == "not-held"
    assert raised.value.facts == {"code": "7C", "play": 5}


# --- R16: what is left out --------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"values": "standard"},
        {"values": "five-to-one"},
        {"goal": "card-points"},
        {"sweep": "wipe"},
        {"signalling": "on"},
        {"target": 5},
        {"queens": "on"},
        {"kontra": "on"},
        {"seats": 4},
    ],
    ids=str,
)
def test_R16_there_are_no_options(options: dict[str, str | int]) -> None:
    """House scoring, other targets, queens and kings, Kontra: none can be chosen here."""
    assert GAME.options == {}
    with pytest.raises(Illegal) as raised:
        GAME.open(4, options, 0)
    assert raised.value.reason == "option"


def test_R16_no_rule_about_queens_and_kings() -> None:
    """A side that takes a queen early and no king late is paid for its points all the same."""
    found = 0
    for seed in range(200):
        deal = random_deal(random.Random(seed), GAME, Sheet(dealer=0))
        early, over = deal.states[28], deal.states[-1]
        late = over.piles[0][len(early.piles[0]) :]
        queens = any(rank(card) == "Q" for card in early.piles[0])
        kings = any(rank(card) == "K" for card in late)
        if queens and not kings and 60 < points(over.piles[0]) < 120:
            assert GAME.count(over)["awarded"] == [1, 0]
            found += 1
    assert found


def test_R16_the_fourth_king_may_be_played_while_the_stock_lasts() -> None:
    """Three kings are out and the stock is full: the fourth is led or follows like any card."""
    hands = {0: "KC 7C", 1: "KD", 2: "KH 2C", 3: "KS 2D"}
    state = played(dealt(hands), "KC KD KH")
    assert state.stock
    assert "KS" in GAME.legal(state)
    assert played(state, "KS").turn == 3
    state = lead(played(state, "2D"), "2C")
    assert state.turn == 2


def test_R16_all_the_tricks_are_paid_like_all_the_points() -> None:
    """Thirteen tricks pay the two of 120 points, and the other side keeps its score."""
    state = GAME.deal(Sheet(dealer=3, score=(1, 4)), stack({0: SEVENS}))
    over = lead_others(state, "none", 13)
    assert over.piles[1] == ()
    assert GAME.settle(over).score == (3, 4)
