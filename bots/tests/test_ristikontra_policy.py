"""Ristikontra's computer, line by line (the lines of "What the computer does"), and over deals."""

from __future__ import annotations

import dataclasses
import random
import re
from collections import Counter

import pytest

from bots import ristikontra
from bots.policies import choose_play
from bots.ristikontra import Facts
from bots.tests.positions import BARRED, disguised, face_up, replayed
from game.engine.base import replay
from game.engine.cards import RANKS, SUITS
from game.engine.ristikontra import Sheet, State
from game.tests.deals import GAME, Played, dealt, played, random_deal, shuffled, stack
from game.tests.naive import NaiveDeal

ORDER = [rank + suit for rank in RANKS for suit in SUITS]
"""The fixed order of the cards, which breaks ties."""

STOCK = 12


def in_order(hand: str) -> list[str]:
    return sorted(hand.split(), key=ORDER.index)


def leads(hand: str, *, seen: str = "", barred: str | None = None, stock: int = STOCK) -> str:
    """What the computer leads from this hand when these cards have been played."""
    cards = in_order(hand)
    may = [card for card in cards if card[0] != barred or len(cards) == 1]
    if stock and not barred:
        may.append("dark")
    return ristikontra.policy(facts(cards, may, [], seen.split(), barred, stock))


def follows(trick: str, hand: str, *, seen: str = "", stock: int = STOCK) -> str:
    """What the computer in seat 3 plays to this trick.

    The seats before it have played, the third card from the right being seat 0's: the one before
    it is an opponent's, then comes its partner's.
    """
    cards, table = in_order(hand), trick.split()
    may = [*cards, "dark"] if stock else cards
    return ristikontra.policy(facts(cards, may, table, [*seen.split(), *table], None, stock))


def facts(
    hand: list[str],
    legal: list[str],
    table: list[str],
    seen: list[str],
    barred: str | None,
    stock: int,
) -> Facts:
    assert len({*hand, *seen}) == len(hand) + len(seen)
    leader = 3 - len(table)
    return Facts(
        seat=3,
        hand=hand,
        legal=legal,
        trick=[
            {"seat": leader + number, "card": card, "dark": False}
            for number, card in enumerate(table)
        ],
        barred=barred,
        stock=stock,
        played=seen,
    )


# --- Line 1: leading, a certain point card ----------------------------------------------------


def test_line_1_a_point_card_without_unseen_cards_of_its_rank_is_led() -> None:
    assert leads("2S 7D TC", seen="TD TH TS") == "TC"


def test_line_1_one_unseen_card_of_the_rank_and_it_is_not_certain() -> None:
    assert leads("2S 7D TC", seen="TD TH") != "TC"


def test_line_1_the_cards_in_the_own_hand_are_seen_too() -> None:
    assert leads("5S JC JD JH", seen="JS") == "JC"
    assert leads("5S JC JD JH JS") == "JC"


def test_line_1_the_richest_of_several_certain_cards_is_led() -> None:
    assert leads("AC 7D TC KS", seen="AD AH AS TD TH TS KC KD KH") == "AC"
    assert leads("7D JS KC", seen="JC JD JH KD KH KS") == "KC"


def test_line_1_a_richer_card_that_is_not_certain_stays() -> None:
    assert leads("AC 7D JS", seen="AD AH JC JD JH") == "JS"


def test_line_1_a_certain_card_of_the_barred_rank_is_not_led() -> None:
    assert leads("7D TC JS", seen="TD TH TS JC JD JH", barred="T") == "JS"
    assert leads("7D TC KS", seen="TD TH TS", barred="T") == "7D"


def test_line_1_a_worthless_card_is_not_made_rich_by_being_certain() -> None:
    assert leads("2C 7D JS", seen="7C 7H 7S JC JD JH") == "JS"


def test_line_1_a_tie_goes_by_the_fixed_order() -> None:
    assert leads("KC KH", seen="KD KS") == "KC"
    assert leads("KD KS", seen="KC KH") == "KD"


