"""Which games can be played against the computer."""

from django import template

from bots.policies import POLICIES
from game.engine.registry import AnyGame

register = template.Library()


@register.filter
def has_computer(game: AnyGame) -> bool:
    """Whether a computer plays this game."""
    return game.key in POLICIES
