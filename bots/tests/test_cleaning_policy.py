"""Cleaning's computer, line by line (the lines of "How the computer plays"), and against the plain
policy."""

from __future__ import annotations

import random
import re

import pytest

from bots import cleaning, ristikontra
from bots.cleaning import Facts
from bots.policies import choose_play
from bots.tests.positions import disguised
from game.engine.base import replay
from game.engine.cards import RANKS, SUITS
from game.engine.cleaning import Cleaning
from game.tests.deals import random_deal, shuffled

CLEANING = Cleaning()
ORDER = [rank + suit for rank in RANKS for suit in SUITS]
STOCK = 12


def facts(trick: str, hand: str, *, seen: str, barred: str | None, stock: int, dirty: str) -> Facts:
    """What seat 3 is given; ``dirty`` names the dirty sides: us, them, both or nobody."""
    cards, table = sorted(hand.split(), key=ORDER.index), trick.split()
    may = [card for card in cards if card[0] != barred or len(cards) == 1]
    return Facts(
        seat=3,
        hand=cards,
        legal=[*may, "dark"] if stock and not barred else may,
        trick=[
            {"seat": 3 - len(table) + place, "card": card, "dark": False}
            for place, card in enumerate(table)
        ],
        barred=barred,
        stock=stock,
        played=[*seen.split(), *table],
        dirty=dirty in ("us", "both"),
        others_dirty=dirty in ("them", "both"),
    )


def leads(
    hand: str, *, seen: str = "", barred: str | None = None, stock: int = STOCK, dirty: str = ""
) -> str:
    """What the computer leads."""
    return cleaning.policy(facts("", hand, seen=seen, barred=barred, stock=stock, dirty=dirty))


def follows(trick: str, hand: str, *, seen: str = "", stock: int = STOCK, dirty: str = "") -> str:
    """What the computer in seat 3 plays to this trick.

    From the right the cards are those of seat 2 (an opponent), seat 1 (its partner) and seat 0.
    """
    return cleaning.policy(facts(trick, hand, seen=seen, barred=None, stock=stock, dirty=dirty))


# --- Line a: leading, dirty, without stock: a certain king ------------------------------------


def test_line_a_a_certain_king_is_led_to_get_clean() -> None:
    assert leads("2C AC KD", seen="KC KH KS AD AH AS", stock=0, dirty="us") == "KD"


def test_line_a_not_while_another_king_is_unseen() -> None:
    assert leads("2C KD", seen="KC KH", stock=0, dirty="us") == "2C"


def test_line_a_not_when_clean_nor_while_the_stock_lasts() -> None:
    seen = "KC KH KS AD AH AS"
    assert leads("2C AC KD", seen=seen, stock=0) == "AC"
    assert leads("2C AC KD", seen=seen, dirty="us") == "AC"


def test_line_a_a_barred_king_is_not_led() -> None:
    assert leads("2C KD", seen="KC KH KS", barred="K", stock=0, dirty="us") == "2C"


# --- Line b: a queen for the opponents --------------------------------------------------------


def test_line_b_last_to_act_a_queen_goes_to_the_opponents_trick() -> None:
    assert follows("7C 2D 3H", "4C 5C QD QH") == "QD"
    assert follows("7C 2D 7H", "4C 5C QD QH") == "QD"


def test_line_b_not_to_the_partners_trick() -> None:
    assert follows("7C 7D 3H", "4C 5C QD QH") == "4C"


def test_line_b_not_before_everybody_else_has_played() -> None:
    assert follows("2D 2H", "4C 5C QD") == "4C"
    assert follows("7C", "4C 5C QD") == "4C"


def test_line_b_not_to_a_trick_that_queens_lead() -> None:
    assert follows("QC 2D QS", "4C 5C QD") == "4C"


def test_line_b_not_when_they_are_dirty_already_or_the_stock_is_gone() -> None:
    assert follows("3H 2D 3C", "4C 5C QD", dirty="them") == "4C"
    assert follows("3H 2D 3C", "4C 5C QD", stock=0) == "4C"


# --- Line c: kings away while the others are dirty --------------------------------------------


@pytest.mark.parametrize("trick", ["7C", "7C 2D", "3H 2D 3C", "7C 2D 7H"])
def test_line_c_a_king_goes_while_it_can_clean_nobody(trick: str) -> None:
    assert follows(trick, "4C 5C KD KH", dirty="them") == "KD"


def test_line_c_not_when_its_own_side_is_dirty_too() -> None:
    assert follows("7C 2D", "4C 5C KD", dirty="both") == "4C"


def test_line_c_not_when_nobody_is_dirty_nor_later() -> None:
    assert follows("7C 2D", "4C 5C KD") == "4C"
    assert follows("7C", "4C 5C KD", stock=0, dirty="them") == "4C"


# --- Line d: a king to get clean --------------------------------------------------------------


def test_line_d_last_to_act_the_partners_trick_gets_the_king() -> None:
    assert follows("2H 7C 3D", "4C AD KD", stock=0, dirty="us") == "4C"
    assert follows("2H 2C 3D", "4C AD KD", stock=0, dirty="us") == "KD"


def test_line_d_not_to_a_trick_that_queens_lead() -> None:
    assert follows("QH QC 3D", "4C AD KD", stock=0, dirty="us") == "AD"


def test_line_d_not_when_clean() -> None:
    assert follows("2H 2C 3D", "4C AD KD", stock=0) == "AD"


