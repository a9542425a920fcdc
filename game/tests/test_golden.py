"""Golden playthroughs: what every seat is shown, from the deal to the count, byte for byte.

The head of a file says what is played; the rest follows from it. With UPDATE_GOLDEN=1 the rest is
written anew: then read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from game.engine.base import freeze, thaw
from game.engine.registry import find, newest

FILES = sorted((Path(__file__).parent / "golden").glob("*.txt"))
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
RULE = "\n---\n"

every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def head_of(file: Path) -> str:
    return file.read_text(encoding="utf-8").split(RULE)[0]


def facts_of(head: str) -> dict[str, str]:
    """The lines of the head by their first word."""
    lines = (line for line in head.splitlines() if not line.startswith("#"))
    return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}


def playthrough(head: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each thing that happens in the deal, in words, and the views of all seats after it."""
    told = facts_of(head)
    game = find(told["game"], int(told["version"]))
    seats = range(int(told["seats"]))
    state = game.deal(
        freeze(game.sheet_type, json.loads(told["sheet"])), tuple(told["pack"].split())
    )
    happened = [("the deal", [game.view(state, seat) for seat in seats])]
    for number, code in enumerate(told["plays"].split(), start=1):
        words = f"play {number}: seat {state.turn} {code}"
        state = game.play(state, code)
        happened.append((words, [game.view(state, seat) for seat in seats]))
    happened.append((f"the sheet: {compact(thaw(game.settle(state)))}", []))
    return happened


def text_of(head: str) -> str:
    parts = [head + RULE]
    for words, views in playthrough(head):
        parts.append(f"\n{words}\n")
        parts.extend(f"{seat} {compact(view)}\n" for seat, view in enumerate(views))
    return "".join(parts)


@every_file
def test_playthrough(file: Path) -> None:
    text = text_of(head_of(file))
    if UPDATE:
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.read_bytes() == text.encode()


def test_every_game_has_one() -> None:
    assert {facts_of(head_of(file))["game"] for file in FILES} == set(newest())


def test_ristikontra_shows_what_is_special() -> None:
    """The deal has dark plays, a dark lead, a barred rank, a rich trick and a held point paid."""
    head = head_of(next(file for file in FILES if file.stem == "ristikontra"))
    views = [views[0] for _, views in playthrough(head) if views]
    values = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
    tricks = [view["last"] for view in views]
    assert any(play["dark"] for trick in tricks for play in trick[1:])
    assert any(trick[0]["dark"] for trick in tricks if trick)
    assert any(view["barred"] for view in views)
    assert max(sum(values.get(play["card"][0], 0) for play in trick) for trick in tricks) > 30
    assert views[0]["held"] == 1
    assert 2 in views[-1]["count"]["awarded"]


def test_house_rules_show_what_is_special() -> None:
    """The options, a concession after the deal before, and afterwards who may concede."""
    head = head_of(next(file for file in FILES if file.stem == "ristikontra-house"))
    views = [views for _, views in playthrough(head) if views]
    assert views[0][0]["options"] == {
        "values": "five-to-one",
        "goal": "game-points",
        "sweep": "wipe",
        "signalling": "on",
    }
    assert views[0][0]["conceded"] == [0, 1]
    assert [view["concede"] for view in views[0]] == [True, False, True, False]
    assert [view["concede"] for view in views[1]] == [False] * 4
    assert [view["concede"] for view in views[-1]] == [True] * 4


def test_cleaning_shows_what_is_special() -> None:
    """Both sides get dirty, and one of them is cleaned."""
    head = head_of(next(file for file in FILES if file.stem == "cleaning"))
    views = [views[0] for _, views in playthrough(head) if views]
    assert [False, False] in [view["dirty"] for view in views]
    assert [True, True] in [view["dirty"] for view in views]
    assert views[-1]["dirty"] == views[-1]["count"]["dirty"] == [False, True]
    assert views[-1]["explained"][0]["cleaned"] > 8


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ristiseiska_shows_what_is_special(seats: int) -> None:
    """The pantti changes hands, ends are closed, there are extra moves and stops."""
    head = head_of(next(file for file in FILES if file.stem == f"ristiseiska-{seats}"))
    views = [views[0] for _, views in playthrough(head) if views]
    plays = [view["last"]["code"] for view in views[1:]]
    assert len({view["holder"] for view in views}) > 2
    assert {end for view in views for row in view["rows"] for end in row["closed"]} == {
        "low",
        "high",
    }
    assert "stop" in plays
    assert any(one[0] in "AK" and two != "stop" for one, two in pairwise(plays))
    last = views[-1]
    special = {
        2: last["deal"] > last["length"] and plays[-1][0] in "AK" and plays[-2][0] in "AK",
        3: last["left"][last["holder"]]["pantti"] == 21 and last["result"]["outcome"] == "win",
        4: last["holder"] == last["count"]["winner"] and last["result"].get("reason") == "tie",
    }
    assert special[seats]
