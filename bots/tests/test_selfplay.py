"""``manage.py selfplay``: records of computers' matches, the same for the same seed."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from django.core.management import CommandError, call_command

from bots.management.commands.selfplay import read_options
from bots.policies import POLICIES
from game.engine.registry import newest
from game.engine.ristikontra import Ristikontra
from game.records import check, parse

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ["ristikontra-house", "--matches", "1"]
PLAYED = sorted(newest().keys() & POLICIES.keys())


def selfplay(*arguments, **options):
    out = io.StringIO()
    call_command("selfplay", *arguments, stdout=out, **options)
    return out.getvalue().splitlines()


def test_there_are_games_to_play():
    assert "ristikontra" in PLAYED


@pytest.mark.parametrize("key", PLAYED)
def test_its_records_are_right_and_finished(key):
    game = newest()[key]
    for seats in game.seats:
        lines = selfplay(key, matches=2, seed=1, seats=seats)
        assert len(lines) == 2
        for record in map(parse, lines):
            assert (record.game, record.engine, record.seats) == (key, game.version, seats)
            assert check(record)["finished"]
            assert record.result is not None


@pytest.mark.parametrize("key", PLAYED)
def test_the_same_seed_gives_the_same_matches(key):
    first = selfplay(key, matches=3, seed=5)
    assert selfplay(key, "--matches", "3", "--seed", "5") == first
    assert selfplay(key, matches=2, seed=5) == first[:2]
    assert not set(selfplay(key, matches=3, seed=6)) & set(first)


@pytest.mark.parametrize("key", PLAYED)
def test_options_are_played_and_recorded(key):
    for name, values in newest()[key].options.items():
        for value in values[1:3]:
            lines = selfplay(key, matches=1, seed=2, choices=[f"{name}={value}"])
            record = parse(lines[0])
            assert record.options == {name: value}
            assert check(record)["finished"]


def test_without_a_seed_no_match_comes_twice():
    first = selfplay("ristikontra", matches=2)
    assert len({*first, *selfplay("ristikontra", matches=2)}) == 4


def test_the_first_dealer_is_drawn_too():
    lines = selfplay("ristikontra", matches=40, seed=1)
    assert {parse(line).deals[0].dealer for line in lines} == {0, 1, 2, 3}


class Optional(Ristikontra):
    options: ClassVar[Mapping[str, tuple[str | int, ...]]] = {
        "deals": (3, 1, 2),
        "tie": ("draw", "extra-deal"),
    }


def test_options_get_the_type_the_game_has():
    assert read_options(Optional(), ["deals=2", "tie=draw"]) == {"deals": 2, "tie": "draw"}
    assert read_options(Optional(), ["deals=9", "x="]) == {"deals": "9", "x": ""}
    for wrong in (["deals"], ["deals=1", "deals=2"]):
        with pytest.raises(CommandError, match="a key=value is wanted, each key once"):
            read_options(Optional(), wrong)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bridge", "--matches", "1"], "No computer plays 'bridge', only .*ristikontra"),
        (["ristikontra"], "--matches"),
        (["ristikontra", "--matches", "0"], "at least one match"),
        (["ristikontra", "--matches", "-3"], "at least one match"),
        (["ristikontra", "--matches", "many"], "--matches"),
        (["ristikontra", "--matches", "1", "--seed", "x"], "--seed"),
        (["ristikontra", "--matches", "1", "--seed", "9" * 5_000], "--seed"),
        (["ristikontra", "--matches", "1", "--seats", "3"], "seats: .* that many seats"),
        (["ristikontra", "--matches", "1", "--seats", "0"], "seats: .* that many seats"),
        (["ristikontra", "--matches", "1", "--seats", "-4"], "seats: .* that many seats"),
        (["ristikontra", "--matches", "1", "--seats", "four"], "--seats"),
        (["ristikontra", "--matches", "1", "--option", "goal"], "a key=value is wanted"),
        (["ristikontra", "--matches", "1", "--option", "goal=x"], "goal: .* no such option"),
        (
            [*HOUSE, "--option", "sweep=wipe", "--option", "goal=card-points"],
            "sweep: .* with game points only",
        ),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_a_wrong_wish_is_answered_in_words(arguments, words):
    with pytest.raises(CommandError, match=words):
        selfplay(*arguments)


def test_whoever_reads_may_stop_reading():
    with subprocess.Popen(
        [sys.executable, "manage.py", "selfplay", "ristikontra", "--matches", "1000000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout and run.stderr
        assert check(parse(run.stdout.readline().strip()))["finished"]
        run.stdout.close()
        assert run.wait() == 1
        assert run.stderr.read() == b""
