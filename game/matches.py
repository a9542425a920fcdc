"""The only writer of matches and deals, and the memory of states reached.

Every function that writes belongs inside its caller's transaction and begins with one conditional
UPDATE of the match row, which is lock and stale check in one: a play names the ply it answers.
States are remembered by match and ply, after commit only; a remembered state is never believed
without its ply.

One thing is written elsewhere too: `tables.fast_path` appends the plays of many tables at once,
under the same conditions.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Now

from game.engine.base import BaseState, Illegal, Options, choose, freeze, replay, thaw
from game.engine.cards import PACK
from game.engine.registry import AnyGame, find
from game.models import Deal, Match
from game.records import commitment
from game.tallies import count_match

REMEMBERED = 5_000
"""States kept in memory, one a match."""


class Stale(Exception):
    """The match has moved on from the ply a command names, or is over."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a match stands at a ply. ``counts`` are those of all finished deals, in order."""

    match: int
    game: AnyGame
    ply: int
    number: int
    state: BaseState
    commitment: str
    counts: tuple[dict[str, Any], ...]


def open_match(game: AnyGame, seats: int, options: Options) -> Match:
    """A match that waits for its seats. Illegal: ``seats``, ``option``, and what else ``open`` says
    of options that do not go together."""
    chosen = choose(game, seats, options, dealer=0)
    game.open(seats, chosen, dealer=0)
    return Match.objects.create(game=game.key, engine=game.version, seats=seats, options=chosen)


def open_next(match: int) -> Match:
    """Another match after one that is over and whose row the caller has taken: the same game and
    options, and numbers that go on from its last."""
    last = Match.objects.get(pk=match)
    return Match.objects.create(
        game=last.game,
        engine=find(last.game).version,
        seats=last.seats,
        options=last.options,
        version=last.version + 1,
        ply=last.ply,
        said=last.said,
    )


def touch(match: int, guard: Q, **changes: Any) -> bool:
    """Take the match row and move its version, if ``guard`` still holds. The first step of all."""
    return bool(Match.objects.filter(guard, pk=match).update(version=F("version") + 1, **changes))


def count_line(match: int, guard: Q) -> int | None:
    """Take the match row for a line of chat; the line's number, None if ``guard`` does not hold."""
    rows = Match.objects.filter(guard, pk=match)
    if not rows.update(said=F("said") + 1):
        return None
    return Match.objects.values_list("said", flat=True).get(pk=match)


def begin(match: int, after: int | None = None) -> None:
    """Deal the first deal of a waiting match whose row the caller has taken.

    The deal moves on from the last of the match ``after``; else its dealer is drawn at random (R3).
    """
    row = Match.objects.get(pk=match)
    game = find(row.game, row.engine)
    last = Deal.objects.filter(match=after).order_by("-number").first() if after else None
    dealer = secrets.randbelow(row.seats) if last is None else last.sheet["dealer"] + 1
    sheet = game.open(row.seats, row.options, dealer=dealer % row.seats)
    Match.objects.filter(pk=match).update(
        status=Match.Status.PLAYING, ply=F("ply") + 1, sheet=thaw(sheet)
    )
    _deal(game, match, number=1, sheet=sheet, ply=row.ply + 1, counts=())


def play(match: int, seat: int, ply: int, code: str, guard: Q) -> bool:
    """Play ``code`` for ``seat``, answering ``ply``; whether the match is over by it.

    Stale: the match is elsewhere (or ``guard`` does not hold). Illegal: ``not-your-turn`` or what
    the game says.
    """
    now = position(match, ply)
    state = answer(now, seat, code)

    changes: dict[str, Any] = {}
    deal: dict[str, Any] = {"plays": Concat(F("plays"), Value(f" {code}"))}
    counts = now.counts
    if state.turn is None:
        sheet = now.game.settle(state)
        deal["count"] = now.game.count(state)
        counts = (*counts, deal["count"])
        changes["sheet"] = thaw(sheet)
        if result := now.game.result(sheet):
            changes |= _over(result)
    still = guard & Q(ply=ply, status=Match.Status.PLAYING)
    if not touch(match, still, ply=ply + 1, **changes):
        raise Stale
    Deal.objects.filter(match=match, number=now.number).update(**deal)
    _remember(replace(now, ply=ply + 1, state=state, counts=counts))
    if "outcome" in changes:
        count_match(now.game.key, counts)
    return "outcome" in changes


def answer(now: Position, seat: int, code: str) -> BaseState:
    """The state that a seat's play leads to. Illegal: as ``play`` says."""
    if now.state.turn is None:
        raise Illegal("deal-over")
    if now.state.turn != seat:
        raise Illegal("not-your-turn")
    state: BaseState = now.game.play(now.state, code)
    return state


def next_deal(match: int, ply: int, guard: Q) -> None:
    """Deal the next deal. Stale: somebody has, or the match is over. Illegal: ``unfinished``."""
    now = position(match, ply)
    sheet = now.game.settle(now.state)
    still = guard & Q(ply=ply, status=Match.Status.PLAYING)
    if not touch(match, still, ply=ply + 1):
        raise Stale
    _deal(now.game, match, number=now.number + 1, sheet=sheet, ply=ply + 1, counts=now.counts)


