"""The games without the site: plays of the engine, and matches of computers against each other."""

from __future__ import annotations

import random
import time

from bench.floors import rate
from bots.management.commands.selfplay import play_match
from game.engine.registry import AnyGame, newest
from game.records import Record

SEED = 13
"""The same match for everybody."""


def plays(key: str, seconds: float) -> float:
    """Plays a second, each checked by the rules as at a table: a match of computers again."""
    game = newest()[key]
    match = _match(game)
    made, began = 0, time.perf_counter()
    until = began + seconds
    while (now := time.perf_counter()) < until:
        sheet = game.open(match.seats, match.options, dealer=match.deals[0].dealer)
        for deal in match.deals:
            state = game.deal(sheet, deal.pack)
            for code in deal.plays:
                state = game.play(state, code)
            made += len(deal.plays)
            sheet = game.settle(state)
    return made / (now - began)


def matches(key: str, seconds: float) -> float:
    """Matches a second that computers play."""
    game, chance = newest()[key], random.Random(SEED)  # noqa: S311 (no secret)
    return rate(lambda: play_match(game, game.seats[-1], {}, chance), seconds)


def _match(game: AnyGame) -> Record:
    return play_match(game, game.seats[-1], {}, random.Random(SEED))  # noqa: S311 (no secret)
