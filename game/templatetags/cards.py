"""The playing card in templates; static/korttipoyta/js/cards.js builds the same structure."""

from __future__ import annotations

from typing import Any

from django import template

from game.engine.registry import AnyGame
from game.words import CARD_NAMES, title

register = template.Library()

register.filter("title_of", title)


@register.filter
def part(game: AnyGame, name: str) -> tuple[str, ...]:
    """The templates of which the first that is there is a game's ``card`` or ``short`` rules."""
    return tuple(f"korttipoyta/rules/{one}.{name}.html" for one in (game.key, "default"))


COURTS = "JQK"
STATES = ("winning", "barred")


@register.inclusion_tag("korttipoyta/card.html")
def card(code: str, badge: int | None = None, state: str | None = None) -> dict[str, Any]:
    """A card face up. `badge` is what it is worth, or None; `state` one of STATES, or None."""
    if state and state not in STATES:
        raise template.TemplateSyntaxError(f"not a state of a card: {state}")
    rank, suit = code[0], code[1]
    return {
        "code": code,
        "rank": rank,
        "suit": suit,
        "court": rank in COURTS,
        "name": CARD_NAMES[code],
        "badge": badge,
        "state": state,
    }
