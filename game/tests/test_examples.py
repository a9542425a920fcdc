"""The worked examples of the rules pages, each played on its engine (R6, S2, S3)."""

from __future__ import annotations

import pytest

from game.engine.base import Illegal
from game.engine.registry import offered
from game.engine.ristikontra import winning
from game.examples import EXAMPLES, ROWS, TRICKS, Example, Fit
from game.tests.deals import GAME as RISTIKONTRA
from game.tests.deals import dealt
from game.tests.rows import GAME as RISTISEISKA
from game.tests.rows import position


def test_examples_belong_to_games_with_a_page() -> None:
    assert EXAMPLES == {"ristikontra": TRICKS, "ristiseiska": ROWS}
    assert set(EXAMPLES) <= set(offered())


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


def test_examples_say_what_the_engine_would_say() -> None:
    """The five and the ten of the examples wait for what their words name."""
    for example in ROWS:
        if not example.fits:
            rows = " ".join(card[1] + card[0] for card in example.table)
            view = RISTISEISKA.view(position(f"7D {example.card}", "7S", rows=rows), 0)
            awaited = {"8": "eight", "9": "nine"}[view["waits"][example.card]]
            assert awaited in str(example.words)
