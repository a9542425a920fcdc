"""Deals for the engine's tests: packs made to order, scripted plays, random deals, given scores."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from game.engine.base import Illegal, replay
from game.engine.cards import PACK, rank
from game.engine.registry import AnyGame, newest
from game.engine.ristikontra import DARK, VALUES, Ristikontra, Sheet, State, points, side, winning

GAME = Ristikontra()


# --- Every game -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """One way to open a game: its seats and the options that are not left to their defaults."""

    game: AnyGame
    seats: int
    options: tuple[tuple[str, str | int], ...] = ()

    def __str__(self) -> str:
        return "-".join([self.game.key, str(self.seats), *(f"{k}={v}" for k, v in self.options)])

    def open(self, dealer: int = 0) -> Any:
        return self.game.open(self.seats, dict(self.options), dealer)


def variants() -> list[Variant]:
    """Every registered game with every number of seats: all defaults, then one choice at a time."""
    return [
        Variant(game, seats, chosen)
        for game in newest().values()
        for seats in game.seats
        for chosen in [
            (),
            *(
                ((name, value),)
                for name, values in game.options.items()
                for value in dict.fromkeys([*values[1:2], *values[1:][-1:]])
            ),
        ]
    ]


every_variant = pytest.mark.parametrize("variant", variants(), ids=str)


@dataclass(frozen=True)
class Played:
    """A deal with all its plays; ``states`` has one more: the first is the deal itself."""

    game: AnyGame
    pack: tuple[str, ...]
    plays: tuple[str, ...]
    states: tuple[Any, ...]

    def steps(self) -> Iterator[tuple[Any, str, Any]]:
        """Each play with the state before and after it."""
        for (before, after), code in zip(pairwise(self.states), self.plays, strict=True):
            yield before, code, after


LONGEST = 500
"""More plays than any deal can have."""


def shuffled(rng: random.Random) -> tuple[str, ...]:
    return tuple(rng.sample(PACK, len(PACK)))


def random_deal(rng: random.Random, game: AnyGame, sheet: Any) -> Played:
    """A random pack played at random.

    In every other deal seats like to play what resembles their last play: the same rank, or the
    same word. That brings about what dice alone seldom do, such as three leads of one rank.
    """
    pack = shuffled(rng)
    state = game.deal(sheet, pack)
    states, plays = [state], list[str]()
    stubborn = rng.random() < 0.5
    habit: dict[int, str] = {}
    while state.turn is not None:
        codes = game.legal(state)
        liked = [code for code in codes if code[0] == habit.get(state.turn)]
        code = rng.choice(liked if stubborn and liked else codes)
        habit[state.turn] = code[0]
        state = game.play(state, code)
        plays.append(code)
        states.append(state)
        assert len(plays) < LONGEST
    return Played(game, pack, tuple(plays), tuple(states))


def random_match(rng: random.Random, variant: Variant) -> Any:
    """The sheet of a match played to its end at random."""
    sheet = variant.open(rng.randrange(variant.seats))
    while variant.game.result(sheet) is None:
        assert sheet.deals < LONGEST
        sheet = variant.game.settle(random_deal(rng, variant.game, sheet).states[-1])
    return sheet


# --- Packs and plays made to order ------------------------------------------------------------


def stack(
    hands: Mapping[int, str], stock: str = "", dealer: int = 3, *, seats: int = 4, each: int = 6
) -> tuple[str, ...]:
    """A pack that deals these cards ("7C AD") to these seats, then has this stock on top.

    What was not wished for is filled up in the order of ``PACK``.
    """
    wishes = [hands.get(seat, "").split() for seat in range(seats)]
    top = stock.split()
    spare = list(PACK)
    for card in [*(card for wish in wishes for card in wish), *top]:
        spare.remove(card)
    for wish in wishes:
        while len(wish) < each:
            wish.append(spare.pop(0))
    order = [(dealer + 1 + number) % seats for number in range(seats)]
    return (*(wishes[seat][turn] for turn in range(each) for seat in order), *top, *spare)


def dealt(hands: Mapping[int, str], stock: str = "", dealer: int = 3) -> State:
    """Ristikontra dealt from a pack like that; as a rule seat 0 leads."""
    return GAME.deal(Sheet(dealer=dealer), stack(hands, stock, dealer))


def played(state: State, script: str) -> State:
    """Ristikontra after these plays ("7C AD dark")."""
    for code in script.split():
        state = GAME.play(state, code)
    return state


def lead(state: State, code: str) -> State:
    """Lead ``code`` and let everybody follow from the hand without matching it."""
    state = GAME.play(state, code)
    while state.trick:
        led = rank(state.trick[0].card)
        state = GAME.play(
            state, next(one for one in GAME.legal(state) if one != DARK and rank(one) != led)
        )
    return state


def lead_all(state: State, script: str) -> State:
    """Lead these one after the other; the same seat stays on the lead."""
    for code in script.split():
        state = lead(state, code)
    return state


def lead_others(state: State, hoarded: str, tricks: int) -> State:
    """That many tricks led with the first card that is not of the ``hoarded`` rank."""
    for _ in range(tricks):
        state = lead(state, next(one for one in GAME.legal(state) if rank(one) != hoarded))
    return state


# --- Whole deals, trick by trick --------------------------------------------------------------


def arranged(game: AnyGame, sheet: Any, tricks: Mapping[int, str] | None = None) -> Any:
    """A finished deal with these tricks; see ``arranged_deal``."""
    return replay(game, sheet, *arranged_deal(game, sheet, tricks))


def arranged_deal(
    game: AnyGame, sheet: Any, tricks: Mapping[int, str] | None = None
) -> tuple[tuple[str, ...], list[str]]:
    """Pack and plays of a deal with these tricks ("7C AD 3S 9H", leader first) by number, from the
    hands.

    The other tricks are made of the other cards so that their leader keeps them: whoever takes one
    of the given tricks takes the next ones too. Kings come as early as they can, queens late.
    """
    wanted = {number: trick.split() for number, trick in (tricks or {}).items()}
    each = len(game.deal(sheet, PACK).hands[0])
    for seed in range(TRIES):
        made = _filled(random.Random(seed), wanted)
        pack = _packed(made, each, sheet.dealer) if made else None
        if made and pack:
            plays = [card for trick in made for card in trick]
            try:
                replay(game, sheet, pack, plays)
            except Illegal:
                continue  # a rank led four times
            return pack, plays
    raise AssertionError(f"no deal has the tricks {wanted}")


def _filled(rng: random.Random, wanted: Mapping[int, list[str]]) -> list[list[str]] | None:
    """Thirteen tricks, the wanted ones among them; None if these dice do not manage."""
    given = [card for trick in wanted.values() for card in trick]
    spare = [card for card in shuffled(rng) if card not in given]
    spare.sort(key=lambda card: {"K": 0, "Q": 2}.get(card[0], 1))
    made = []
    for number in range(1, 14):
        trick = wanted.get(number)
        if trick is None:
            trick = [next((card for card in spare if card[0] not in "KQ"), spare[0])]
            trick += [card for card in spare if card[0] != trick[0][0]][:3]
            spare = [card for card in spare if card not in trick]
        if len(trick) < 4:
            return None
        made.append(trick)
    return made


def _packed(tricks: list[list[str]], each: int, dealer: int) -> tuple[str, ...]:
    """The pack with which these tricks can be played, all from the hands."""
    seat = (dealer + 1) % 4
    turns = []
    for trick in tricks:
        seats = [(seat + place) % 4 for place in range(4)]
        turns += list(zip(seats, trick, strict=True))
        seat = max(
            (place, one) for place, one in enumerate(seats) if trick[place][0] == trick[0][0]
        )[1]
    plays: list[list[str]] = [[card for one, card in turns if one == seat] for seat in range(4)]
    hands = {seat: " ".join(cards[:each]) for seat, cards in enumerate(plays)}
    drawn = [iter(cards[each:]) for cards in plays]
    stock = [next(drawn[one]) for one, _ in turns[: 52 - 4 * each]]
    return stack(hands, " ".join(stock), dealer, each=each)


# --- Deals by score ---------------------------------------------------------------------------


TRIES = 2000
"""Enough to find any deal asked for here, unless the engine is wrong."""


def deal_worth(sheet: Sheet, worth: int, game: Ristikontra = GAME) -> State:
    """A finished deal in which side one has so many card points by the table's values."""
    values = game.rules(sheet).values
    return replay(game, sheet, *find_deal(sheet.dealer, worth, tuple(values.items())))


