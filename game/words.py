"""Words for the codes that engines and protocols use, in the reader's language.

Codes travel, words do not: engines, records and messages hold codes only, and whoever shows one to
a person looks it up here. The board gets ``page_words`` with the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from game.engine.base import Illegal
from game.engine.house import ONLY_WITH
from game.engine.registry import AnyGame

CARD_NAMES = {
    "AC": _("ace of clubs"),
    "2C": _("two of clubs"),
    "3C": _("three of clubs"),
    "4C": _("four of clubs"),
    "5C": _("five of clubs"),
    "6C": _("six of clubs"),
    "7C": _("seven of clubs"),
    "8C": _("eight of clubs"),
    "9C": _("nine of clubs"),
    "TC": _("ten of clubs"),
    "JC": _("jack of clubs"),
    "QC": _("queen of clubs"),
    "KC": _("king of clubs"),
    "AD": _("ace of diamonds"),
    "2D": _("two of diamonds"),
    "3D": _("three of diamonds"),
    "4D": _("four of diamonds"),
    "5D": _("five of diamonds"),
    "6D": _("six of diamonds"),
    "7D": _("seven of diamonds"),
    "8D": _("eight of diamonds"),
    "9D": _("nine of diamonds"),
    "TD": _("ten of diamonds"),
    "JD": _("jack of diamonds"),
    "QD": _("queen of diamonds"),
    "KD": _("king of diamonds"),
    "AH": _("ace of hearts"),
    "2H": _("two of hearts"),
    "3H": _("three of hearts"),
    "4H": _("four of hearts"),
    "5H": _("five of hearts"),
    "6H": _("six of hearts"),
    "7H": _("seven of hearts"),
    "8H": _("eight of hearts"),
    "9H": _("nine of hearts"),
    "TH": _("ten of hearts"),
    "JH": _("jack of hearts"),
    "QH": _("queen of hearts"),
    "KH": _("king of hearts"),
    "AS": _("ace of spades"),
    "2S": _("two of spades"),
    "3S": _("three of spades"),
    "4S": _("four of spades"),
    "5S": _("five of spades"),
    "6S": _("six of spades"),
    "7S": _("seven of spades"),
    "8S": _("eight of spades"),
    "9S": _("nine of spades"),
    "TS": _("ten of spades"),
    "JS": _("jack of spades"),
    "QS": _("queen of spades"),
    "KS": _("king of spades"),
}
"""Whole names, because in other languages they are one word or inflected."""

RANK_NAMES = {
    "A": pgettext_lazy("one card of this rank", "ace"),
    "2": pgettext_lazy("one card of this rank", "two"),
    "3": pgettext_lazy("one card of this rank", "three"),
    "4": pgettext_lazy("one card of this rank", "four"),
    "5": pgettext_lazy("one card of this rank", "five"),
    "6": pgettext_lazy("one card of this rank", "six"),
    "7": pgettext_lazy("one card of this rank", "seven"),
    "8": pgettext_lazy("one card of this rank", "eight"),
    "9": pgettext_lazy("one card of this rank", "nine"),
    "T": pgettext_lazy("one card of this rank", "ten"),
    "J": pgettext_lazy("one card of this rank", "jack"),
    "Q": pgettext_lazy("one card of this rank", "queen"),
    "K": pgettext_lazy("one card of this rank", "king"),
}

RANK_PLURALS = {
    "A": pgettext_lazy("all cards of this rank", "aces"),
    "2": pgettext_lazy("all cards of this rank", "twos"),
    "3": pgettext_lazy("all cards of this rank", "threes"),
    "4": pgettext_lazy("all cards of this rank", "fours"),
    "5": pgettext_lazy("all cards of this rank", "fives"),
    "6": pgettext_lazy("all cards of this rank", "sixes"),
    "7": pgettext_lazy("all cards of this rank", "sevens"),
    "8": pgettext_lazy("all cards of this rank", "eights"),
    "9": pgettext_lazy("all cards of this rank", "nines"),
    "T": pgettext_lazy("all cards of this rank", "tens"),
    "J": pgettext_lazy("all cards of this rank", "jacks"),
    "Q": pgettext_lazy("all cards of this rank", "queens"),
    "K": pgettext_lazy("all cards of this rank", "kings"),
}

REFUSALS = {
    "barred": _("%(ranks)s may not be led now: the last three tricks were led with them."),
    "dark-barred": _("No dark lead while %(ranks)s are barred: the card turned up could be one."),
    "stock-empty": _("The stock is empty: there is nothing left to play in the dark."),
    "waits": _("The %(card)s waits for the %(awaited)s."),
    "must-play": _("Whoever can play must play, and a card of this hand fits."),
    "pantti-extra": _("After an ace or a king there is no pantti: play one more card, or stop."),
    "no-extra": _("Only after an ace or a king may one stop."),
    "not-held": _("That card is not in the hand of the seat on turn."),
    "unknown-code": _("There is no such play in this game."),
    "deal-over": _("The deal is already over."),
    "match-over": _("The match is already over."),
    "unfinished": _("The deal is not finished."),
    "pack": _("The pack is not the 52 cards, each once."),
    "seats": _("This game is not played with that many seats."),
    "dealer": _("There is no such seat to deal."),
    "option": _("This game has no such option or value."),
    "game-points-only": _("This option goes with game points only, not with card points."),
    "signalling-off": _("Signalling is not conceded at this table."),
    "nothing-counted": _("Signalling is conceded after a deal has been counted."),
    "conceded": _("This side has conceded already since the last count."),
    "concede-late": _("Signalling is conceded before the next deal's first play."),
    "unknown-game": _("There is no such game here."),
    "unknown-version": _("The rules of this game have changed since."),
}
"""Why something was refused, by reason code."""


TITLES = {
    "ristikontra": _("Ristikontra"),
    "ristikontra-house": _("Ristikontra by house rules"),
    "cleaning": _("Cleaning"),
    "ristiseiska": _("Ristiseiska"),
}
"""What games are called; one from elsewhere is called what it calls itself."""


def title(game: AnyGame) -> str:
    """What a game is called in the reader's language."""
    return str(TITLES.get(game.key, game.title))