# --- Line 2: leading, a worthless card --------------------------------------------------------


def test_line_2_of_worthless_cards_the_rank_with_the_fewest_unseen_is_led() -> None:
    assert leads("5C 8D 9H QS", seen="8C 8H 9C") == "8D"


def test_line_2_the_own_cards_count_as_seen() -> None:
    assert leads("5C 8D 9C 9H QS") == "9C"


def test_line_2_a_rank_without_unseen_cards_has_the_fewest() -> None:
    assert leads("AS 5C 8D 9H", seen="9C 9D 9S 5D 5H") == "9H"


def test_line_2_a_worthless_card_is_led_rather_than_points_or_the_dark() -> None:
    assert leads("AC 4D TC TD QS KH") == "4D"


def test_line_2_a_worthless_card_of_the_barred_rank_is_not_led() -> None:
    assert leads("5C 8D QS", seen="8C 8H 8S", barred="8") == "5C"


def test_line_2_a_tie_goes_by_the_fixed_order() -> None:
    assert leads("2S 5C 8D") == "2S"
    assert leads("5D 5S 8C 8D") == "5D"


# --- Line 3: leading without a worthless card -------------------------------------------------


def test_line_3_when_everything_scores_the_lead_is_dark() -> None:
    assert leads("AC TD JC JD QS KH") == "dark"


def test_line_3_while_a_rank_is_barred_the_cheapest_point_card_it_may_lead_is_led() -> None:
    assert leads("AC TD JC JD QS KH", barred="A") == "JC"
    assert leads("AC TD JC JD QS KH", barred="J") == "QS"


def test_line_3_worthless_cards_that_are_all_barred_leave_the_cheapest_point_card() -> None:
    assert leads("AC 7C 7D QH KS", barred="7") == "QH"


def test_line_3_without_a_stock_the_cheapest_point_card_is_led() -> None:
    assert leads("AC TD KH", stock=0) == "KH"


def test_line_3_an_only_card_is_led_barred_or_not() -> None:
    """R9."""
    assert leads("AC", barred="A", stock=0) == "AC"
    assert leads("7C", barred="7", stock=0) == "7C"


def test_line_3_a_certain_card_comes_before_the_dark() -> None:
    assert leads("AC TD JC", seen="JD JH JS") == "JC"


# --- Line 4: last to act, the partner winning -------------------------------------------------


def test_line_4_last_to_act_gives_the_winning_partner_its_richest_card() -> None:
    assert follows("5C 5D 8H", "AC 2H 7D TS") == "AC"
    assert follows("5C 5D 8H", "2H 7D TS JC") == "TS"


def test_line_4_the_richest_card_may_be_of_the_led_rank() -> None:
    assert follows("KC KD 8H", "2H JC KH") == "KH"


def test_line_4_comes_before_line_5() -> None:
    assert follows("7C 7D AS", "7H TC") == "TC"


def test_line_4_without_points_to_give_the_fixed_order_decides() -> None:
    assert follows("5C 5D 8H", "2H 7C 7D") == "2H"


def test_line_4_a_tie_goes_by_the_fixed_order() -> None:
    assert follows("5C 5D 8H", "AD AS 2C") == "AD"


def test_line_4_not_while_somebody_is_still_to_act() -> None:
    assert follows("5C 8D", "AC 2H 7D") == "2H"


def test_line_4_not_when_an_opponent_is_winning() -> None:
    assert follows("5C 8D 9H", "AC 2H 7D") == "2H"
    assert follows("5C 5D 5H", "AC 2H 7D") == "2H"


# --- Line 5: points on the table, the led rank held, an opponent winning ----------------------


def test_line_5_points_on_the_table_are_taken_from_an_opponent() -> None:
    assert follows("7C AD 3S", "2H 7D KC") == "7D"
    assert follows("7C AD 7S", "2H 7D KC") == "7D"


