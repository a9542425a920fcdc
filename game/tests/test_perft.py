"""Perft, as chess engines have it: how many ways a position can go on, depth by depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from game.engine import ristikontra, ristiseiska
from game.engine.base import replay
from game.engine.registry import AnyGame, find
from game.tests import naive, naive_ristiseiska

FILES = Path(__file__).parent / "perft"

Position = dict[str, str]
Counts = list[tuple[int, int]]


@dataclass(frozen=True)
class Perft:
    """A game, the naive model of it, and a number that tells two positions apart, by each."""

    game: AnyGame
    naive: Callable[[list[str], int, int], Any]
    worth: Callable[[Any], int]
    naive_worth: Callable[[Any], int]


PERFTS = {
    "ristikontra": Perft(
        find("ristikontra"),
        lambda pack, dealer, seats: naive.NaiveDeal(pack, dealer),
        lambda state: ristikontra.points(state.piles[0]),
        lambda deal: deal.points()[0],
    ),
    "ristiseiska": Perft(
        find("ristiseiska"),
        naive_ristiseiska.NaiveDeal,
        lambda state: sum(ristiseiska.costs(state)[0].values()),
        lambda deal: deal.points(21)[0],
    ),
}


def positions(key: str) -> dict[str, Position]:
    """The file's positions by name: the lines of each, by their first word."""
    found: dict[str, Position] = {}
    for block in (FILES / f"{key}.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            position = {word: rest for word, _, rest in (line.partition(" ") for line in lines)}
            found[position["position"]] = position
    return found


every_position = pytest.mark.parametrize(
    ("key", "name"), [(key, name) for key in PERFTS for name in positions(key)]
)


def engine_counts(perft: Perft, position: Position, depth: int) -> Counts:
    """Positions that many plays on, and what they are worth together."""
    game, seats = perft.game, int(position.get("seats", 4))
    sheet = game.open(seats, {}, int(position["dealer"]))
    pack = tuple(position["pack"].split())
    counts, level = [], [replay(game, sheet, pack, position["plays"].split())]
    for _ in range(depth):
        level = [game.play(one, code) for one in level for code in game.legal(one)]
        counts.append((len(level), sum(map(perft.worth, level))))
    return counts


def naive_counts(perft: Perft, position: Position, depth: int) -> Counts:
    """The same by the naive model."""
    seats = int(position.get("seats", 4))
    deal = perft.naive(position["pack"].split(), int(position["dealer"]), seats)
    for code in position["plays"].split():
        deal.play(code)
    counts, level = [], [deal]
    for _ in range(depth):
        level = [one.after(code) for one in level for code in one.may()]
        counts.append((len(level), sum(map(perft.naive_worth, level))))
    return counts


def written(counts: Counts) -> str:
    return " ".join(f"{number}/{total}" for number, total in counts)


def update() -> None:
    """Count again with the naive models and write the files: `python -m game.tests.test_perft`."""
    for key, perft in PERFTS.items():
        file = FILES / f"{key}.txt"
        lines = file.read_text(encoding="utf-8").splitlines()
        for name, position in positions(key).items():
            at = lines.index(f"position {name}")
            at += next(n for n, line in enumerate(lines[at:]) if line.startswith("counts"))
            depth = len(position["counts"].split())
            lines[at] = "counts " + written(naive_counts(perft, position, depth))
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@every_position
def test_counts(key: str, name: str) -> None:
    """The engine counts what the file says."""
    position = positions(key)[name]
    depth = len(position["counts"].split())
    assert written(engine_counts(PERFTS[key], position, depth)) == position["counts"]


@every_position
def test_file(key: str, name: str) -> None:
    """The naive model still agrees with the file, as deep as it is quick."""
    position = positions(key)[name]
    counts = position["counts"].split()
    few = list(takewhile(lambda count: int(count.split("/")[0]) < 400, counts))
    assert few
    assert written(naive_counts(PERFTS[key], position, len(few))) == " ".join(few)


if __name__ == "__main__":
    update()