def concede(match: int, seat: int, ply: int, guard: Q) -> None:
    """Let a seat's side own up to signalling in the last finished deal (H4).

    It moves the ply, because a remembered state is believed by its ply. Stale, Illegal: as
    ``play``, and what the game's ``concede_now`` says.
    """
    now = position(match, ply)
    side = seat % (now.game.sides or 1)
    state = _concede(now.game, now.state, side)
    over = state.turn is None
    sheet: Any = now.game.settle(state) if over else state.sheet
    still = guard & Q(ply=ply, status=Match.Status.PLAYING)
    if not touch(match, still, ply=ply + 1, sheet=thaw(sheet)):
        raise Stale
    deal = Deal.objects.get(match=match, number=now.number if over else now.number - 1)
    conceded = deal.conceded or [0] * now.game.sides
    conceded[side] = 1
    count = {**(deal.count or {}), "score": list(sheet.score)}
    Deal.objects.filter(pk=deal.pk).update(conceded=conceded, count=count)
    if not over:
        Deal.objects.filter(match=match, number=now.number).update(sheet=thaw(sheet))
    counts = (*now.counts[:-1], count)
    _remember(replace(now, ply=ply + 1, state=state, counts=counts))


def _concede(game: AnyGame, state: BaseState, side: int) -> BaseState:
    if not hasattr(game, "concede_now"):
        raise Illegal("signalling-off")
    conceded: BaseState = game.concede_now(state, side)
    return conceded


def end(match: int, guard: Q, outcome: dict[str, Any]) -> bool:
    """End a match that is not over, by leaving or closing; whether it was not."""
    if not touch(match, guard & ~Q(status=Match.Status.OVER), **_over(outcome)):
        return False
    deals = list(Deal.objects.filter(match=match).values_list("count", flat=True))
    if deals:
        game = Match.objects.values_list("game", flat=True).get(pk=match)
        count_match(game, [count for count in deals if count is not None], broken_off=True)
    return True


def erase(ids: Iterable[int]) -> None:
    """Delete matches with their deals; nothing may refer to them any more."""
    erased = list(ids)
    Match.objects.filter(pk__in=erased).delete()

    def forget_them() -> None:
        with _guard:
            for match in erased:
                _positions.pop(match, None)

    transaction.on_commit(forget_them)


def keep_names(match: int, names: list[str]) -> None:
    """Keep what the seats of a match were called when it ended, for its record."""
    Match.objects.filter(pk=match).update(names=names)


def _over(outcome: dict[str, Any]) -> dict[str, Any]:
    return {"status": Match.Status.OVER, "outcome": outcome, "ended": Now()}


def position(match: int, ply: int | None = None) -> Position:
    """Where a match stands, from memory if that ply is there. Stale: it is not at this ply."""
    known = _known(match)
    if known is not None and ply is not None:
        if known.ply == ply:
            return known
        if known.ply > ply:
            raise Stale
    read = _read(match)
    if ply is not None and read.ply != ply:
        raise Stale
    return read


def _read(match: int) -> Position:
    # One statement, so that the ply and the plays are of one moment.
    deals = list(Deal.objects.filter(match=match).select_related("match").order_by("number"))
    if not deals:
        raise Stale
    deal, row = deals[-1], deals[-1].match
    game = find(row.game, row.engine)
    sheet = freeze(game.sheet_type, deal.sheet)
    state = replay(game, sheet, tuple(deal.pack.split()), deal.plays.split())
    for side, conceded in enumerate(deal.conceded):
        state = _concede(game, state, side) if conceded else state
    counts = tuple(one.count for one in deals if one.count is not None)
    read = Position(match, game, row.ply, deal.number, state, deal.commitment, counts)
    _remember(read)
    return read


def shuffled() -> list[str]:
    """A pack for people: Fisher and Yates's shuffle, with the operating system's own chance."""
    return secrets.SystemRandom().sample(PACK, len(PACK))


def _deal(
    game: AnyGame, match: int, number: int, sheet: Any, ply: int, counts: tuple[dict[str, Any], ...]
) -> None:
    pack = shuffled()
    salt = secrets.token_hex(32)
    sealed = commitment(salt, pack)
    Deal.objects.create(
        match_id=match,
        number=number,
        sheet=thaw(sheet),
        pack=" ".join(pack),
        salt=salt,
        commitment=sealed,
    )
    state = game.deal(sheet, tuple(pack))
    _remember(Position(match, game, ply, number, state, sealed, counts))


# ---- the memory ----------------------------------------------------------------------------------

_positions: OrderedDict[int, Position] = OrderedDict()
_guard = threading.Lock()


def _known(match: int) -> Position | None:
    with _guard:
        known = _positions.get(match)
        if known is not None:
            _positions.move_to_end(match)
    return known


def remember(reached: Position) -> None:
    """Remember a position that is committed, unless a later one is known."""
    with _guard:
        known = _positions.get(reached.match)
        if known is None or known.ply < reached.ply:
            _positions[reached.match] = reached
            _positions.move_to_end(reached.match)
        while len(_positions) > REMEMBERED:
            _positions.popitem(last=False)


def _remember(reached: Position) -> None:
    """Remember a position once it is committed."""
    transaction.on_commit(lambda: remember(reached))


def forget() -> None:
    """Forget every position, as a process that has just started."""
    with _guard:
        _positions.clear()
