"""The lesson of a game: short positions to be played on the real board.

A position is a deal, stacked, and the plays made so far; what the computers answer and who takes
the trick is theirs and the engine's, as at any computer table. What is said here of a position is
what `bots/tests/test_lessons.py` sees happen in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bots.computer import Ticket
from game.engine.base import thaw
from game.engine.cards import PACK
from game.engine.registry import find


@dataclass(frozen=True)
class Position:
    """A trick to be played by the person, seat 0: what is to be done and what then is to be said.

    ``hands`` are the cards dealt by seat and ``stock`` its top, as texts ("7C AD"). The codes in
    ``right`` do what is taught; without any, every play does.
    """

    key: str
    title: str | Promise
    task: str | Promise
    well: str | Promise
    otherwise: str | Promise
    dealer: int
    hands: Mapping[int, str]
    stock: str
    plays: str = ""
    right: tuple[str, ...] = ()


RISTIKONTRA = (
    Position(
        key="take",
        title=_("Take a trick"),
        task=_(
            "Suits mean nothing here, and no card is higher than another. West has led a seven, and"
            " your partner gambles an ace on it. Nobody plays after you: play your seven."
        ),
        well=_(
            "The last card of the led rank takes the trick. That was your seven: four cards, and"
            " the ace's eleven points, lie in your side's pile."
        ),
        otherwise=_(
            "Nobody played a later seven, so West's own was the last one and keeps the trick, with"
            " your partner's ace in it."
        ),
        dealer=0,
        hands={0: "7H 2D 9S 5C QC 4H", 1: "7C", 2: "AD", 3: "3S"},
        stock="6D 6H 8C 8D",
        plays="7C AD 3S",
        right=("7H",),
    ),
    Position(
        key="taken",
        title=_("Be taken"),
        task=_(
            "Now you lead. Ace 11, ten 10, king 4, queen 3, jack 2: only these count. You know of"
            " three more kings somewhere. Lead yours all the same, and see what may come."
        ),
        well=_(
            "West's king came later, so it took yours, and East laid an ace on it for its partner:"
            " nineteen points. Lead what counts when you have seen where its others are."
        ),
        otherwise=_("That one stays for another time. Lead the king, to see how a lead is taken."),
        dealer=3,
        hands={0: "KH 9D 5C 2S 8H 3D", 1: "KC 4D 6S", 2: "6C 7D", 3: "AS 4H 5S"},
        stock="8C 9C 2C 2H",
        right=("KH",),
    ),
    Position(
        key="dark",
        title=_("Play in the dark"),
        task=_(
            "East has led a six. You have none, and all you hold counts: whatever you play would"
            " go to East. While the stock lasts there is another way. Play in the dark: the top of"
            " the stock is turned up and is your play."
        ),
        well=_(
            "An eight, and it cost you nothing; your hand is as it was. Had it been a six, it would"
            " have taken the trick. Nobody knows before it lies there."
        ),
        otherwise=_("That one counted, and East's six has taken it."),
        dealer=2,
        hands={0: "AS TH KD QC JH AD", 1: "2C 3C", 2: "4C 5C", 3: "6C"},
        stock="9H 8D 9S 9D",
        plays="6C",
        right=("dark",),
    ),
    Position(
        key="ban",
        title=_("The ban"),
        task=_(
            "You have led sevens to three tricks, and nobody had one. Try to lead the fourth: the"
            " table will not have it. No rank is led four times in a row. Then lead something else."
        ),
        well=_(
            "With another rank led the ban is over: when your side leads again, the seven may go."
            " The dark was barred too, because what it turns up could have been that rank."
        ),
        otherwise="",
        dealer=3,
        hands={0: "7C 7D 7H 7S 2C 2D", 1: "3C 3D 3H", 2: "5C 5D 5H", 3: "8C 8D 8H"},
        stock="",
        plays="7C 3C 5C 8C 7D 3D 5D 8D 7H 3H 5H 8H",
    ),
    Position(
        key="pile",
        title=_("Pile on for your partner"),
        task=_(
            "The seat across is your partner. West led a nine, your partner's nine came later, and"
            " nobody plays after you: the trick is yours for sure. Pile on the richest you have."
        ),
        well=_(
            "Your partner took the trick, and your ace with it: eleven points that no one could"
            " take from you. This is how the sides win, by handing points across the table."
        ),
        otherwise=_(
            "The trick is your side's, but there was more in it: nothing could have happened to"
            " your ace here, and elsewhere it may be taken."
        ),
        dealer=0,
        hands={0: "AS 2D 5C 8H 3D 6C", 1: "9C", 2: "9D", 3: "4S"},
        stock="7D 7H 8C 2H",
        plays="9C 9D 4S",
        right=("AS",),
    ),
)

LESSONS = {"ristikontra": RISTIKONTRA}
"""Positions by the key of their game."""


def ticket(key: str, position: Position) -> Ticket:
    """The position as a match at the computer table of this game."""
    game = find(key)
    sheet = game.open(4, {}, position.dealer)
    return Ticket(
        game=game.key,
        version=game.version,
        seats=4,
        options={},
        sheet=thaw(sheet),
        secret="0" * 64,  # nothing is ever dealt from it that anybody plays for
        packs=1,
        pack=_pack(position, len(game.deal(sheet, PACK).hands[0])),
        plays=position.plays.split(),
    )


def _pack(position: Position, each: int) -> list[str]:
    """A pack that deals these hands, filled up to ``each`` with whatever is left, and then has this
    stock."""
    hands = [position.hands.get(seat, "").split() for seat in range(4)]
    top = position.stock.split()
    wanted = {card for cards in (*hands, top) for card in cards}
    spare = [card for card in PACK if card not in wanted]
    for hand in hands:
        while len(hand) < each:
            hand.append(spare.pop(0))
    order = [(position.dealer + 1 + step) % 4 for step in range(4)]
    return [*(hands[seat][turn] for turn in range(each) for seat in order), *top, *spare]