@dataclass(frozen=True)
class Value:
    """A value an option may have: what it is called, what follows from it in a line, and how a
    table's short line of rules puts it where the label alone would tell little."""

    label: str | Promise
    means: str | Promise = ""
    short: str | Promise = ""


@dataclass(frozen=True)
class Option:
    """What is chosen when a table is opened. A value without words is a number, shown as it is."""

    label: str | Promise
    values: Mapping[str | int, Value]

    def value(self, value: str | int) -> Value:
        """The words of one value."""
        return self.values.get(value) or Value(str(value))


OPTIONS = {
    "deals": Option(_("Deals"), {}),
    "values": Option(
        _("What a card counts"),
        {
            "standard": Value(
                _("as usual"),
                _("Ace 11, ten 10, king 4, queen 3, jack 2: 120 points a deal."),
                _("usual values"),
            ),
            "five-to-one": Value(
                _("five to one"),
                _("Ace 5, king 4, queen 3, jack 2, ten 1: 60 points a deal."),
                _("five to one"),
            ),
        },
    ),
    "goal": Option(
        _("How a match is won"),
        {
            "game-points": Value(
                _("seven game points"),
                _("The better half of a deal's points wins one, all two."),
                _("to seven"),
            ),
            "card-points": Value(
                _("card points"),
                _("They are added up over the deals, to as many as a deal has."),
                _("card points add up"),
            ),
        },
    ),
    "sweep": Option(
        _("All thirteen tricks"),
        {
            "two-points": Value(
                _("two game points"),
                _("As when one side has all the points."),
                _("a sweep wins two"),
            ),
            "wipe": Value(
                _("wipe the others out"),
                _("No points for the deal, but the others drop to zero."),
                _("a sweep wipes"),
            ),
        },
    ),
    "signalling": Option(
        _("Signalling to one's partner"),
        {
            "off": Value(
                _("not counted"),
                _("Nobody owns up to it, and it costs nothing."),
                _("no signalling penalty"),
            ),
            "on": Value(
                _("may be conceded"),
                _("A side that owns up after a deal loses two game points."),
                _("signalling may be conceded"),
            ),
        },
    ),
    "pantti": Option(
        _("The pantti costs"),
        {
            21: Value(_("21 points"), short=_("pantti 21")),
            25: Value(_("25 points"), short=_("pantti 25")),
        },
    ),
    "tie": Option(
        _("If the lowest total is shared"),
        {
            "draw": Value(_("a draw"), _("Nobody wins the match."), _("a tie is a draw")),
            "extra-deal": Value(
                _("one more deal"),
                _("Deals are added until one total is the lowest."),
                _("a tie goes on"),
            ),
        },
    ),
}
"""The options of all games, by name; a name means the same in every game that has it."""


@dataclass(frozen=True)
class Words:
    """What a game from elsewhere adds, as its class's ``words``: why it refuses a play, by reason,
    and its options."""

    refusals: Mapping[str, str | Promise] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)


def rules_line(game: AnyGame, options: Mapping[str, str | int], short: bool = False) -> str:
    """The options a table plays under, in one line, those that mean nothing there left out; empty
    for a game that has none. ``short`` is for where there is little room."""
    chosen = {name: options.get(name, values[0]) for name, values in game.options.items()}
    parts = []
    for name, value in chosen.items():
        other, wanted = ONLY_WITH.get(name, ("", None))
        if chosen.get(other) == wanted:
            words = OPTIONS[name].value(value)
            whole = f"{OPTIONS[name].label}: {words.label}"
            parts.append(str(words.short or whole) if short else whole)
    return " · ".join(parts)


def refusal(illegal: Illegal) -> str:
    """The sentence a person reads for a refused play."""
    return str(REFUSALS[illegal.reason]) % worded(illegal.facts)


def worded(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with the words a refusal's sentence asks for."""
    named = {name: CARD_NAMES.get(str(value), value) for name, value in facts.items()}
    return {**named, "ranks": RANK_PLURALS.get(str(facts.get("rank")), "")}


def page_words() -> dict[str, dict[str, str]]:
    """All words by code, for a page's own use: JSON-able, in the language active now."""
    tables = {
        "cards": CARD_NAMES,
        "ranks": RANK_NAMES,
        "rankPlurals": RANK_PLURALS,
        "refusals": REFUSALS,
    }
    return {
        name: {code: str(word) for code, word in table.items()} for name, table in tables.items()
    }
