"""The worked examples of the rules pages, each played on its engine (R6, S2, S3)."""

from __future__ import annotations

import pytest

from game.engine.base import Illegal
from game.engine.cleaning import Cleaning, dirt
from game.engine.registry import offered
from game.engine.ristikontra import winning
from game.examples import DIRT, EXAMPLES, ROWS, TRICKS, Example, Fit, Wash
from game.tests.deals import GAME as RISTIKONTRA
from game.tests.deals import arranged, dealt
from game.tests.rows import GAME as RISTISEISKA
from game.tests.rows import position

CLEANING = Cleaning()


def test_examples_belong_to_games_with_a_page() -> None:
    assert set(EXAMPLES) <= set(offered())
    assert EXAMPLES["ristikontra"] == TRICKS
    assert set(EXAMPLES["ristikontra-house"]) < set(TRICKS)


@pytest.mark.parametrize("example", TRICKS, ids=lambda one: "-".join(one.cards))
def test_each_trick_goes_to_whom_it_says_r6(example: Example) -> None:
    state = dealt(dict(enumerate(example.cards)))
    for seat, card in enumerate(example.cards):
        assert state.turn == seat
        state = RISTIKONTRA.play(state, card)
    assert winning(state.last).seat == example.taker == state.turn
    assert str(example.words).endswith(".")


@pytest.mark.parametrize("example", ROWS, ids=lambda one: f"{''.join(one.table)} {one.card}")
def test_each_card_fits_or_waits_as_it_says_s3(example: Fit) -> None:
    """On the engine: laid from a hand that has another card that fits."""
    rows = " ".join(card[1] + card[0] for card in example.table)
    state = position(f"7D {example.card} KS", "7S", rows=rows)
    assert (example.card in RISTISEISKA.legal(state)) == example.fits
    assert str(example.words).endswith(".")
    if example.fits:
        assert example.card in RISTISEISKA.play(state, example.card).table
        return
    with pytest.raises(Illegal) as refused:
        RISTISEISKA.play(state, example.card)
    assert refused.value.reason == "waits"


@pytest.mark.parametrize("example", DIRT, ids=lambda one: "-".join(one.cards))
def test_each_trick_makes_dirty_or_clean_as_it_says_c2_c3(example: Wash) -> None:
    """On the engine: as the first trick, or as the ninth of a side that its first made dirty."""
    number = 9 if example.late else 1
    tricks = {number: " ".join(example.cards)}
    if example.late:
        tricks[1] = "2C QH 2S 3D"
    state = arranged(CLEANING, CLEANING.open(4, {}, 3), tricks)
    played = [state.takers[number - 1], state.leads[number - 1]]
    found = dirt(state, played[0])
    assert played[1] == example.cards[0][0]
    assert example.taker == max(
        place for place, card in enumerate(example.cards) if card[0] == played[1]
    )
    assert found.dirtied == 1
    assert (found.cleaned == number) == (example.late and not example.dirty)
    assert example.dirty or example.late
    assert str(example.words).endswith(".")


def test_examples_say_what_the_engine_would_say() -> None:
    """The five and the ten of the examples wait for what their words name."""
    for example in ROWS:
        if not example.fits:
            rows = " ".join(card[1] + card[0] for card in example.table)
            view = RISTISEISKA.view(position(f"7D {example.card}", "7S", rows=rows), 0)
            awaited = {"8": "eight", "9": "nine"}[view["waits"][example.card]]
            assert awaited in str(example.words)
