"""Every game of the site, by key and version. Adding a game is adding a line here.

Games of other Django apps are registered at start (`game.elsewhere`).
"""

import re
from typing import Any

from game.engine.base import Game, Illegal
from game.engine.cleaning import Cleaning
from game.engine.house import House
from game.engine.ristikontra import Ristikontra
from game.engine.ristiseiska import Ristiseiska

AnyGame = Game[Any, Any]

PROMISED = sorted({*Game.__annotations__, *(one for one in vars(Game) if one[0] != "_")})
"""All that a game states and does."""
SEATS = (2, 3, 4)
"""How many people tables have names and places for."""
KEY = re.compile("[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
KEY_LENGTH = 40

GAMES: dict[tuple[str, int], AnyGame] = {
    (game.key, game.version): game for game in (Ristikontra(), Ristiseiska(), House(), Cleaning())
}
"""Retired versions stay as long as records of theirs should be readable."""


def register(game: AnyGame) -> None:
    """Make one more game known. ValueError says what is wrong with it."""
    missing = [one for one in PROMISED if not hasattr(game, one)]
    if missing:
        raise ValueError(f"a game has {', '.join(PROMISED)}; this one lacks {', '.join(missing)}")
    if not (isinstance(game.key, str) and KEY.fullmatch(game.key)) or len(game.key) > KEY_LENGTH:
        raise ValueError(
            f"its key is {game.key!r}; wanted are small letters, digits and hyphens,"
            f" {KEY_LENGTH} at most"
        )
    if type(game.version) is not int or game.version < 1:
        raise ValueError(f"its version is {game.version!r}; wanted is a number from 1")
    if not game.seats or not set(game.seats) <= set(SEATS):
        raise ValueError(f"its seats are {game.seats!r}; tables have 2, 3 or 4")
    if game.sides not in (0, 2):
        raise ValueError(f"its sides are {game.sides!r}; wanted are 2, or 0 where each is alone")
    known = GAMES.get((game.key, game.version))
    if known is not None and type(known) is not type(game):
        raise ValueError(
            f"version {game.version} of {game.key!r} is {type(known).__module__}"
            f".{type(known).__qualname__} already"
        )
    GAMES.setdefault((game.key, game.version), game)


def newest() -> dict[str, AnyGame]:
    """The version of each game that new matches are opened with, by key, in the order in which
    pages list the games."""
    latest = {key: max(v for one, v in GAMES if one == key) for key, _ in GAMES}
    return {key: GAMES[key, version] for key, version in latest.items()}


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
