"""Games of other Django apps: the setting ``CARD_GAMES``, read when the site starts.

    CARD_GAMES = [
        "sevens.engine.Sevens",  # a class as `game.engine.base.Game` asks for it
        ("hearts.engine.Hearts", "hearts.computer"),  # and the module that plays it
    ]

`docs/adding-a-game.md` tells what else such a game brings along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from game import words
from game.engine.registry import AnyGame, register

FIELDS = ("seats", "name", "voice", "language")
"""Fields of the forms that open a table, which no option may be called."""


@dataclass(frozen=True)
class Entry:
    """One entry of the setting: the path of a game's class, and of its policy if it has one."""

    path: str
    policy: str | None = None

    @cached_property
    def game(self) -> AnyGame:
        """The game. ImproperlyConfigured says why there is none."""
        try:
            found: Any = import_string(self.path)
        except ImportError as error:
            raise wrong(self.path, f"it cannot be imported: {error}") from error
        if not isinstance(found, type):
            raise wrong(self.path, "it is not a class")
        game: AnyGame = found()
        return game

    @property
    def app(self) -> str | None:
        """The Django app it comes from; None when that is not installed."""
        config = apps.get_containing_app_config(self.path)
        return config.name if config else None


def wrong(path: str, why: object) -> ImproperlyConfigured:
    """What to raise for an entry that cannot be used."""
    return ImproperlyConfigured(f"CARD_GAMES, {path}: {why}")


def entries() -> list[Entry]:
    """What the setting lists. ImproperlyConfigured: it is not such a list."""
    setting = getattr(settings, "CARD_GAMES", ())
    if not isinstance(setting, list | tuple):
        raise ImproperlyConfigured("CARD_GAMES: a list of dotted paths is wanted")
    return [_entry(one) for one in setting]


def _entry(one: object) -> Entry:
    match one:
        case str(path):
            return Entry(path)
        case [str(path), str(policy)]:
            return Entry(path, policy)
    raise ImproperlyConfigured(
        f"CARD_GAMES: {one!r} is neither the dotted path of a game's class"
        " nor a pair of that and the path of a module that plays it"
    )


def load() -> None:
    """Register all games of the setting. ImproperlyConfigured says what is wrong with which."""
    for entry in entries():
        try:
            register(entry.game)
            _learn(entry.game)
        except ValueError as error:
            raise wrong(entry.path, error) from error


def _learn(game: AnyGame) -> None:
    """Take up a game's own words. ValueError: one is missing, or has another meaning already."""
    own: words.Words = getattr(game, "words", words.Words())
    tables: tuple[tuple[dict[str, Any], Mapping[str, Any], str], ...] = (
        (words.REFUSALS, own.refusals, "reason"),
        (words.OPTIONS, own.options, "option"),
    )
    for known, more, kind in tables:
        for name, said in more.items():
            if known.setdefault(name, said) is not said:
                raise ValueError(f"the {kind} {name!r} has other words already")
    for name in game.options:
        if name in FIELDS:
            raise ValueError(f"no option can be called {name!r}: the form has a field of that name")
        if name not in words.OPTIONS:
            raise ValueError(f"its option {name!r} has no words")


def app_names() -> list[str]:
    """The apps these games come from, each once."""
    return list(dict.fromkeys(entry.app for entry in entries() if entry.app))