def test_line_5_a_led_point_card_is_points_on_the_table() -> None:
    assert follows("KC", "2H KD") == "KD"


def test_line_5_not_only_for_the_last_to_act() -> None:
    assert follows("JC", "AD 2H JD") == "JD"
    assert follows("TC TD", "2H TH") == "TH"


def test_line_5_not_without_points_on_the_table() -> None:
    assert follows("7C 8D 3S", "2H 7D KC") == "2H"


def test_line_5_not_when_the_partner_is_winning() -> None:
    assert follows("TC 8D", "2H TD KC") == "2H"


def test_line_5_a_tie_goes_by_the_fixed_order() -> None:
    assert follows("7C AD 3S", "2H 7D 7H") == "7D"


# --- Line 6: otherwise ------------------------------------------------------------------------


def test_line_6_a_worthless_card_of_a_rank_held_once_is_thrown() -> None:
    assert follows("7C", "2C 2D 9H KC") == "9H"


def test_line_6_a_point_card_held_once_is_not_thrown_for_it() -> None:
    assert follows("7C", "2C 2D KC") == "2C"


def test_line_6_a_worthless_card_is_thrown_rather_than_playing_in_the_dark() -> None:
    assert follows("7C", "AC 9S TD KH") == "9S"


def test_line_6_when_everything_scores_the_dark_is_played_while_the_stock_lasts() -> None:
    assert follows("7C", "AC JD KD", stock=1) == "dark"
    assert follows("7C", "AC JD KD", stock=0) == "JD"


def test_line_6_a_tie_goes_by_the_fixed_order() -> None:
    assert follows("7C", "3D 8C 9C") == "3D"
    assert follows("7C", "3D 3H 3S 8C 8D") == "3D"
    assert follows("7C", "AC JD JH", stock=0) == "JD"


# --- What it is given -------------------------------------------------------------------------


def given(state: State) -> Facts:
    """What the computer on turn is given."""
    assert state.turn is not None
    return ristikontra.facts(GAME.view(state, state.turn), GAME.recall(state))


def test_it_is_given_what_the_rules_list_and_nothing_else() -> None:
    """Hand, trick, barred rank, size of the stock, cards played, the values of the cards; its own
    seat, and what of its hand it may play, which follows from those."""
    assert [field.name for field in dataclasses.fields(Facts)] == [
        "seat",
        "hand",
        "legal",
        "trick",
        "barred",
        "stock",
        "played",
        "values",
    ]


def test_its_facts_are_those_of_its_seat() -> None:
    hands = {0: "7C AD", 1: "KH 2C", 2: "3S 5C"}
    state = played(dealt(hands, stock="9H QD", dealer=3), "7C dark")
    hand = in_order(" ".join(state.hands[2]))
    assert given(state) == Facts(
        seat=2,
        hand=hand,
        legal=[*hand, "dark"],
        trick=[
            {"seat": 0, "card": "7C", "dark": False},
            {"seat": 1, "card": "QD", "dark": True},
        ],
        barred=None,
        stock=26,
        played=["7C", "QD"],
    )


def test_it_is_told_the_barred_rank() -> None:
    pack, plays = BARRED
    facts = given(replay(GAME, Sheet(dealer=3), pack, plays))
    assert facts.barred == "7"
    assert "7S" in facts.hand
    assert not {"7S", "dark"} & {*facts.legal}


def test_unseen_are_the_four_but_those_in_its_hand_and_those_played() -> None:
    hands = {0: "7C 7D AD", 1: "7H 2C", 2: "7S 5C", 3: "9C 9D"}
    state = dealt(hands, stock="9H 9S", dealer=3)
    assert ristikontra.unseen(given(state), "7") == 2
    assert ristikontra.unseen(given(state), "9") == 4
    state = played(state, "AD")  # draws 9H
    assert ristikontra.unseen(given(state), "7") == 3
    assert ristikontra.unseen(given(state), "A") == 4 - 1 - holds(state, "A")
    state = played(state, "7H")  # played in the trick that is not finished yet
    assert ristikontra.unseen(given(state), "7") == 2
    assert ristikontra.unseen(given(state), "9") == 4


