"""What is counted of all matches at shared tables, without anybody who played them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import F

from game.models import Tally


def count_match(game: str, counts: Iterable[Mapping[str, Any]], broken_off: bool = False) -> None:
    """Count a match, in the transaction that ends it: ``counts`` are those of its deals."""
    deals = list(counts)
    more = {
        "matches": 1,
        "broken_off": int(broken_off),
        "deals": len(deals),
        "halves": sum(map(is_half, deals)),
        "alls": sum(map(is_all, deals)),
    }
    changes = {name: F(name) + number for name, number in more.items()}
    mine = Tally.objects.filter(game=game)
    if not mine.update(**changes):
        # The first of its game; another process may be at the same point.
        Tally.objects.bulk_create([Tally(game=game)], ignore_conflicts=True)
        mine.update(**changes)


def is_half(count: Mapping[str, Any]) -> bool:
    """Whether a deal between two sides shared its card points evenly (60–60)."""
    return "tricks" in count and count["points"][0] == count["points"][1]


def is_all(count: Mapping[str, Any]) -> bool:
    """Whether one side had all card points of a deal between two sides (120)."""
    return "tricks" in count and 0 in count["points"]