# --- Line e: feeding a certain trick ----------------------------------------------------------


def test_line_e_a_partners_trick_nobody_can_take_gets_the_richest_card() -> None:
    assert follows("7C 2D", "4C AD TD", seen="7D 7H 7S") == "AD"


def test_line_e_not_while_a_card_of_the_led_rank_is_unseen() -> None:
    assert follows("7C 2D", "4C AD TD", seen="7D 7H") == "4C"


def test_line_e_the_cards_it_keeps_are_not_given() -> None:
    assert follows("7C 2D", "4C JD QD", seen="7D 7H 7S") == "JD"
    assert follows("7C 2D", "4C JD KD", seen="7D 7H 7S", dirty="us") == "JD"


def test_line_e_without_points_to_give_it_throws_as_ever() -> None:
    assert follows("7C 2D", "4C 4D 9H", seen="7D 7H 7S") == "9H"


# --- Lines f to h: what it keeps --------------------------------------------------------------


def test_line_f_clean_it_keeps_its_queens_while_the_stock_lasts() -> None:
    assert leads("2C QD", seen="QC QH QS") == "2C"
    assert leads("2C QD", seen="QC QH QS", dirty="us") == "QD"
    assert leads("2C QD", seen="QC QH QS", stock=0) == "QD"


def test_line_f_clean_it_does_not_take_a_trick_with_a_queen() -> None:
    assert follows("7C QH 7D", "4C 7H", stock=1) == "4C"
    assert follows("7C QH 7D", "4C 7H", dirty="us") == "7H"
    assert follows("7C QH 7D", "4C 7H", stock=0) == "7H"


def test_line_f_it_takes_other_tricks() -> None:
    assert follows("7C AH 7D", "4C 7H") == "7H"


def test_line_g_dirty_it_keeps_its_kings_for_later() -> None:
    assert leads("2C KD", seen="KC KH KS", dirty="us") == "2C"
    assert follows("2H 2C 3D", "4C JD KD", dirty="us") == "JD"


def test_line_h_dirty_it_keeps_its_kings_for_its_own_sides_tricks() -> None:
    assert follows("7C 2D 7H", "JC KD", stock=0, dirty="us") == "JC"


def test_line_h_a_dirty_other_side_gets_no_king() -> None:
    assert follows("7C 2D 7H", "QC KD", stock=0, dirty="them") == "QC"
    assert follows("7C 2D 7H", "TC KD", stock=0, dirty="them") == "TC"
    assert follows("7C 2D 7H", "TC KD", stock=0) == "KD"


def test_what_it_has_to_play_it_plays() -> None:
    """When there is nothing else it parts with what it would keep."""
    assert leads("QD", stock=0) == "QD"
    assert leads("KC KD", stock=0, seen="KH", dirty="us") == "KC"
    assert follows("7C 2D", "KC KD", stock=0, dirty="us") == "KC"


# --- What it is given -------------------------------------------------------------------------


def test_it_is_given_which_sides_are_dirty_and_else_what_the_plain_one_is() -> None:
    deal = random_deal(random.Random(1), CLEANING, CLEANING.open(4, {}, 0))
    for state in deal.states:
        for seat in range(4):
            view, played = CLEANING.view(state, seat), CLEANING.recall(state)
            given, plain = cleaning.facts(view, played), ristikontra.facts(view, played)
            ours, theirs = view["dirty"][seat % 2], view["dirty"][1 - seat % 2]
            assert (given.dirty, given.others_dirty) == (ours, theirs)
            for name in ristikontra.Facts.__slots__:
                assert getattr(given, name) == getattr(plain, name)


def test_what_it_cannot_see_never_changes_its_choice() -> None:
    """Other hands and the stock dealt anew among themselves: the same facts, the same play."""
    rng = random.Random(5)
    changed = 0
    for number in range(60):
        deal = random_deal(rng, CLEANING, CLEANING.open(4, {}, number % 4))
        for place in rng.sample(range(52), 12):
            state = deal.states[place]
            known = {*CLEANING.recall(state), *state.hands[state.turn]}
            other = replay(
                CLEANING, state.sheet, disguised(rng, deal.pack, known), deal.plays[:place]
            )
            view = CLEANING.view(other, state.turn)
            given = repr(cleaning.facts(view, CLEANING.recall(other)))
            assert choose_play(CLEANING, other) == choose_play(CLEANING, state)
            assert set(re.findall("[A2-9TJQK][CDHS]", given)) <= known
            changed += other != state
    assert changed > 500


# --- Is it any good ---------------------------------------------------------------------------


MATCHES = 400


def won(seed: int) -> bool:
    """Whether Cleaning's computers beat those with the plain policy; they change sides."""
    rng, ours = random.Random(seed), seed % 2
    sheet = CLEANING.open(4, {}, rng.randrange(4))
    while CLEANING.result(sheet) is None:
        state = CLEANING.deal(sheet, shuffled(rng))
        while state.turn is not None:
            policy = cleaning if state.turn % 2 == ours else ristikontra
            facts = policy.facts(CLEANING.view(state, state.turn), CLEANING.recall(state))
            state = CLEANING.play(state, policy.policy(facts))
        sheet = CLEANING.settle(state)
    return sheet.winner == ours


@pytest.mark.timeout(400)
def test_it_wins_at_least_55_of_100_matches_against_the_plain_policy() -> None:
    assert sum(map(won, range(MATCHES))) >= 0.55 * MATCHES