def holds(state: State, rank: str) -> int:
    assert state.turn is not None
    return sum(card[0] == rank for card in state.hands[state.turn])


def test_a_card_played_in_the_dark_is_seen_like_any_other() -> None:
    state = played(dealt({1: "2C 3C", 3: "4C 5C"}, stock="KS KH", dealer=3), "dark dark")
    assert given(state).played == ["KH", "KS"]
    assert ristikontra.unseen(given(state), "K") == 4 - 2 - holds(state, "K")


def test_cards_of_earlier_tricks_are_remembered_and_of_earlier_deals_forgotten() -> None:
    deal = random_deal(random.Random(1), GAME, Sheet(dealer=0))
    assert set(given(deal.states[50]).played) == shown(deal, 50)
    assert len(shown(deal, 50)) == 50
    again = GAME.deal(GAME.settle(deal.states[-1]), deal.pack)
    assert given(again).played == []


def shown(deal: Played, number: int) -> set[str]:
    """The cards that the first plays of a deal put on the table."""
    return set(face_up(replayed(deal.pack, deal.states[0].sheet.dealer, deal.plays[:number])))


# --- Over whole deals -------------------------------------------------------------------------


def selfplayed(seed: int) -> Played:
    """A deal that four computers play."""
    pack = shuffled(random.Random(seed))
    states, plays = [GAME.deal(Sheet(dealer=seed % 4), pack)], list[str]()
    while states[-1].turn is not None:
        plays.append(choose_play(GAME, states[-1]))
        states.append(GAME.play(states[-1], plays[-1]))
    return Played(GAME, pack, tuple(plays), tuple(states))


LINES = {
    "1",
    "2",
    "3 dark",
    "3 barred",
    "3 cheapest",
    "4",
    "5",
    "6 once",
    "6 worthless",
    "6 dark",
    "6 cheapest",
}


