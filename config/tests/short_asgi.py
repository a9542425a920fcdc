"""The site for tests whose matches are short: they begin at 6–6."""

from dataclasses import replace

from config.asgi import application
from game.engine.base import Options
from game.engine.ristikontra import Ristikontra, Sheet

__all__ = ["application"]

_open = Ristikontra.open


def _open_late(self: Ristikontra, seats: int, options: Options, dealer: int) -> Sheet:
    return replace(_open(self, seats, options, dealer), score=(6, 6))


Ristikontra.open = _open_late  # type: ignore[method-assign]
