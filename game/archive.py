"""The record of a match as it is kept, and only of one that is over (R13)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from game.models import Deal as DealRow
from game.models import Match
from game.records import Deal, Record


class NoRecord(Exception):
    """There is no record of this match, or none yet: ``no-record``, ``running``, ``no-cards``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Kept:
    """A record, and when its match ended."""

    record: Record
    ended: datetime


def export(match: int, names: bool = True) -> Kept:
    """The whole match, every deal with its pack and salt, also one that was not finished.

    With ``names`` its seats are called what they were called when it ended. NoRecord: the match is
    not over, or ended before any cards were dealt.
    """
    # The match first: nothing of it changes any more once its end is committed.
    row = Match.objects.filter(pk=match).first()
    if row is None:
        raise NoRecord("no-record")
    if row.status != Match.Status.OVER or row.ended is None:
        raise NoRecord("running")
    deals = tuple(map(_deal, DealRow.objects.filter(match=match).order_by("number")))
    if not deals:
        raise NoRecord("no-cards")
    outcome: dict[str, Any] = row.outcome or {}
    result = {key: outcome[key] for key in RESULT if outcome.get(key) is not None}
    record = Record(
        game=row.game,
        options=row.options,
        seats=row.seats,
        deals=deals,
        engine=row.engine,
        names=tuple(row.names) if names and row.names else None,
        result=result if "score" in result else None,
    )
    return Kept(record, row.ended)


RESULT = ("outcome", "winner", "reason", "score")
"""What of an outcome a record tells: not which seat left."""


def _deal(row: DealRow) -> Deal:
    return Deal(
        dealer=row.sheet["dealer"],
        pack=tuple(row.pack.split()),
        plays=tuple(row.plays.split()),
        conceded=tuple(row.conceded) if any(row.conceded) else None,
        salt=row.salt,
        commitment=row.commitment,
    )
