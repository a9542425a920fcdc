"""A game from another Django app: the setting ``CARD_GAMES``, and the promises of every game."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from bots import policies
from bots.management.commands.selfplay import play_match
from config.tests.third.engine import Third
from game import checks, elsewhere, words
from game.engine.registry import GAMES, find, newest, register
from game.engine.ristikontra import Ristikontra
from game.forms import ChoiceForm
from game.records import check, dumps, parse
from game.tests import test_contract, test_golden, test_leaks
from game.tests.deals import Variant

HERE = Path(__file__).parent / "third"
PATH, POLICY = "config.tests.third.engine.Third", "config.tests.third.policy"
VARIANTS = [Variant(Third(), 2), Variant(Third(), 3), Variant(Third(), 2, (("tricks", 10),))]
PROMISES = {
    f"{module.__name__.rpartition('.')[2]}.{name}": promise
    for module in (test_contract, test_leaks)
    for name, promise in vars(module).items()
    if name.startswith("test_")
    if "variant" in inspect.signature(promise).parameters
    if name != "test_piles_do_not_show"  # there are none
}


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """What is taken up here is forgotten again."""
    tables: list[dict[Any, Any]] = [GAMES, policies.POLICIES, words.REFUSALS, words.OPTIONS]
    before = [dict(table) for table in tables]
    yield
    for table, was in zip(tables, before, strict=True):
        table.clear()
        table.update(was)


@pytest.fixture
def third(settings: Settings) -> Any:
    settings.CARD_GAMES = [(PATH, POLICY)]
    elsewhere.load()
    policies.load()
    return find("third")


# ---- what it brings is taken up ------------------------------------------------------------------


def test_it_comes_last_and_is_known_with_its_words_and_its_computer(third: Any) -> None:
    assert list(newest()) == [
        "ristikontra",
        "ristiseiska",
        "ristikontra-house",
        "cleaning",
        "third",
    ]
    assert words.title(third) == "Third"
    assert words.rules_line(third, {}) == "Tricks to win: 5"
    assert policies.POLICIES["third"].__name__ == POLICY
    form = ChoiceForm(third, {"seats": "2", "tricks": "10"})
    assert form.is_valid()
    assert form.chosen() == (2, {"tricks": 10})


def test_to_load_it_twice_is_to_load_it_once(third: Any) -> None:
    elsewhere.load()
    assert find("third") is third


def test_without_a_policy_no_computer_plays_it(settings: Settings) -> None:
    settings.CARD_GAMES = [PATH]
    elsewhere.load()
    policies.load()
    assert "third" in newest()
    assert "third" not in policies.POLICIES


def test_the_site_without_the_setting_has_its_own_games(settings: Settings) -> None:
    del settings.CARD_GAMES
    assert elsewhere.entries() == []
    elsewhere.load()
    assert list(newest()) == ["ristikontra", "ristiseiska", "ristikontra-house", "cleaning"]


# ---- every promise of every game -----------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("name", PROMISES)
def test_it_keeps_what_every_game_promises(third: Any, name: str, variant: Variant) -> None:
    promise = PROMISES[name]
    seed = {"seed": 1} if "seed" in inspect.signature(promise).parameters else {}
    promise(variant, **seed)


def test_golden_playthrough(third: Any) -> None:
    test_golden.test_playthrough(HERE / "golden.txt")


def test_its_matches_are_records(third: Any) -> None:
    record = play_match(third, 3, {"tricks": 5}, random.Random(1))
    told = check(parse(dumps(record)))
    assert (told["game"], told["finished"]) == ("third", True)


def test_it_takes_six_files() -> None:
    made = [path for path in HERE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(made) == 6, made


# ---- errors say what is wrong --------------------------------------------------------------------


def refused(settings: Settings, entry: object, *said: str) -> None:
    settings.CARD_GAMES = [entry]
    with pytest.raises(ImproperlyConfigured) as raised:
        elsewhere.load()
        policies.load()
    for one in ("CARD_GAMES", *said):
        assert one in str(raised.value)


@pytest.mark.parametrize("setting", ["a.path", {"a.path"}, {"a.path": "b"}, None, 7])
def test_a_setting_that_is_no_list_is_refused(settings: Settings, setting: object) -> None:
    settings.CARD_GAMES = setting
    with pytest.raises(ImproperlyConfigured, match="CARD_GAMES: a list of dotted paths is wanted"):
        elsewhere.load()


@pytest.mark.parametrize("entry", [7, None, Third, (), (PATH,), (PATH, 7), (PATH, POLICY, "x")])
def test_an_entry_that_is_no_path_is_refused(settings: Settings, entry: object) -> None:
    refused(settings, entry, repr(entry), "neither the dotted path", "nor a pair")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("Third", "it cannot be imported: Third doesn't look like a module path"),
        ("nowhere.Third", "it cannot be imported: No module named 'nowhere'"),
        ("config.tests.third.engine.Fourth", 'does not define a "Fourth"'),
        ("config.tests.third.engine.taken", "it is not a class"),
        ("config.tests.third.engine.Words", "this one lacks board, count"),
    ],
)
def test_what_is_no_game_is_refused(settings: Settings, path: str, said: str) -> None:
    refused(settings, path, path, said)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("nowhere", "nowhere cannot be imported: No module named 'nowhere'"),
        ("config.tests.third.engine", "has no function 'facts'"),
    ],
)
def test_a_policy_that_is_none_is_refused(settings: Settings, policy: str, said: str) -> None:
    refused(settings, (PATH, policy), PATH, said)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"key": "Third"}, "its key is 'Third'"),
        ({"key": "a" * 41}, "40 at most"),
        ({"key": "ristikontra"}, "is game.engine.ristikontra.Ristikontra already"),
        ({"version": 0}, "its version is 0"),
        ({"seats": ()}, "its seats are ()"),
        ({"seats": (4, 5)}, "tables have 2, 3 or 4"),
        ({"sides": 3}, "its sides are 3"),
        ({"options": {"name": (1, 2)}}, "no option can be called 'name'"),
        ({"options": {"colour": (1, 2)}}, "its option 'colour' has no words"),
        ({"words": words.Words(refusals={"barred": "No."})}, "the reason 'barred' has other words"),
        ({"words": words.Words(options={"tie": words.Option("Tie", {})})}, "the option 'tie' has"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_game_that_cannot_be_used_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], said: str
) -> None:
    for name, value in changes.items():
        monkeypatch.setattr(Third, name, value)
    refused(settings, PATH, PATH, said)


def test_a_game_of_the_site_is_not_replaced() -> None:
    register(Ristikontra())  # the same again is nothing new
    assert type(find("ristikontra")) is Ristikontra


def test_files_that_are_missing_are_told(third: Any) -> None:
    """Here the app is not among INSTALLED_APPS."""
    assert [(one.id, one.msg.split(":")[0]) for one in checks.files()] == [
        ("game.E001", "The board of the game 'third' is not among the static files"),
        ("game.E002", "The game 'third' has no rules page."),
    ]