def by_the_prose(deal: NaiveDeal) -> tuple[str, str]:
    """What the six lines say, written once more from their words; and the line that said it."""
    worth = dict.fromkeys("23456789", 0) | {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
    seat, table = deal.turn, deal.table
    hand = [card for card in ORDER if card in deal.hands[seat]]
    may = [card for card in hand if card in deal.may()]
    unseen = Counter(card[0] for card in ORDER if card not in hand and card not in face_up(deal))
    by_worth: dict[int, list[str]] = {}
    for card in may:
        by_worth.setdefault(worth[card[0]], []).append(card)
    worthless = by_worth.get(0, [])
    everything_scores = all(worth[card[0]] > 0 for card in hand)
    cheapest, richest = by_worth[min(by_worth)][0], by_worth[max(by_worth)][0]

    if not table:
        for points in (11, 10, 4, 3, 2):
            for card in by_worth.get(points, []):
                if unseen[card[0]] == 0:
                    return card, "1"
        for number in range(4):
            for card in worthless:
                if unseen[card[0]] == number:
                    return card, "2"
        if everything_scores and "dark" in deal.may():
            return "dark", "3 dark"
        return cheapest, "3 barred" if deal.stock else "3 cheapest"

    winner = deal.taker(table)
    partner_wins, opponent_wins = winner == (seat + 2) % 4, (winner - seat) % 2 == 1
    if len(table) == 3 and partner_wins:
        return richest, "4"
    if opponent_wins and sum(worth[card[0]] for _, card, _ in table) > 0:
        for card in hand:
            if card[0] == table[0][1][0]:
                return card, "5"
    for card in worthless:
        if sum(other[0] == card[0] for other in hand) == 1:
            return card, "6 once"
    if worthless:
        return worthless[0], "6 worthless"
    if deal.stock:
        return "dark", "6 dark"
    return cheapest, "6 cheapest"


CHUNKS = 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_in_a_thousand_deals_its_play_is_legal_and_what_the_prose_says(chunk: int) -> None:
    lines = Counter[str]()
    for seed in range(chunk, 1_000, CHUNKS):
        deal = selfplayed(seed)
        model = NaiveDeal(list(deal.pack), seed % 4)
        for state, code, _ in deal.steps():
            assert code in GAME.legal(state)
            assert code in model.may()
            said, line = by_the_prose(model)
            assert code == said, line
            lines[line] += 1
            model.play(code)
        assert model.over()
    assert lines.keys() - {"3 barred"} == LINES - {"3 barred"}


def test_where_chance_has_played_before_it_does_what_the_prose_says_too() -> None:
    """Computers among themselves do not come into all positions."""
    rng = random.Random(2)
    lines = Counter[str]()
    for number in range(400):
        deal = random_deal(rng, GAME, Sheet(dealer=number % 4))
        model = NaiveDeal(list(deal.pack), number % 4)
        for state, code, _ in deal.steps():
            said, line = by_the_prose(model)
            assert choose_play(GAME, state) == said, line
            lines[line] += 1
            model.play(code)
    assert lines.keys() - {"3 barred"} == LINES - {"3 barred"}


def test_while_a_rank_is_barred_it_does_what_the_prose_says_too() -> None:
    """Seat 0 has all four cards of a rank, leads three of them, and nobody can take its lead."""
    rng = random.Random(3)
    lines = Counter[str]()
    for rank in RANKS * 60:
        hoard = [rank + suit for suit in SUITS]
        rest = [card for card in shuffled(rng) if card not in hoard]
        hands = {0: " ".join(hoard + rest[:2])} | {
            seat: " ".join(rest[6 * seat - 4 : 6 * seat + 2]) for seat in (1, 2, 3)
        }
        pack = stack(hands, stock=" ".join(rest[20:]), dealer=3)
        model, plays = NaiveDeal(list(pack), dealer=3), list[str]()
        while len(plays) < 12:
            hand = model.hands[model.turn]
            plays.append(hand[0] if model.table else hoard.pop())
            model.play(plays[-1])
        assert model.barred() == rank
        said, line = by_the_prose(model)
        assert choose_play(GAME, replay(GAME, Sheet(dealer=3), pack, plays)) == said, line
        lines[line] += 1
    assert lines.keys() == {"1", "2", "3 barred"}


def test_the_same_facts_get_the_same_answer() -> None:
    """However often it is asked, and in whatever order its cards came or were played."""
    rng = random.Random(4)
    for seed in range(30):
        for state in selfplayed(seed).states[:-1]:
            facts = given(state)
            code = ristikontra.policy(facts)
            before = repr(facts)
            assert ristikontra.policy(facts) == code
            assert repr(facts) == before
            mixed = tuple(tuple(rng.sample(hand, len(hand))) for hand in state.hands)
            piles = tuple(tuple(rng.sample(pile, len(pile))) for pile in state.piles)
            other = dataclasses.replace(state, hands=mixed, piles=piles)
            assert choose_play(GAME, other) == code


def test_what_it_cannot_see_never_changes_its_choice() -> None:
    """Other hands and the stock dealt anew among themselves: the same facts, the same play."""
    rng = random.Random(5)
    changed = 0
    for seed in range(120):
        deal = selfplayed(seed) if seed % 2 else random_deal(rng, GAME, Sheet(dealer=seed % 4))
        for number in rng.sample(range(52), 12):
            state = deal.states[number]
            assert state.turn is not None
            known = shown(deal, number) | set(state.hands[state.turn])
            pack = disguised(rng, deal.pack, known)
            other = replay(GAME, state.sheet, pack, deal.plays[:number])
            assert given(other) == given(state)
            assert choose_play(GAME, other) == choose_play(GAME, state)
            assert set(re.findall("[A2-9TJQK][CDHS]", repr(given(other)))) <= known
            changed += other != state
    assert changed > 1_000
