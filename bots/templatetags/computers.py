"""Which games can be played against the computer, and which have a lesson."""

from django import template

from bots.lessons import LESSONS
from bots.policies import POLICIES
from game.engine.registry import AnyGame

register = template.Library()


@register.filter
def has_computer(game: AnyGame) -> bool:
    """Whether a computer plays this game."""
    return game.key in POLICIES


@register.filter
def has_lesson(game: AnyGame) -> bool:
    """Whether this game can be learnt at the table."""
    return game.key in LESSONS
