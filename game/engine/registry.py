"""Every game of the site, by key and version. Adding a game is adding a line here."""

from typing import Any

from game.engine.base import Game, Illegal
from game.engine.cleaning import Cleaning
from game.engine.house import House
from game.engine.ristikontra import Ristikontra
from game.engine.ristiseiska import Ristiseiska

AnyGame = Game[Any, Any]

GAMES: dict[tuple[str, int], AnyGame] = {
    (game.key, game.version): game for game in (Ristikontra(), Ristiseiska(), House(), Cleaning())
}
"""Retired versions stay as long as records of theirs should be readable."""


def newest() -> dict[str, AnyGame]:
    """The version of each game that new matches are opened with, by key."""
    return {key: GAMES[key, version] for key, version in sorted(GAMES)}


def offered() -> dict[str, AnyGame]:
    """Of these the games that pages offer: those with a board to play them on."""
    return {key: game for key, game in newest().items() if game.board}


def find(key: object, version: object = None) -> AnyGame:
    """The game with this key, its newest version unless one is named. Illegal: ``unknown-game``,
    ``unknown-version``."""
    game = newest().get(key) if isinstance(key, str) else None
    if game is None:
        raise Illegal("unknown-game", game=key)
    if version is None:
        return game
    try:
        return GAMES[game.key, version]  # type: ignore[index]
    except (KeyError, TypeError):
        raise Illegal("unknown-version", version=version) from None
