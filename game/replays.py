"""A record to watch again: what each seat saw, play by play, and the match in a few numbers.

A frame is the views of all seats at one moment, each as the engine gives it to that seat. There is
no view that sees everything, here either.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from game.engine import ristikontra, ristiseiska
from game.engine.cards import rank
from game.records import Played
from game.words import rules_line, title

Frame = list[dict[str, Any]]


def frames(played: Played, deal: int) -> list[Frame]:
    """The frames of a deal, counted from 0: after dealing, and after every play."""
    seats = range(played.record.seats)
    return [[played.game.view(state, seat) for seat in seats] for state in played.states[deal]]


def told(played: Played) -> dict[str, Any]:
    """What a page tells of a match before anybody watches it, ready for JSON."""
    game, record = played.game, played.record
    return {
        **played.report(),
        "title": title(game),
        "rules": rules_line(game, record.options),
        "rulesShort": rules_line(game, record.options, short=True),
        "seats": record.seats,
        "sides": game.sides,
        "names": record.names,
        "result": record.result or played.result,
        "summary": summary(played),
    }


# --- The match in a few numbers ---------------------------------------------------------------


def summary(played: Played) -> dict[str, Any]:
    """Points by deal and the score after each, by side or seat, as far as the game counts like
    that; and what else is remarkable, which depends on the game."""
    parties = played.game.sides or played.record.seats
    pairs = [
        (count.get("points"), count.get("score", count.get("totals"))) for count in played.counts
    ]
    counted = [
        pair for pair in pairs if all(isinstance(x, list) and len(x) == parties for x in pair)
    ]
    common = {
        "points": [points for points, _ in counted],
        "scores": [score for _, score in counted],
    }
    match played.states and played.states[0][0]:
        case ristikontra.State():
            return {**common, **_tricks(played)}
        case ristiseiska.State():
            return {**common, **_rows(played)}
    return common


def _steps(played: Played) -> Iterator[tuple[int, Any, str, Any]]:
    """Every play of the match: the deal's number, the state before, the code, the state after."""
    deals = zip(played.record.deals, played.states, strict=True)
    for number, (deal, states) in enumerate(deals, start=1):
        for (before, after), code in zip(pairwise(states), deal.plays, strict=True):
            yield number, before, code, after


def _tricks(played: Played) -> dict[str, Any]:
    """The richest trick, the first of its like; plays in the dark by seat; how often a rank was
    barred, and how often the ban bit: the leader had such a card, and others too."""
    richest: dict[str, Any] | None = None
    dark = [0] * played.record.seats
    for number, before, code, after in _steps(played):
        dark[before.turn] += code == ristikontra.DARK
        if after.trick:
            continue
        cards = tuple(play.card for play in after.last)
        worth = ristikontra.points(cards, after.rules.values)
        if worth > (richest["points"] if richest else 0):
            seat = ristikontra.winning(after.last).seat
            trick = len(after.takers)
            richest = {"deal": number, "trick": trick, "points": worth, "seat": seat}
            richest["cards"] = list(cards)
    leads = [
        (state.hands[state.turn], barred)
        for states in played.states
        for state in states
        if (barred := ristikontra.barred(state)) and state.turn is not None
    ]
    bit = sum(len(hand) > 1 and barred in map(rank, hand) for hand, barred in leads)
    return {"richest": richest, "dark": dark, "bans": len(leads), "bit": bit}


def _rows(played: Played) -> dict[str, Any]:
    """By seat the deals it went out in, the panttis it took and the cards it played after an ace or
    a king; and the dearest payment."""
    seats = range(played.record.seats)
    panttis, extras = [0 for _ in seats], [0 for _ in seats]
    for _, before, code, _ in _steps(played):
        panttis[before.turn] += code == ristiseiska.PANTTI
        extras[before.turn] += before.extra and code != ristiseiska.STOP
    counted = [count for count in played.counts if "winner" in count]
    paid = [
        {"deal": number, "seat": seat, "points": points}
        for number, count in enumerate(counted, start=1)
        for seat, points in enumerate(count["points"])
    ]
    return {
        "out": [sum(count["winner"] == seat for count in counted) for seat in seats],
        "panttis": panttis,
        "extras": extras,
        "dearest": max(paid, key=lambda one: one["points"], default=None),
    }
