"""Every game's computer, by the game's key. Adding one is adding a line here."""

from typing import Any

from bots import cleaning, ristikontra, ristiseiska
from game.engine.base import BaseState
from game.engine.registry import AnyGame

POLICIES = {
    "ristikontra": ristikontra,
    "ristikontra-house": ristikontra,
    "cleaning": cleaning,
    "ristiseiska": ristiseiska,
}
"""Modules with ``facts(view, played)`` and ``policy(facts) -> code``."""


def choose_play(game: AnyGame, state: BaseState) -> str:
    """What the computer in the seat on turn plays, knowing that seat's view and what was played."""
    seat: Any = state.turn
    module = POLICIES[game.key]
    code: str = module.policy(module.facts(game.view(state, seat), game.recall(state)))
    return code
