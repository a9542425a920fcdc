"""What every game promises, whatever its rules: for each game, number of seats and option."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from game import words
from game.engine.base import Illegal, freeze, replay, thaw
from game.engine.cards import PACK
from game.engine.registry import GAMES, find, newest
from game.tests.deals import Played, Variant, every_variant, random_deal, random_match, shuffled

DEALS = 4
NOT_HELD_TWICE = {"last"}
"""Fields of a state that show once more what lies elsewhere."""

JUNK = [
    "",
    " ",
    "7",
    "C",
    "7c",
    "7C ",
    " 7C",
    "7C\n",
    "7C7D",
    "7C 7D",
    "10C",
    "1C",
    "0C",
    "7X",
    "Dark",
    "DARK",
    "dark ",
    "Stop",
    "legal",
    "None",
    "-1",
    "__class__",
    "%(rank)s",
    "7\N{BLACK CLUB SUIT}",
    "\N{PLAYING CARD SEVEN OF CLUBS}",
    "7\N{CYRILLIC CAPITAL LETTER ES}",
    "\N{FULLWIDTH DIGIT SEVEN}\N{FULLWIDTH LATIN CAPITAL LETTER C}",
    "7C\x00",
    "\ud800",
    "7C" * 10_000,
]
UNIVERSE = [*PACK, "dark", "pantti", "stop", *JUNK]


@cache
def deals(variant: Variant) -> list[Played]:
    """Some deals of one match, with different dealers."""
    rng = random.Random(str(variant))
    sheet = variant.open(rng.randrange(variant.seats))
    made = []
    for _ in range(DEALS):
        made.append(random_deal(rng, variant.game, sheet))
        sheet = variant.game.settle(made[-1].states[-1])
        if variant.game.result(sheet) is not None:
            sheet = variant.game.reopen(sheet)
    return made


def every_state(variant: Variant) -> Iterator[Any]:
    for deal in deals(variant):
        yield from deal.states


def cards_of(value: Any) -> Iterator[str]:
    """The cards in a state, each as often as it is there."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in NOT_HELD_TWICE:
                yield from cards_of(getattr(value, field.name))
    elif isinstance(value, tuple | frozenset):
        for one in value:
            yield from cards_of(one)
    elif isinstance(value, str) and value in PACK:
        yield value


def check_refusal(illegal: Illegal) -> None:
    """Its reason has words that its facts fill in, and its facts can be sent."""
    assert illegal.reason in words.REFUSALS
    assert words.refusal(illegal)
    json.dumps(illegal.facts)


def refused(reason: str, call: Any, *arguments: Any) -> None:
    with pytest.raises(Illegal) as raised:
        call(*arguments)
    assert raised.value.reason == reason
    check_refusal(raised.value)


@every_variant
def test_cards_are_conserved(variant: Variant) -> None:
    """No card is ever twice in a state, and each is in it or was played face up."""
    for state in every_state(variant):
        held = list(cards_of(state))
        seen = variant.game.recall(state)
        assert len(set(held)) == len(held)
        assert len(set(seen)) == len(seen)
        assert set(held) | set(seen) == set(PACK)
        assert not {card for hand in state.hands for card in hand} & set(seen)


@every_variant
def test_seat_on_turn_can_play(variant: Variant) -> None:
    """Until the deal is over some seat is on turn and has something legal to play, then nobody."""
    for deal in deals(variant):
        for state, code, _ in deal.steps():
            assert state.turn in range(variant.seats)
            assert code in variant.game.legal(state)
        assert deal.states[-1].turn is None
        assert variant.game.legal(deal.states[-1]) == []


@every_variant
def test_legal_is_the_authority(variant: Variant) -> None:
    """What is legal is played; anything else is refused with a reason, and nothing changes."""
    for deal in deals(variant)[:2]:
        for state in deal.states:
            before = repr(state)
            legal = variant.game.legal(state)
            assert set(legal) <= set(UNIVERSE)
            for code in UNIVERSE:
                if code in legal:
                    assert variant.game.play(state, code) != state
                    continue
                with pytest.raises(Illegal) as raised:
                    variant.game.play(state, code)
                check_refusal(raised.value)
            assert repr(state) == before


@every_variant
def test_legal_is_deterministic(variant: Variant) -> None:
    """The same codes in the same order for the same state however reached, each once."""
    for deal in deals(variant):
        sheet = freeze(variant.game.sheet_type, thaw(deal.states[0].sheet))
        for number in range(0, len(deal.plays), 7):
            state = deal.states[number]
            legal = variant.game.legal(state)
            assert len(set(legal)) == len(legal)
            assert variant.game.legal(state) == legal
            again = replay(variant.game, sheet, deal.pack, deal.plays[:number])
            assert variant.game.legal(again) == legal
            variant.game.legal(state).clear()
            assert variant.game.legal(state) == legal


