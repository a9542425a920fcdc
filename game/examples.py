"""Worked examples for the rules pages; a test plays each on its engine."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Example:
    """Four cards, leader first, which of them takes (from 0), and why."""

    cards: tuple[str, ...]
    taker: int
    words: str | Promise


TRICKS = (
    Example(
        ("7C", "AD", "3S", "9H"),
        0,
        _("Nobody matched the seven: the leader takes it, ace and all."),
    ),
    Example(
        ("7C", "AD", "3S", "7H"), 3, _("The last seven takes: this ace was a gamble that paid.")
    ),
    Example(("KC", "3D", "TS", "KH"), 3, _("Kings count four each, but only the last one takes.")),
    Example(("5C", "3D", "5S", "8H"), 2, _("Your partner's card may be the one that takes.")),
)


@dataclass(frozen=True)
class Fit:
    """Cards that lie in rows, one that somebody holds, whether it fits, and why."""

    table: tuple[str, ...]
    card: str
    fits: bool
    words: str | Promise


ROWS = (
    Fit(("7C",), "7H", True, _("Once the seven of clubs lies, any other seven fits at any time.")),
    Fit(("7C", "6C"), "5C", False, _("The five waits: after seven and six the eight comes first.")),
    Fit(("7C", "6C", "8C"), "5C", True, _("Seven, six and eight lie: now both ends grow.")),
    Fit(("7C", "6C", "8C"), "TC", False, _("No gaps: the ten waits for the nine.")),
)

EXAMPLES: dict[str, tuple[Example | Fit, ...]] = {"ristikontra": TRICKS, "ristiseiska": ROWS}
"""The worked examples of each game's rules page."""
