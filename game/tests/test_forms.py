"""What people choose before a match: a game's form, its words, and the line of rules."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.utils.functional import Promise

from game.engine.base import Illegal
from game.engine.registry import AnyGame, find, newest
from game.forms import FEW, ChoiceForm
from game.words import OPTIONS, REFUSALS, TITLES, rules_line, title

every_game = pytest.mark.parametrize("game", newest().values(), ids=lambda game: game.key)
HOUSE = find("ristikontra-house")


def filled(game: AnyGame, **changes: str) -> ChoiceForm:
    """The form with its defaults, and these changes."""
    data = {name: str(values[0]) for name, values in game.options.items()}
    return ChoiceForm(game, {"seats": str(game.seats[-1]), **data, **changes})


@every_game
def test_it_asks_for_what_can_be_chosen_and_nothing_else(game: AnyGame) -> None:
    asked = [field.name for field in ChoiceForm(game).choices()]
    assert asked == (["seats"] if len(game.seats) > 1 else []) + list(game.options)


@every_game
def test_every_value_is_offered_and_the_default_chosen(game: AnyGame) -> None:
    form: Any = ChoiceForm(game)
    for name, values in game.options.items():
        field = form.fields[name]
        offered = [value for value, _ in field.choices]
        assert sorted(offered, key=str) == sorted(values, key=str)
        assert offered[0] == values[0] or offered == sorted(values)  # numbers go by size
        assert field.initial == values[0]
        assert (field.widget.input_type == "radio") == (len(values) <= FEW)
    if len(game.seats) > 1:
        assert form.fields["seats"].initial == game.seats[-1]


@every_game
def test_every_value_has_words(game: AnyGame) -> None:
    """Where several are to be told apart, each says what follows from it, unless its label does."""
    for name, values in game.options.items():
        option = OPTIONS[name]
        assert str(option.label)
        labels = [str(option.value(value).label) for value in values]
        assert len(set(labels)) == len(values)
        assert all(labels)
        assert set(option.values) <= set(values)
        if isinstance(values[0], str):
            told = [str(option.value(value).means) for value in values]
            assert all(one.endswith(".") for one in told if one)
            assert any(told)


@every_game
def test_each_choice_comes_back_as_the_game_knows_it(game: AnyGame) -> None:
    plain = {name: values[0] for name, values in game.options.items()}
    for name, values in game.options.items():
        for value in values:
            form = filled(game, **{name: str(value)})
            assert form.is_valid(), form.errors
            assert form.chosen() == (game.seats[-1], {**plain, name: value})
            assert all(type(form.chosen()[1][one]) is type(plain[one]) for one in plain)
    for seats in game.seats:
        form = filled(game, seats=str(seats))
        assert form.is_valid()
        assert form.chosen()[0] == seats


@every_game
def test_every_combination_is_valid_exactly_when_the_engine_opens_it(game: AnyGame) -> None:
    shortened = {name: values[:2] for name, values in game.options.items()}
    for combination in product(*shortened.values()):
        options = dict(zip(shortened, combination, strict=True))
        form = filled(game, **{name: str(value) for name, value in options.items()})
        try:
            game.open(game.seats[-1], options, 0)
        except Illegal as illegal:
            assert form.errors == {illegal.facts["option"]: [str(REFUSALS[illegal.reason])]}
        else:
            assert form.is_valid(), form.errors


def test_house_rules_that_exclude_each_other_are_refused_at_the_option_h3_h4() -> None:
    form = filled(HOUSE, goal="card-points", sweep="wipe")
    assert form.errors == {
        "sweep": ["This option goes with game points only, not with card points."]
    }
    form = filled(HOUSE, goal="card-points", signalling="on")
    assert list(form.errors) == ["signalling"]
    # Where signalling means nothing it is neither asked for nor held against anybody.
    form = ChoiceForm(HOUSE, dict(filled(HOUSE, goal="card-points").data), ("signalling",))
    assert form.is_valid()
    assert "signalling" not in form.chosen()[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"seats": "1"},
        {"seats": "5"},
        {"seats": "two"},
        {"deals": "0"},
        {"deals": "11"},
        {"deals": "3.0"},
        {"deals": ""},
        {"pantti": "24"},
        {"tie": "Draw"},
        {"tie": "\0"},
    ],
    ids=str,
)
def test_what_is_no_choice_is_refused_at_its_field(wrong: dict[str, str]) -> None:
    form = filled(find("ristiseiska"), **wrong)
    assert list(form.errors) == list(wrong)


def test_numbers_are_numbers_and_many_of_them_a_list() -> None:
    form = filled(find("ristiseiska"), deals="10", pantti="25", seats="2")
    assert form.is_valid()
    assert form.chosen() == (2, {"deals": 10, "pantti": 25, "tie": "draw"})
    assert "<select" in str(ChoiceForm(find("ristiseiska"))["deals"])
    assert "<select" not in str(ChoiceForm(find("ristiseiska"))["seats"])


def test_a_game_without_a_choice_has_an_empty_form() -> None:
    form = ChoiceForm(find("ristikontra"), {})
    assert form.is_valid()
    assert form.chosen() == (4, {})


def test_a_refused_choice_takes_the_focus_and_says_why() -> None:
    chosen = {"values": "standard", "goal": "card-points", "sweep": "wipe", "signalling": "off"}
    form = filled(find("ristikontra-house"), **chosen)
    assert not form.is_valid()
    buttons = re.findall("<input[^>]*>", str(form))
    focused = [one for one in buttons if "autofocus" in one]
    assert len(focused) == 1
    assert 'value="wipe"' in focused[0]
    described = [one for one in buttons if 'aria-describedby="id_sweep_error"' in one]
    assert len(described) == 2
    assert 'id="id_sweep_error"' in str(form["sweep"].errors)
    assert "autofocus" not in str(
        filled(find("ristikontra-house"), **chosen | {"sweep": "two-points"})
    )
    assert "autofocus" not in str(ChoiceForm(find("ristikontra-house")))


def test_a_wrong_number_takes_the_focus_too() -> None:
    form = filled(find("ristiseiska"), deals="99")
    assert not form.is_valid()
    assert re.search(
        '<select[^>]*autofocus[^>]*aria-describedby="id_deals_error"', str(form["deals"])
    )


@every_game
def test_the_short_line_has_all_of_it_in_less(game: AnyGame) -> None:
    for name, values in game.options.items():
        for value in values:
            line = rules_line(game, {name: value}, short=True)
            assert line != rules_line(game, {name: values[value == values[0]]}, short=True)
            assert len(line) < len(rules_line(game, {name: value}))
            assert line.count(" · ") == rules_line(game, {name: value}).count(" · ")
    assert bool(rules_line(game, {}, short=True)) == bool(game.options)


@every_game
def test_a_table_tells_its_rules_in_one_line(game: AnyGame) -> None:
    line = rules_line(game, {})
    assert (line == "") == (not game.options)
    assert line.count(" · ") == max(len(game.options) - 1, 0)
    for name, values in game.options.items():
        told = rules_line(game, {name: values[-1]})
        assert f"{OPTIONS[name].label}: {OPTIONS[name].value(values[-1]).label}" in told
        assert told != line


def test_the_line_of_ristiseiska() -> None:
    assert rules_line(find("ristiseiska"), {"deals": 1, "pantti": 25, "tie": "extra-deal"}) == (
        "Deals: 1 · The pantti costs: 25 points · If the lowest total is shared: one more deal"
    )


@every_game
def test_every_game_is_called_something(game: AnyGame) -> None:
    assert title(game) == str(TITLES[game.key])
    assert isinstance(TITLES[game.key], Promise)


def test_a_game_from_elsewhere_is_called_what_it_calls_itself() -> None:
    class Elsewhere:
        key, title = "elsewhere", "From elsewhere"

    unknown: Any = Elsewhere()
    assert title(unknown) == "From elsewhere"
