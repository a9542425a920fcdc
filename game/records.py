"""The match record: one JSON object from which a match, its scores and its result follow.

``parse`` reads the text, strictly; ``check`` plays the match again; ``dumps`` writes a record.
Whatever is wrong with a record is a ``WrongRecord``, whose text says where and why.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypedDict

from game.engine.base import Illegal, Options, course
from game.engine.cards import PACK, is_pack
from game.engine.registry import AnyGame, find
from game.words import refusal

FORMAT = "korttipoyta-record/1"
LIMIT = 256 * 1024
"""No record's text is longer."""

DIGITS = 15
"""No number in a record is longer: reading huge ones takes long, or Python refuses to."""
HEX = re.compile("[0-9a-f]{64}")
UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Controls, line breaks and lone surrogates: JSON can spell them, but no name or code has them."""


class WrongRecord(Exception):
    """What is wrong with a record, and the places it is at, from the outside in.

    As text both together, for a person to read: ``deal 2, play 17: The stock is empty …``.
    """

    def __init__(self, reason: str, *places: str) -> None:
        super().__init__(": ".join([*filter(None, [", ".join(places)]), reason]))
        self.reason = reason
        self.places = places


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal: the dealer's seat, the 52 cards as they lay, the plays as codes in order.

    ``conceded`` has 1 for each side (or seat, where each plays alone) that conceded after it.
    """

    dealer: int
    pack: tuple[str, ...]
    plays: tuple[str, ...]
    conceded: tuple[int, ...] | None = None
    salt: str | None = None
    commitment: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One match. What may be missing from its text is None."""

    game: str
    options: Options
    seats: int
    deals: tuple[Deal, ...]
    engine: int | None = None
    names: tuple[str, ...] | None = None
    result: dict[str, Any] | None = None


class Report(TypedDict):
    """What a right record tells. ``deals`` has what each deal counted, or that it stopped early."""

    ok: bool
    game: str
    finished: bool
    winner: int | None
    deals: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Played:
    """A match played again from its record: of each deal the state after dealing and after every
    play, and what it counted (``{"unfinished": True}`` for one that stopped early)."""

    record: Record
    game: AnyGame
    states: tuple[tuple[Any, ...], ...]
    counts: tuple[dict[str, Any], ...]
    result: dict[str, Any] | None

    def report(self) -> Report:
        """What ``manage.py replay`` says of it."""
        return {
            "ok": True,
            "game": self.game.key,
            "finished": self.result is not None,
            "winner": self.result.get("winner") if self.result else None,
            "deals": list(self.counts),
        }


def commitment(salt: str, pack: Sequence[str]) -> str:
    """What is told of a pack before it is played, so that nobody can change it afterwards."""
    return hashlib.sha256(f"korttipoyta/1|{salt}|{' '.join(pack)}".encode("ascii")).hexdigest()


# --- Playing it again -------------------------------------------------------------------------


def check(record: Record) -> Report:
    """What the match counted, deal by deal. WrongRecord: it cannot have gone like that."""
    return play(record).report()


def play(record: Record) -> Played:
    """The match played again. WrongRecord: it cannot have gone like that."""
    with _at("game"):
        find(record.game)
    with _at("engine"):
        game = find(record.game, record.engine)
    sheet = _open(game, record)
    states: list[tuple[Any, ...]] = []
    counts: list[dict[str, Any]] = []
    for number, deal in enumerate(record.deals, start=1):
        with _at(f"deal {number}"):
            states.append(_course(game, sheet, deal))
            state = states[-1][-1]
            conceded = _conceded(game, record.seats, deal)
            if state.turn is not None and number == len(record.deals) and not conceded:
                counts.append({"unfinished": True})
                break
            # Any other deal must be finished: the engine does not settle one that is not.
            sheet, count = game.settle(state), game.count(state)
            for side in conceded:
                sheet = _concede(game, sheet, side)
                count["score"] = _score(game, sheet)
            counts.append(count)
    if record.result is not None and record.result not in (able := _results(game, sheet)):
        raise WrongRecord(f"the plays give {' or '.join(map(json.dumps, able))}", "result")
    return Played(record, game, tuple(states), tuple(counts), game.result(sheet))


def _open(game: AnyGame, record: Record) -> Any:
    """The first sheet, the dealer of the first deal dealing."""
    dealer = record.deals[0].dealer if record.deals else 0
    try:
        sheet = game.open(record.seats, record.options, dealer)
    except Illegal as illegal:
        # Whatever is not about seats or dealer is about an option, or options together.
        places = {"seats": ["seats"], "dealer": ["deal 1"]}.get(illegal.reason, ["options"])
        if "option" in illegal.facts:
            places.append(_shown(illegal.facts["option"]))
        raise WrongRecord(refusal(illegal), *places) from None
    if record.names is not None and len(record.names) != record.seats:
        raise WrongRecord(f"{len(record.names)} names for {record.seats} seats", "names")
    return sheet


def _course(game: AnyGame, sheet: Any, deal: Deal) -> tuple[Any, ...]:
    """The states of a deal, play by play. Causes come before what they bring about in the plays."""
    if game.result(sheet) is not None:
        raise Illegal("match-over")
    if deal.dealer != sheet.dealer:
        raise WrongRecord(f"seat {sheet.dealer} deals, not seat {deal.dealer}")
    if deal.salt is not None and deal.commitment not in (None, commitment(deal.salt, deal.pack)):
        raise WrongRecord("the commitment is not that of this salt and pack")
    return tuple(course(game, sheet, deal.pack, deal.plays))


def _conceded(game: AnyGame, seats: int, deal: Deal) -> list[int]:
    """The sides that conceded after a deal."""
    sides = game.sides or seats
    if deal.conceded is not None and len(deal.conceded) != sides:
        raise WrongRecord(f"{sides} numbers are wanted, not {len(deal.conceded)}", "conceded")
    return [side for side, times in enumerate(deal.conceded or ()) if times]


def _concede(game: AnyGame, sheet: Any, side: int) -> Any:
    """The sheet after a concession, which few games know."""
    concede = getattr(game, "concede", None)
    if concede is None:
        raise WrongRecord("nothing is conceded in this game", "conceded")
    return concede(sheet, side)


def _score(game: AnyGame, sheet: Any) -> list[int]:
    """The score of a running match: what a seat would see of it if the next deal were dealt."""
    score: list[int] = game.view(game.deal(sheet, PACK), 0)["score"]
    return score


def _results(game: AnyGame, sheet: Any) -> list[dict[str, Any]]:
    """The results a record may tell of a match that has come to this sheet."""
    result = game.result(sheet)
    if result is not None:
        return [result]
    score = _score(game, sheet)
    return [{"outcome": "draw", "reason": reason, "score": score} for reason in ("left", "closed")]


@contextmanager
def _at(*places: str) -> Iterator[None]:
    """Say where in the record a fault found inside is; a refusal of the game becomes one."""
    try:
        yield
    except WrongRecord as wrong:
        raise WrongRecord(wrong.reason, *places, *wrong.places) from None
    except Illegal as illegal:
        play = [f"play {illegal.facts['play']}"] if "play" in illegal.facts else []
        raise WrongRecord(refusal(illegal), *places, *play) from None


# --- Text -------------------------------------------------------------------------------------


def dumps(record: Record) -> str:
    """The record's text, on one line. ``parse`` gives the record back."""
    data = {
        "format": FORMAT,
        "game": record.game,
        "options": record.options,
        "seats": record.seats,
        "engine": record.engine,
        "names": record.names,
        "deals": [
            _given(
                {
                    "dealer": deal.dealer,
                    "pack": " ".join(deal.pack),
                    "plays": deal.plays,
                    "conceded": deal.conceded,
                    "salt": deal.salt,
                    "commitment": deal.commitment,
                }
            )
            for deal in record.deals
        ],
        "result": record.result,
    }
    return json.dumps(_given(data), ensure_ascii=False)


