"""Worked tricks for the rules page of Ristikontra; a test plays each on the engine."""

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
