"""The shuffle for people: every card equally often at every place and after every other card.

The limits are so wide that a fair shuffle fails one run in ten million, and the biased ones below,
which people do write, fail by far.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import sqrt

import pytest

from game import matches
from game.engine.cards import PACK

SHUFFLES = 5_200
SIGMAS = 5.2

Shuffle = Callable[[], list[str]]


def excess(counts: Counter[tuple[object, object]], cells: int, free: int) -> float:
    """How many standard deviations chi-square lies above what pure chance would make it."""
    expected = sum(counts.values()) / cells
    chi_square = sum((counts[cell] - expected) ** 2 / expected for cell in counts)
    chi_square += (cells - len(counts)) * expected  # those that never came
    return (chi_square - free) / sqrt(2 * free)


def places(packs: list[list[str]]) -> float:
    """Each card at each place."""
    counts: Counter[tuple[object, object]] = Counter()
    for pack in packs:
        counts.update(enumerate(pack))
    return excess(counts, 52 * 52, 51 * 51)


def neighbours(packs: list[list[str]]) -> float:
    """Each card after each other."""
    counts: Counter[tuple[object, object]] = Counter()
    for pack in packs:
        counts.update(pairwise(pack))
    return excess(counts, 52 * 51, 52 * 51 - 1)


def shuffles(shuffle: Shuffle) -> list[list[str]]:
    return [shuffle() for _ in range(SHUFFLES)]


def test_the_shuffle_of_tables_is_even():
    packs = shuffles(matches.shuffled)
    assert all(sorted(pack) == sorted(PACK) for pack in packs)
    assert len(set(map(tuple, packs))) == SHUFFLES
    assert places(packs) < SIGMAS
    assert neighbours(packs) < SIGMAS


def swap_with_any(rng: random.Random) -> Shuffle:
    """The usual mistake: every card is swapped with one of all cards."""

    def shuffle() -> list[str]:
        pack = list(PACK)
        for place in range(52):
            other = rng.randrange(52)
            pack[place], pack[other] = pack[other], pack[place]
        return pack

    return shuffle


def cut(rng: random.Random) -> Shuffle:
    """Cutting only: all places are even, neighbours stay together."""

    def shuffle() -> list[str]:
        at = rng.randrange(52)
        return [*PACK[at:], *PACK[:at]]

    return shuffle


@pytest.mark.parametrize(("make", "test"), [(swap_with_any, places), (cut, neighbours)])
def test_a_biased_shuffle_would_be_noticed(
    make: Callable[[random.Random], Shuffle], test: Callable[[list[list[str]]], float]
):
    assert test(shuffles(make(random.Random(1)))) > 2 * SIGMAS


def test_the_chance_is_the_operating_systems(monkeypatch: pytest.MonkeyPatch):
    """Python's own generator, which can be foreseen, has no part in it."""
    for seed in (1, 1):
        random.seed(seed)
        packs = [matches.shuffled() for _ in range(2)]
        assert packs[0] != packs[1]
    monkeypatch.setattr(random, "random", None)
    assert sorted(matches.shuffled()) == sorted(PACK)
    assert secrets.SystemRandom is random.SystemRandom
