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
    Example(
        ("7C", "5D", "AS", "3H"),
        0,
        _(
            "The leader's partner lays an ace on it, and the last seat has no seven: eleven points"
            " for the side that led."
        ),
    ),
    Example(("KC", "3D", "TS", "KH"), 3, _("Kings count four each, but only the last one takes.")),
    Example(("5C", "3D", "5S", "8H"), 2, _("Your partner's card may be the one that takes.")),
    Example(("2C", "5D", "2S", "4H"), 2, _("The lowest card takes as well as any: the later two.")),
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


@dataclass(frozen=True)
class Wash:
    """A trick of Cleaning, leader first, which of its cards takes (from 0), whether it is one of
    the last five, whether the side that takes it is dirty afterwards, and why. Late tricks are
    taken by a side that was dirty."""

    cards: tuple[str, ...]
    taker: int
    late: bool
    dirty: bool
    words: str | Promise


DIRT = (
    Wash(
        ("4C", "QD", "4H", "9S"),
        2,
        False,
        True,
        _("The later four takes the trick, and the other side's queen with it: dirty."),
    ),
    Wash(
        ("QC", "2D", "9H", "KS"),
        0,
        False,
        True,
        _("Even one's own queen makes dirty. The king came too early to clean anything."),
    ),
    Wash(
        ("6C", "KD", "6H", "3S"),
        2,
        True,
        False,
        _("A king among the last five tricks, taken with a six: clean again."),
    ),
    Wash(
        ("QC", "KD", "3H", "8S"),
        0,
        True,
        True,
        _("There is a king in it, but a queen takes the trick. That does not clean."),
    ),
)

EXAMPLES: dict[str, tuple[Example | Fit | Wash, ...]] = {
    "ristikontra": TRICKS,
    "ristikontra-house": TRICKS[:2],
    "cleaning": DIRT,
    "ristiseiska": ROWS,
}
"""The worked examples of each game's rules page."""