def parse(text: str | bytes, limit: int = LIMIT) -> Record:
    """The record in a text of at most ``limit`` characters or bytes. WrongRecord: there is none.

    Only the shape is looked at here; whether the match can have gone like that is for ``check``.
    """
    data = _json(text, limit)
    # First of all: a record of another format may have whatever keys it likes.
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise WrongRecord(f'not a record: one has the "format" "{FORMAT}"')
    fields = _fields(
        data,
        {
            "format": _text,
            "game": _text,
            "options": _options,
            "seats": _int,
            "deals": _each("deal", _deal),
        },
        {"engine": _int, "names": _each("name", _text), "result": _result},
    )
    del fields["format"]
    return Record(**fields)


def _given(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _json(text: str | bytes, limit: int) -> Any:
    """Any JSON value, without what Python's reader lets pass: doubled keys, NaN, fractions."""
    if len(text) > limit:
        raise WrongRecord(f"longer than the {limit} bytes a record may have")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        if text.startswith("\ufeff"):
            raise WrongRecord("not JSON: it begins with a byte order mark")
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError as error:
        raise WrongRecord(f"not UTF-8 text: byte {error.start + 1} is none of it") from None
    except json.JSONDecodeError as error:
        raise WrongRecord(f"not JSON: {error}") from None
    except RecursionError:
        raise WrongRecord("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise WrongRecord(f"the key {_shown(key)} stands twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= DIGITS else _no_number(digits)


def _no_number(text: str) -> NoReturn:
    raise WrongRecord(f"only whole numbers of up to {DIGITS} digits are wanted, not {text[:20]}")


def _shown(value: Any) -> str:
    """A value out of a record as a message shows it: short, and on no terminal harmful."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


# Readers: each takes a value and its place, and returns what a Record or Deal has of it.

Reader = Callable[[Any, str], Any]


def _fields(data: Any, needed: dict[str, Reader], allowed: dict[str, Reader]) -> dict[str, Any]:
    """The values of an object that has all the ``needed`` keys and no others but ``allowed``."""
    if not isinstance(data, dict):
        raise WrongRecord(f"an object is wanted, not {_shown(data)}")
    for key in needed:
        if key not in data:
            raise WrongRecord(f'the key "{key}" is missing')
    readers = needed | allowed
    for key in data:
        if key not in readers:
            raise WrongRecord(f"unknown key {_shown(key)}")
    return {key: readers[key](value, key) for key, value in data.items()}


def _each(name: str, reader: Reader) -> Reader:
    """A reader of lists, the place of a member being its name and number: ``play 17``."""

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise WrongRecord(f"a list is wanted, not {_shown(value)}", place)
        return tuple(reader(one, f"{name} {number}") for number, one in enumerate(value, start=1))

    return read


def _int(value: Any, place: str) -> int:
    if type(value) is not int:  # to isinstance True is one
        raise WrongRecord(f"a number is wanted, not {_shown(value)}", place)
    return value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or UNREADABLE.search(value):
        raise WrongRecord(f"readable text is wanted, not {_shown(value)}", place)
    return value


def _hex(value: Any, place: str) -> str:
    if not HEX.fullmatch(_text(value, place)):
        raise WrongRecord("64 lower-case hex digits are wanted", place)
    return str(value)


def _pack(value: Any, place: str) -> tuple[str, ...]:
    pack = tuple(_text(value, place).split(" "))
    if not is_pack(pack):
        raise Illegal("pack")
    return pack


def _flag(value: Any, place: str) -> int:
    if _int(value, place) not in (0, 1):
        raise WrongRecord(f"0 or 1 is wanted, not {value}", place)
    return int(value)


def _options(value: Any, place: str) -> Options:
    """As they stand: which options and values there are is the game's business."""
    if not isinstance(value, dict):
        raise WrongRecord(f"an object is wanted, not {_shown(value)}", place)
    for name, one in value.items():
        if not isinstance(one, str):
            with _at(place):
                _int(one, _shown(name))
    return value


def _result(value: Any, place: str) -> dict[str, Any]:
    """As it stands, the types being right: it is compared with what the game says."""
    with _at(place):
        _fields(
            value,
            {"outcome": _text, "score": _each("score", _int)},
            {"winner": _int, "reason": _text},
        )
    result: dict[str, Any] = value
    return result


def _deal(value: Any, place: str) -> Deal:
    with _at(place):
        return Deal(
            **_fields(
                value,
                {"dealer": _int, "pack": _pack, "plays": _each("play", _text)},
                {"conceded": _each("side", _flag), "salt": _hex, "commitment": _hex},
            )
        )
