"""Perft, as chess engines have it: how many ways a position can go on, depth by depth."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

from game.engine.base import replay
from game.engine.ristikontra import Sheet, State, points
from game.tests.deals import GAME
from game.tests.naive import NaiveDeal

FILE = Path(__file__).parent / "perft" / "ristikontra.txt"

Position = dict[str, str]
Counts = list[tuple[int, int]]


def positions() -> dict[str, Position]:
    """The file's positions by name: the lines of each, by their first word."""
    found: dict[str, Position] = {}
    for block in FILE.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            position = {word: rest for word, _, rest in (line.partition(" ") for line in lines)}
            found[position["position"]] = position
    return found


def engine_counts(state: State, depth: int) -> Counts:
    """Positions that many plays on, and side one's card points summed over them."""
    counts, level = [], [state]
    for _ in range(depth):
        level = [GAME.play(one, code) for one in level for code in GAME.legal(one)]
        counts.append((len(level), sum(points(one.piles[0]) for one in level)))
    return counts


def naive_counts(deal: NaiveDeal, depth: int) -> Counts:
    """The same by the naive model."""
    counts, level = [], [deal]
    for _ in range(depth):
        level = [one.after(code) for one in level for code in one.may()]
        counts.append((len(level), sum(one.points()[0] for one in level)))
    return counts


def naive_at(position: Position) -> NaiveDeal:
    deal = NaiveDeal(position["pack"].split(), int(position["dealer"]))
    for code in position["plays"].split():
        deal.play(code)
    return deal


def written(counts: Counts) -> str:
    return " ".join(f"{number}/{total}" for number, total in counts)


def update() -> None:
    """Count again with the naive model and write the file: `python -m game.tests.test_perft`."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for name, position in positions().items():
        at = lines.index(f"position {name}")
        at = next(number for number in range(at, len(lines)) if lines[number].startswith("counts"))
        depth = len(position["counts"].split())
        lines[at] = "counts " + written(naive_counts(naive_at(position), depth))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", positions())
def test_counts(name: str) -> None:
    """The engine counts what the file says."""
    position = positions()[name]
    sheet = Sheet(dealer=int(position["dealer"]))
    state = replay(GAME, sheet, tuple(position["pack"].split()), position["plays"].split())
    depth = len(position["counts"].split())
    assert written(engine_counts(state, depth)) == position["counts"]


@pytest.mark.parametrize("name", positions())
def test_file(name: str) -> None:
    """The naive model still agrees with the file, as deep as it is quick."""
    position = positions()[name]
    counts = position["counts"].split()
    few = list(takewhile(lambda count: int(count.split("/")[0]) < 400, counts))
    assert few
    assert written(naive_counts(naive_at(position), len(few))) == " ".join(few)


if __name__ == "__main__":
    update()