@cache
def find_deal(
    dealer: int, worth: int, values: tuple[tuple[str, int], ...] = tuple(VALUES.items())
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pack and the plays of such a deal, by trying with seeded dice."""
    rng = random.Random(f"{dealer} {worth}")
    total = 4 * sum(dict(values).values())
    favoured = 0 if worth > total * 5 / 6 else 1 if worth < total / 6 else None
    for _ in range(TRIES):
        pack = shuffled(rng)
        state = GAME.deal(Sheet(dealer=dealer), pack)
        plays = []
        while state.turn is not None:
            codes = GAME.legal(state)
            plays.append(rng.choice(_helpful(state, codes, favoured) or codes))
            state = GAME.play(state, plays[-1])
        if points(state.piles[0], dict(values)) == worth:
            return pack, tuple(plays)
    raise AssertionError(f"no deal gives side one {worth} points")


def _helpful(state: State, codes: list[str], favoured: int | None) -> list[str]:
    """The plays that win the trick in progress for the favoured side, or keep it theirs."""
    if favoured is None or state.turn is None or not state.trick:
        return []
    led = rank(state.trick[0].card)
    matching = side(state.turn) == favoured and side(winning(state.trick).seat) != favoured
    return [code for code in codes if code != DARK and (rank(code) == led) == matching]
