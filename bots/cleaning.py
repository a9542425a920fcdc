"""How the computer plays Cleaning: as Ristikontra, and keeps out of trouble.

The line letters are those of ``docs/rules.md``.
"""

from dataclasses import dataclass, replace
from typing import Any

from bots import ristikontra
from game.engine.cards import rank
from game.engine.ristikontra import SEATS, side


@dataclass(frozen=True, slots=True)
class Facts(ristikontra.Facts):
    """What a computer is given here besides: whether its own side and the other are dirty."""

    dirty: bool = False
    others_dirty: bool = False


def facts(view: dict[str, Any], played: list[str]) -> Facts:
    """What a computer sees of its own seat's view, and the cards played face up in this deal."""
    plain = ristikontra.facts(view, played)
    ours = side(plain.seat)
    return Facts(
        **{name: getattr(plain, name) for name in ristikontra.Facts.__slots__},
        dirty=view["dirty"][ours],
        others_dirty=view["dirty"][1 - ours],
    )


def policy(facts: Facts) -> str:
    """The code the computer plays: that of the first line that applies, or else what the plain
    policy plays with the cards that are not kept."""
    kept = _kept(facts)
    return _own(facts, kept) or ristikontra.policy(_keeping(facts, kept))


def _own(facts: Facts, kept: set[str]) -> str | None:
    """What lines a to e say, if any applies."""
    if not facts.trick:
        washes = facts.dirty and not facts.stock and not ristikontra.unseen(facts, "K")
        return _first(facts, "K") if washes else None  # line a
    last, led, theirs = len(facts.trick) == SEATS - 1, _led(facts), _theirs(facts)
    queen, king = _first(facts, "Q"), _first(facts, "K")
    if facts.stock:
        if queen and last and theirs and led != "Q" and not facts.others_dirty:
            return queen  # line b
        if king and facts.others_dirty and not facts.dirty:
            return king  # line c
    elif king and facts.dirty and last and not theirs and led != "Q":
        return king  # line d
    if not theirs and not ristikontra.unseen(facts, led):
        given = [card for card in facts.hand if rank(card) not in kept and facts.worth(card)]
        return max(given, key=facts.worth, default=None)  # line e
    return None


def _kept(facts: Facts) -> set[str]:
    """The ranks it would rather not play now."""
    if facts.stock:
        if facts.dirty:
            return {"K"}  # line g
        fouled = any(rank(play["card"]) == "Q" for play in facts.trick)
        return {"Q", _led(facts)} if fouled else {"Q"}  # line f
    # line h: kings for a trick of its own side, and none for one of a dirty other side
    theirs = bool(facts.trick) and _theirs(facts) and _led(facts) != "K"
    return {"K"} if facts.dirty or (facts.others_dirty and theirs) else set()


def _keeping(facts: Facts, ranks: set[str]) -> ristikontra.Facts:
    """The facts as if it did not hold these ranks, unless it has to play one. They stay seen."""
    kept = [card for card in facts.hand if rank(card) in ranks]
    hand = [card for card in facts.hand if card not in kept]
    legal = [code for code in facts.legal if code not in kept]
    if not any(code in hand for code in legal):
        return facts
    return replace(facts, hand=hand, legal=legal, played=[*facts.played, *kept])


def _first(facts: Facts, one: str) -> str | None:
    """The first card of a rank that it may play."""
    return next((code for code in facts.legal if rank(code) == one), None)


def _led(facts: Facts) -> str:
    return rank(facts.trick[0]["card"])


def _theirs(facts: Facts) -> bool:
    """Whether an opponent is winning the trick."""
    led = _led(facts)
    winner = next(play["seat"] for play in reversed(facts.trick) if rank(play["card"]) == led)
    return side(winner) != side(facts.seat)