@every_variant
def test_replay_reaches_the_same_state(variant: Variant) -> None:
    """Sheet, pack and plays are all there is to a state."""
    for deal in deals(variant):
        sheet = deal.states[0].sheet
        for number in (0, 1, len(deal.plays) // 2, len(deal.plays)):
            again = replay(variant.game, sheet, deal.pack, deal.plays[:number])
            assert again == deal.states[number]
            assert hash(again) == hash(deal.states[number])
        assert len(set(deal.states)) == len(deal.states)


@every_variant
def test_replay_names_the_wrong_play(variant: Variant) -> None:
    """The refusal says which play it was, counted from one; one too many is wrong as well."""
    deal = deals(variant)[0]
    for plays, number in (
        (["joker"], 1),
        ([*deal.plays[:9], "joker", "joker"], 10),
        ([*deal.plays, deal.plays[0]], len(deal.plays) + 1),
    ):
        with pytest.raises(Illegal) as raised:
            replay(variant.game, deal.states[0].sheet, deal.pack, plays)
        assert raised.value.facts["play"] == number
        check_refusal(raised.value)


@every_variant
def test_states_and_sheets_are_frozen(variant: Variant) -> None:
    """They can be hashed, so nothing in them can change, and no field can be set."""
    for deal in deals(variant):
        for value in (deal.states[0].sheet, *deal.states):
            hash(value)
        for value in (deal.states[0].sheet, deal.states[1]):
            for field in dataclasses.fields(value):
                with pytest.raises(dataclasses.FrozenInstanceError):
                    setattr(value, field.name, None)


@every_variant
def test_views_are_json(variant: Variant) -> None:
    """A view is what JSON gives back: no tuples, no numbers as keys, nothing special."""
    for state in every_state(variant):
        for seat in range(variant.seats):
            view = variant.game.view(state, seat)
            assert json.loads(json.dumps(view, allow_nan=False)) == view
            assert variant.game.view(state, seat) == view


@every_variant
def test_a_view_is_what_is_public_and_what_is_private_and_no_field_is_both(
    variant: Variant,
) -> None:
    for state in every_state(variant):
        public = variant.game.public(state)
        for seat in range(variant.seats):
            private = variant.game.private(state, seat)
            assert variant.game.view(state, seat) == public | private
            assert not set(public) & set(private)
            assert not {"seat", "hand", "legal"} - set(private)


@every_variant
def test_views_tell_the_seat_its_part(variant: Variant) -> None:
    """The game, whose view it is, who is on turn, the hand, and what may be played when on turn."""
    for state in every_state(variant):
        for seat in range(variant.seats):
            view = variant.game.view(state, seat)
            assert view["game"] == variant.game.key
            assert view["seat"] == seat
            assert view["turn"] == state.turn
            assert sorted(view["hand"]) == sorted(state.hands[seat])
            assert view["legal"] == (variant.game.legal(state) if seat == state.turn else [])


@every_variant
def test_views_have_no_card_but_the_own_hand_and_what_is_face_up(variant: Variant) -> None:
    """However a card is written in it, alone or in a longer text, while the deal is on."""
    for state in every_state(variant):
        if state.turn is None:
            continue
        face_up = set(variant.game.recall(state))
        for seat in range(variant.seats):
            text = json.dumps(variant.game.view(state, seat))
            shown = set(re.findall("[A2-9TJQK][CDHS]", text))
            assert shown <= face_up | set(state.hands[seat])


@every_variant
def test_seats_are_alike(variant: Variant) -> None:
    """Every seat's view has the same fields in the same order, from the first play to the last."""
    fields = {
        tuple(variant.game.view(state, seat))
        for state in every_state(variant)
        for seat in range(variant.seats)
    }
    assert len(fields) == 1


@every_variant
def test_recall_only_grows(variant: Variant) -> None:
    """It starts empty, and a play adds the card it showed, if any."""
    for deal in deals(variant):
        assert variant.game.recall(deal.states[0]) == []
        for state, code, after in deal.steps():
            known = set(variant.game.recall(state))
            shown = set(variant.game.recall(after)) - known
            assert known <= set(variant.game.recall(after))
            assert len(shown) <= 1
            assert code not in PACK or shown == {code}


@every_variant
def test_nothing_is_counted_before_the_end(variant: Variant) -> None:
    """An unfinished deal has no count and no sheet."""
    for state in every_state(variant):
        if state.turn is not None:
            refused("unfinished", variant.game.count, state)
            refused("unfinished", variant.game.settle, state)


@every_variant
def test_a_finished_deal_is_counted(variant: Variant) -> None:
    """Its count can be sent and stored, and says the same every time."""
    for deal in deals(variant):
        count = variant.game.count(deal.states[-1])
        assert json.loads(json.dumps(count, allow_nan=False)) == count
        assert variant.game.count(deal.states[-1]) == count


@every_variant
def test_settling_moves_the_deal_on(variant: Variant) -> None:
    """One deal more is counted and the next seat deals."""
    for deal in deals(variant):
        before = deal.states[0].sheet
        after = variant.game.settle(deal.states[-1])
        assert after.deals == before.deals + 1
        assert after.dealer == (before.dealer + 1) % variant.seats


@every_variant
def test_sheets_survive_json(variant: Variant) -> None:
    """A sheet thawed, sent through JSON and frozen again is the same sheet."""
    for deal in deals(variant):
        for sheet in (deal.states[0].sheet, variant.game.settle(deal.states[-1])):
            stored = json.loads(json.dumps(thaw(sheet)))
            again = freeze(variant.game.sheet_type, stored)
            assert again == sheet
            assert hash(again) == hash(sheet)


@every_variant
@pytest.mark.parametrize("seed", range(2))
def test_a_match_ends(variant: Variant, seed: int) -> None:
    """Random play comes to an end; then there is a result and no further deal, but a rematch."""
    game = variant.game
    over = random_match(random.Random(f"{variant} {seed}"), variant)
    result = game.result(over)
    assert result is not None
    assert json.loads(json.dumps(result)) == result
    assert result["outcome"] in ("win", "draw")
    assert ("winner" in result) == (result["outcome"] == "win")
    assert ("reason" in result) == (result["outcome"] == "draw")
    assert result.get("winner", 0) in range(game.sides or variant.seats)
    assert len(result["score"]) == (game.sides or variant.seats)
    refused("match-over", game.deal, over, PACK)
    again = game.reopen(over)
    assert again == variant.open(over.dealer)
    assert game.result(again) is None


@every_variant
def test_only_whole_packs_are_dealt(variant: Variant) -> None:
    """Fifty-two different cards in any order, nothing else."""
    pack = shuffled(random.Random(1))
    sheet = variant.open()
    for wrong in (
        (),
        pack[1:],
        (*pack, pack[0]),
        (*pack[1:], pack[1]),
        (*pack[1:], "joker"),
        (*pack[1:], ""),
        (*pack[1:], pack[0].lower()),
        tuple(card[::-1] for card in pack),
    ):
        refused("pack", variant.game.deal, sheet, wrong)
    assert variant.game.deal(sheet, pack) != variant.game.deal(sheet, pack[::-1])


@every_variant
def test_only_what_exists_is_opened(variant: Variant) -> None:
    """Numbers of seats, dealers, options and their values that the game has not are refused."""
    game, seats, options = variant.game, variant.seats, dict(variant.options)
    for number in {-1, 0, 1, 2, 3, 4, 5, 52} - set(game.seats):
        refused("seats", game.open, number, options, 0)
    for dealer in (-1, seats, seats + 1):
        refused("dealer", game.open, seats, options, dealer)
    for name in ("", "seats", "no-such-option", *(name.upper() for name in game.options)):
        refused("option", game.open, seats, {**options, name: 1}, 0)
    for name, values in game.options.items():
        for value in ("", "no-such-value", str(values[0]).upper(), -1, 0, True):
            if value not in values or value is True:
                refused("option", game.open, seats, {**options, name: value}, 0)
    assert options == dict(variant.options)


@every_variant
def test_defaults_may_be_named(variant: Variant) -> None:
    """An option left out is its default named."""
    named = {name: values[0] for name, values in variant.game.options.items()}
    for dealer in range(variant.seats):
        assert variant.game.open(
            variant.seats, {**named, **dict(variant.options)}, dealer
        ) == variant.open(dealer)


@pytest.mark.parametrize("game", newest().values(), ids=lambda game: game.key)
def test_registry_finds_the_game(game: Any) -> None:
    assert find(game.key) is game
    assert find(game.key, game.version) is game
    assert GAMES[game.key, game.version] is game


@pytest.mark.parametrize("key", ["", "poker", "Ristikontra", None, 1, ["ristikontra"], {}])
def test_registry_refuses_unknown_games(key: object) -> None:
    refused("unknown-game", find, key)


@pytest.mark.parametrize("version", [0, -1, 99, "1", 1.5, [1], {}])
def test_registry_refuses_unknown_versions(version: object) -> None:
    refused("unknown-version", find, "ristikontra", version)
