"""House rules are played by Ristikontra's policy, with the card values of the table."""

from __future__ import annotations

import random

import pytest

from bots import ristikontra
from bots.policies import choose_play
from game.engine.house import FIVE_TO_ONE, House
from game.engine.ristikontra import VALUES, State
from game.tests.deals import GAME, random_deal, stack

HOUSE = House()


def dealt(hands: dict[int, str], stock: str = "", dealer: int = 3, **options: str) -> State:
    return HOUSE.deal(HOUSE.open(4, options, dealer), stack(hands, stock, dealer))


def plays(state: State, script: str = "") -> str:
    """What the computer on turn plays after these plays."""
    for code in script.split():
        state = HOUSE.play(state, code)
    return choose_play(HOUSE, state)


@pytest.mark.parametrize(("values", "wanted"), [("standard", VALUES), ("five-to-one", FIVE_TO_ONE)])
def test_it_is_given_the_values_of_the_table(values: str, wanted: dict[str, int]) -> None:
    state = dealt({}, values=values)
    assert ristikontra.facts(HOUSE.view(state, 0), []).values == wanted


@pytest.mark.parametrize(("values", "card"), [("standard", "TC"), ("five-to-one", "KC")])
def test_line_1_of_two_certain_cards_the_richer_at_this_table(values: str, card: str) -> None:
    state = dealt({0: "TC TD TH TS KC KD"}, values=values)
    facts = ristikontra.facts(HOUSE.view(state, 0), ["KH", "KS"])
    assert ristikontra.policy(facts) == card


def test_line_3_the_cheapest_point_card_is_a_ten() -> None:
    hands = {0: "TC JC QC KC AC AD"}
    state = dealt(hands, values="five-to-one")
    view = {**HOUSE.view(state, 0), "legal": ["AC", "AD", "TC", "JC", "QC", "KC"], "barred": "9"}
    assert ristikontra.policy(ristikontra.facts(view, [])) == "TC"


@pytest.mark.parametrize(("values", "card"), [("standard", "TH"), ("five-to-one", "KH")])
def test_line_4_its_richest_card_by_the_table(values: str, card: str) -> None:
    """Last to act, the partner winning."""
    hands = {0: "7C", 1: "7D 2C", 2: "3C", 3: "TH KH 4C 5C 6C 8C"}
    assert plays(dealt(hands, values=values), "7C 7D 3C") == card


def test_line_6_its_cheapest_card_by_the_table() -> None:
    state = dealt({3: "TH KH AC AD QC JC"}, values="five-to-one")
    trick = [{"seat": 2, "card": "7C", "dark": False}]
    facts = ristikontra.facts({**HOUSE.view(state, 3), "stock": 0, "trick": trick}, ["7C"])
    assert ristikontra.policy(facts) == "TH"


def test_with_the_usual_values_it_plays_as_in_the_plain_game() -> None:
    """Whatever the goal, the sweep and the signalling."""
    for number, options in enumerate(
        [{}, {"goal": "card-points"}, {"sweep": "wipe"}, {"signalling": "on"}]
    ):
        deal = random_deal(random.Random(number), HOUSE, HOUSE.open(4, options, number))
        state = GAME.deal(GAME.open(4, {}, number), deal.pack)
        for before, code, _ in deal.steps():
            assert choose_play(HOUSE, before) == choose_play(GAME, state)
            state = GAME.play(state, code)
