"""Every game's computer, by the game's key. Adding one is adding a line here."""

from importlib import import_module
from typing import Any

from bots import cleaning, ristikontra, ristiseiska
from game import elsewhere
from game.engine.base import BaseState
from game.engine.registry import AnyGame

POLICIES = {
    "ristikontra": ristikontra,
    "ristikontra-house": ristikontra,
    "cleaning": cleaning,
    "ristiseiska": ristiseiska,
}
"""Modules with ``facts(view, played)`` and ``policy(facts) -> code``."""


def load() -> None:
    """Take up the policies of games from elsewhere. ImproperlyConfigured says what is wrong."""
    for entry in elsewhere.entries():
        if entry.policy is None:
            continue
        try:
            module: Any = import_module(entry.policy)
        except ImportError as error:
            why = f"{entry.policy} cannot be imported: {error}"
            raise elsewhere.wrong(entry.path, why) from error
        for name in ("facts", "policy"):
            if not callable(getattr(module, name, None)):
                raise elsewhere.wrong(entry.path, f"{entry.policy} has no function {name!r}")
        POLICIES[entry.game.key] = module


def choose_play(game: AnyGame, state: BaseState) -> str:
    """What the computer in the seat on turn plays, knowing that seat's view and what was played."""
    seat: Any = state.turn
    module = POLICIES[game.key]
    code: str = module.policy(module.facts(game.view(state, seat), game.recall(state)))
    return code
