"""No seat is shown anything of what it cannot see.

Two positions that differ only in what is hidden from a seat must look the same to it, byte for
byte. What is hidden is read off the states themselves, never off a view.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from game.engine.base import Illegal
from game.engine.cards import PACK
from game.tests.deals import Played, Variant, every_variant, random_deal, variants

FACE_DOWN_PILES = [
    variant for variant in variants() if variant.game.key in ("ristikontra", "ristikontra-house")
]
"""Where nothing of the piles is public. (In Cleaning everybody knows who has taken queens.)"""


@cache
def deals(variant: Variant) -> list[Played]:
    rng = random.Random(str(variant))
    return [
        random_deal(rng, variant.game, variant.open(dealer % variant.seats)) for dealer in range(4)
    ]


def shown(variant: Variant, state: Any, seat: int) -> str:
    return json.dumps(variant.game.view(state, seat))


def reordered(rng: random.Random, cards: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rng.sample(cards, len(cards)))


def rearranged(rng: random.Random, state: Any, seat: int) -> Any:
    """The state with the other hands and the stock dealt anew among themselves.

    Their sizes stay, and so does the seat's own hand, but for the order it came in.
    """
    stock = getattr(state, "stock", ())
    hidden = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
    pool = list(reordered(rng, (*hidden, *stock)))
    hands = tuple(
        reordered(rng, hand) if other == seat else tuple(pool.pop() for _ in hand)
        for other, hand in enumerate(state.hands)
    )
    changes: dict[str, Any] = {"hands": hands}
    if stock:
        changes["stock"] = tuple(pool)
    return replace(state, **changes)


@every_variant
def test_hidden_cards_do_not_show(variant: Variant) -> None:
    """Other hands and the stock may be anything: at every point every seat's view is the same."""
    rng = random.Random(1)
    for deal in deals(variant):
        for state in deal.states[:-1]:
            for seat in range(variant.seats):
                other = rearranged(rng, state, seat)
                assert shown(variant, other, seat) == shown(variant, state, seat)


@every_variant
def test_refusals_do_not_tell(variant: Variant) -> None:
    """What the seat on turn is told about a play it may not make depends on what it sees alone."""

    def answer(state: Any, code: str) -> Any:
        try:
            variant.game.play(state, code)
        except Illegal as illegal:
            return illegal.reason, illegal.facts
        return None

    rng = random.Random(2)
    for deal in deals(variant)[:2]:
        for state in deal.states[:-1:3]:
            other = rearranged(rng, state, state.turn)
            for code in (*PACK, "dark", "pantti", "stop", "joker"):
                assert answer(other, code) == answer(state, code)


@pytest.mark.parametrize("variant", FACE_DOWN_PILES, ids=str)
def test_piles_do_not_show(variant: Variant) -> None:
    """Cards in the piles, but for the last trick's, may be anything that is hidden too."""
    rng = random.Random(3)
    for deal in deals(variant):
        for state in deal.states[:-1]:
            last = {play.card for play in state.last}
            pool = [card for pile in state.piles for card in pile if card not in last]
            rng.shuffle(pool)
            other = replace(
                state,
                piles=tuple(
                    tuple(card if card in last else pool.pop() for card in pile)
                    for pile in state.piles
                ),
            )
            for seat in range(variant.seats):
                assert shown(variant, other, seat) == shown(variant, state, seat)


def test_in_cleaning_piles_show_dirt_and_nothing_else() -> None:
    """Queens and kings in them tell who is dirty; the other cards may be anything."""
    rng = random.Random(5)
    variant = next(variant for variant in variants() if variant.game.key == "cleaning")
    for deal in deals(variant):
        for state in deal.states[:-1]:
            still = {play.card for play in state.last} | {card for card in PACK if card[0] in "QK"}
            pool = [card for pile in state.piles for card in pile if card not in still]
            rng.shuffle(pool)
            piles = tuple(
                tuple(card if card in still else pool.pop() for card in pile)
                for pile in state.piles
            )
            for seat in range(variant.seats):
                other = replace(state, piles=piles)
                assert shown(variant, other, seat) == shown(variant, state, seat)


def history(
    variant: Variant, pack: tuple[str, ...], plays: tuple[str, ...], seat: int
) -> tuple[list[Any], list[Any]] | None:
    """The states of a deal, and all that the seat has seen of cards at each; None if illegal."""
    state = variant.game.deal(variant.open(), pack)
    states, seen = [state], [(set(state.hands[seat]), variant.game.recall(state))]
    for code in plays:
        if code not in variant.game.legal(state):
            return None
        state = variant.game.play(state, code)
        states.append(state)
        seen.append((set(state.hands[seat]), variant.game.recall(state)))
    return states, seen


@every_variant
def test_histories_that_look_the_same_are_shown_the_same(variant: Variant) -> None:
    """Two packs that a seat cannot tell apart by the cards it has seen: equal views all along.

    Cards of the pack change places, one pair after the other, as long as the same plays stay
    legal and show the seat the same cards.
    """
    rng = random.Random(4)
    changed = 0
    for seat in range(variant.seats):
        deal = random_deal(rng, variant.game, variant.open())
        plays = deal.plays[: rng.randrange(len(deal.plays) + 1)]
        first = history(variant, deal.pack, plays, seat)
        assert first
        states, seen = first
        pack, others = deal.pack, states
        for _ in range(60):
            one, two = rng.sample(range(len(PACK)), 2)
            swapped = list(pack)
            swapped[one], swapped[two] = pack[two], pack[one]
            second = history(variant, tuple(swapped), plays, seat)
            if second and second[1] == seen:
                pack, others = tuple(swapped), second[0]
        changed += pack != deal.pack
        for state, other in zip(states, others, strict=True):
            assert shown(variant, other, seat) == shown(variant, state, seat)
    assert changed
