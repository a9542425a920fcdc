"""The match record: the records made by an independent reading of the rules, and every kind of
text that is not a right record."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game import records
from game.engine.base import Illegal
from game.engine.cards import PACK
from game.engine.registry import newest
from game.engine.ristikontra import Ristikontra
from game.records import LIMIT, Deal, Record, WrongRecord, check, commitment, dumps, parse

FILES = Path(__file__).parent / "records"
SALT = "0123456789abcdef" * 4


def lines(name):
    return (FILES / f"{name}.jsonl").read_text().splitlines()


RIGHT = [json.loads(line) for line in lines("ristikontra")]
WHOLE, LEFT = RIGHT[3], RIGHT[13]
"""A match of eight deals to its end, and one left in its second deal with 0-1."""


def fault(text):
    """What is wrong with a record, given as text or as the object itself."""
    with pytest.raises(WrongRecord) as caught:
        check(parse(text if isinstance(text, str | bytes) else json.dumps(text)))
    return str(caught.value)


def changed(record, **values):
    """A copy with other values; ``deal_…`` names a value of its first deal. None takes one out."""
    record = deepcopy(record)
    for name, value in values.items():
        owner = record["deals"][0] if name.startswith("deal_") else record
        owner[name.removeprefix("deal_")] = deepcopy(value)
        if value is None:
            del owner[name.removeprefix("deal_")]
    return record


# --- The records every game has ---------------------------------------------------------------


def test_there_are_games_to_test():
    assert "ristikontra" in newest()


@pytest.mark.parametrize("key", newest())
def test_a_right_record_tells_exactly_what_is_expected(key):
    told = [json.dumps(check(parse(line))) for line in lines(key)]
    assert told == lines(f"{key}.expected")


@pytest.mark.parametrize("key", newest())
def test_a_record_is_written_as_it_was_read(key):
    assert [dumps(parse(line)) for line in lines(key)] == lines(key)


@pytest.mark.parametrize(
    ("line", "words"),
    list(
        zip(
            lines("wrong"),
            [
                "deal 1: There is no such seat to deal.",
                "deal 2: seat 3 deals, not seat 2",
                "deal 1: The pack is not the 52 cards, each once.",
                "deal 1, play 53: The deal is already over.",
                "deal 1, play 51: The stock is empty: there is nothing left to play in the dark.",
                "deal 9: The match is already over.",
                'options, "goal": This game has no such option or value.',
                "seats: This game is not played with that many seats.",
                'unknown key "extra"',
                'result: the plays give {"outcome": "win", "winner": 1, "score": [1, 7]}',
                "deal 1: the commitment is not that of this salt and pack",
                "deal 1, conceded: nothing is conceded in this game",
            ],
            strict=True,
        )
    ),
    ids=range(1, 13),
)
def test_a_wrong_record_says_where_and_why(line, words):
    assert fault(line) == words


# --- What cannot have happened ----------------------------------------------------------------


def test_a_refused_play_is_named_by_deal_and_play():
    record = deepcopy(WHOLE)
    record["deals"][2]["plays"][16] = record["deals"][2]["plays"][15]
    assert fault(record).startswith("deal 3, play 17: ")


def test_no_deal_follows_an_unfinished_one():
    record = deepcopy(WHOLE)
    record["deals"][1]["plays"].pop()
    assert fault(record) == "deal 2: The deal is not finished."


@pytest.mark.parametrize("deals", [0, 1, 3])
def test_a_match_may_stop_between_deals(deals):
    report = check(parse(json.dumps(changed(WHOLE, deals=WHOLE["deals"][:deals]))))
    assert (report["finished"], report["winner"]) == (False, None)
    assert len(report["deals"]) == deals
    assert {"unfinished": True} not in report["deals"]


def test_a_match_may_stop_before_the_first_play():
    record = changed(WHOLE, deals=WHOLE["deals"][:1], deal_plays=[])
    assert check(parse(json.dumps(record)))["deals"] == [{"unfinished": True}]


def test_a_commitment_is_what_was_promised():
    """RECORD: SHA-256 of ``korttipoyta/1|`` + salt + ``|`` + the cards joined by spaces."""
    text = f"korttipoyta/1|{SALT}|{' '.join(PACK)}"
    assert commitment(SALT, PACK) == hashlib.sha256(text.encode()).hexdigest()
    assert commitment(SALT, PACK) == (
        "b78363ada3455dc0954318fba6348dafd65d0b8252e076cf12b7cafc0d552840"
    )


def test_a_commitment_may_stand_with_its_salt_or_alone():
    right = commitment(SALT, WHOLE["deals"][0]["pack"].split())
    for values in (
        {"deal_salt": SALT, "deal_commitment": right},
        {"deal_salt": SALT},
        {"deal_commitment": right},
    ):
        assert check(parse(json.dumps(changed(WHOLE, **values))))["ok"]


class Conceding(Ristikontra):
    """A game in which a side may concede a point that it has."""

    def concede(self, sheet, side):
        if self.result(sheet):
            raise Illegal("match-over")
        score = tuple(max(0, has - (one == side)) for one, has in enumerate(sheet.score))
        return dataclasses.replace(sheet, score=score)


def test_concessions_lower_the_score_of_their_deal(monkeypatch):
    monkeypatch.setattr(records, "find", lambda *_: Conceding())
    two = changed(WHOLE, deals=WHOLE["deals"][:2])
    plain = check(parse(json.dumps(two)))["deals"]
    told = check(parse(json.dumps(changed(two, deal_conceded=[1, 1]))))["deals"]
    assert plain[0]["score"] != [0, 0]
    assert told[0] == {**plain[0], "score": [0, 0]}
    assert told[1]["score"] == plain[1]["awarded"]


def test_nothing_is_conceded_in_or_after_the_last_deal(monkeypatch):
    monkeypatch.setattr(records, "find", lambda *_: Conceding())
    record = deepcopy(WHOLE)
    record["deals"][-1]["conceded"] = [0, 1]
    assert fault(record) == f"deal {len(WHOLE['deals'])}: The match is already over."
    record["deals"][-1]["plays"].pop()
    assert fault(record) == f"deal {len(WHOLE['deals'])}: The deal is not finished."


HOUSE = json.loads(lines("ristikontra-house")[4])
"""A match with signalling, in which sides conceded."""


def house(**options):
    """Its first two deals at a table with these options."""
    return changed(HOUSE, deals=HOUSE["deals"][:2], options=options)


def test_a_concession_by_house_rules_is_a_penalty_in_the_score():
    told = check(parse(json.dumps(changed(house(signalling="on"), deal_conceded=[1, 1]))))
    assert [deal["awarded"] for deal in told["deals"]] == [[0, 1], [1, 0]]
    assert [deal["score"] for deal in told["deals"]] == [[0, 0], [1, 0]]


@pytest.mark.parametrize("options", [{}, {"signalling": "off"}, {"goal": "card-points"}])
def test_nothing_is_conceded_where_it_was_not_chosen(options):
    record = changed(house(**options), deal_conceded=[0, 1])
    assert fault(record) == "deal 1: Signalling is not conceded at this table."


def test_nothing_is_conceded_after_the_win():
    record = deepcopy(HOUSE)
    record["deals"][-1]["conceded"] = [0, 1]
    assert fault(record) == f"deal {len(HOUSE['deals'])}: The match is already over."


def test_nothing_is_conceded_in_cleaning():
    record = changed(json.loads(lines("cleaning")[0]), deal_conceded=[1, 0])
    assert fault(record) == "deal 1, conceded: nothing is conceded in this game"


@pytest.mark.parametrize("name", ["sweep", "signalling"])
def test_options_that_do_not_go_together_are_named(name):
    record = house(**{"goal": "card-points", name: {"sweep": "wipe"}.get(name, "on")})
    words = "This option goes with game points only, not with card points."
    assert fault(record) == f'options, "{name}": {words}'


# --- Results ----------------------------------------------------------------------------------


def test_a_finished_match_has_the_result_of_its_plays_or_none():
    result = {"outcome": "win", "winner": 1, "score": [1, 7]}
    assert check(parse(json.dumps(changed(WHOLE, result=result))))["winner"] == 1
    for other in (
        {**result, "winner": 0},
        {**result, "score": [0, 7]},
        {**result, "reason": "left"},
        {"outcome": "draw", "reason": "left", "score": [1, 7]},
        {"outcome": "draw", "reason": "tie", "score": [1, 7]},
    ):
        assert fault(changed(WHOLE, result=other)).startswith("result: the plays give ")


@pytest.mark.parametrize("deals", [1, 2])
@pytest.mark.parametrize("reason", ["left", "closed"])
def test_an_unfinished_match_may_be_a_draw(deals, reason):
    """In the middle of a deal or between two."""
    result = {"outcome": "draw", "reason": reason, "score": [0, 1]}
    report = check(parse(json.dumps(changed(LEFT, deals=LEFT["deals"][:deals], result=result))))
    assert (report["finished"], report["winner"]) == (False, None)


def test_an_unfinished_match_has_no_other_result():
    result = LEFT["result"]
    for other in (
        {**result, "score": [0, 0]},
        {**result, "reason": "tie"},
        {**result, "winner": 1},
        {"outcome": "win", "winner": 1, "score": [0, 1]},
    ):
        assert fault(changed(LEFT, result=other)).startswith("result: the plays give ")


# --- A game without sides ---------------------------------------------------------------------

SEVENS = [json.loads(line) for line in lines("ristiseiska")]
TIED = {"outcome": "draw", "reason": "tie", "score": [0, 0]}


def test_without_sides_the_seats_win_and_concede():
    three = SEVENS[4]
    result = {"outcome": "win", "winner": 0, "score": [14, 134, 38]}
    record = changed(three, result=result, deal_conceded=[0, 0, 0])
    assert check(parse(json.dumps(record)))["winner"] == 0
    assert fault(changed(three, deal_conceded=[0, 0])) == (
        "deal 1, conceded: 3 numbers are wanted, not 2"
    )
    assert fault(changed(three, deal_conceded=[0, 1, 0])) == (
        "deal 1, conceded: nothing is conceded in this game"
    )


def test_a_tie_is_a_result_only_where_the_lowest_total_is_shared():
    assert fault(changed(SEVENS[0], result=TIED)).startswith("result: the plays give ")
    assert fault(changed(SEVENS[0], deals=[], result=TIED)).startswith("result: the plays give ")


def test_refusals_of_ristiseiska_are_told_in_words():
    for play, words in {
        "pantti": "Whoever can play must play, and a card of this hand fits.",
        "stop": "Only after an ace or a king may one stop.",
        "dark": "There is no such play in this game.",
        "7C": "That card is not in the hand of the seat on turn.",
    }.items():
        assert fault(changed(SEVENS[0], deal_plays=["7C", play])) == f"deal 1, play 2: {words}"


# --- What is not a record at all --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON: Expecting value"),
        ("hello", "not JSON: Expecting value"),
        ('{"format": ', "not JSON: Expecting value"),
        ("{} {}", "not JSON: Extra data"),
        ("null", "not a record"),
        ("[1]", "not a record"),
        ("{}", "not a record"),
        ('{"format": "korttipoyta-record/2", "hands": []}', "not a record"),
        ('{"format": ["korttipoyta-record/1"]}', "not a record"),
        ("\ufeff{}", "byte order mark"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8 text: byte 1"),
        (b'{"format": "\xe4"}', "not UTF-8 text: byte 13"),
        (b'{"format": "\xed\xa0\x80"}', "not UTF-8 text"),
        (b"\x00" * 100, "not JSON"),
        ('{"format": "a\x00"}', "not JSON: Invalid control character"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 40_000, "nested too deeply"),
        ('{"format": NaN}', "only whole numbers of up to 15 digits are wanted, not NaN"),
        ('{"format": -Infinity}', "not -Infinity"),
        ('{"format": 1e999}', "not 1e999"),
        ('{"format": 1.0}', "not 1.0"),
        ('{"format": %s}' % ("9" * 5_000), "not 99999999999999999999"),
        ('{"game": "x", "game": "x"}', 'the key "game" stands twice'),
        ('{"deals": [{"a": 1, "\\u0061": 2}]}', 'the key "a" stands twice'),
        (" " * (LIMIT + 1), f"longer than the {LIMIT} bytes"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_text_that_is_no_record(text, words):
    assert words in fault(text)


def test_the_limit_is_the_callers():
    text = json.dumps(LEFT)
    assert parse(text, limit=len(text)) == parse(text)
    with pytest.raises(WrongRecord, match="longer than the 500 bytes"):
        parse(text, limit=500)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"seats": None}, 'the key "seats" is missing'),
        ({"a\ud800\x1b": 1}, r'unknown key "a\ud800\u001b"'),
        ({"k" * 1000: 1}, f'unknown key "{"k" * 39}…'),
        ({"game": "bridge"}, "game: There is no such game here."),
        ({"game": 7}, "game: readable text is wanted, not 7"),
        ({"game": ["x"]}, "game: readable text is wanted, not a list"),
        ({"engine": 99}, "engine: The rules of this game have changed since."),
        ({"engine": True}, "engine: a number is wanted, not true"),
        ({"engine": {}}, "engine: a number is wanted, not an object"),
        ({"options": []}, "options: an object is wanted, not a list"),
        ({"options": {"x": None}}, 'options, "x": a number is wanted, not null'),
        ({"options": {"x": True}}, 'options, "x": a number is wanted, not true'),
        ({"options": {"x": "y"}}, 'options, "x": This game has no such option or value.'),
        ({"seats": True}, "seats: a number is wanted, not true"),
        ({"seats": "4"}, 'seats: a number is wanted, not "4"'),
        ({"names": "Host"}, 'names: a list is wanted, not "Host"'),
        ({"names": ["a", "b", "c"]}, "names: 3 names for 4 seats"),
        ({"names": ["a", "b", "c", 4]}, "name 4: readable text is wanted, not 4"),
        ({"names": ["a", "b", "c\u0000", "d"]}, r'name 3: readable text is wanted, not "c\u0000"'),
        ({"names": ["a", "\ud800", "c", "d"]}, r'name 2: readable text is wanted, not "\ud800"'),
        ({"deals": {}}, "deals: a list is wanted, not an object"),
        ({"deals": [[]]}, "deal 1: an object is wanted, not a list"),
        ({"deal_pack": None}, 'deal 1: the key "pack" is missing'),
        ({"deal_hands": []}, 'deal 1: unknown key "hands"'),
        ({"deal_dealer": -1}, "deal 1: There is no such seat to deal."),
        ({"deal_dealer": False}, "deal 1, dealer: a number is wanted, not false"),
        ({"deal_pack": list(PACK)}, "deal 1, pack: readable text is wanted, not a list"),
        ({"deal_pack": "  ".join(PACK)}, "deal 1: The pack is not the 52 cards, each once."),
        ({"deal_pack": " ".join(PACK[1:])}, "deal 1: The pack is not the 52 cards, each once."),
        ({"deal_pack": " ".join(PACK).lower()}, "deal 1: The pack is not the 52 cards, each once."),
        ({"deal_plays": "7C"}, 'deal 1, plays: a list is wanted, not "7C"'),
        ({"deal_plays": [7]}, "deal 1, play 1: readable text is wanted, not 7"),
        ({"deal_plays": ["pass"]}, "deal 1, play 1: There is no such play in this game."),
        ({"deal_plays": [""]}, "deal 1, play 1: There is no such play in this game."),
        ({"deal_salt": "ab"}, "deal 1, salt: 64 lower-case hex digits are wanted"),
        ({"deal_salt": "AB" * 32}, "deal 1, salt: 64 lower-case hex digits are wanted"),
        ({"deal_salt": 7}, "deal 1, salt: readable text is wanted, not 7"),
        ({"deal_commitment": "0" * 65}, "deal 1, commitment: 64 lower-case hex digits are wanted"),
        ({"deal_conceded": 0}, "deal 1, conceded: a list is wanted, not 0"),
        ({"deal_conceded": [0]}, "deal 1, conceded: 2 numbers are wanted, not 1"),
        ({"deal_conceded": [0, 2]}, "deal 1, side 2: 0 or 1 is wanted, not 2"),
        ({"deal_conceded": [0, True]}, "deal 1, side 2: a number is wanted, not true"),
        ({"result": "win"}, 'result: an object is wanted, not "win"'),
        ({"result": {"outcome": "win"}}, 'result: the key "score" is missing'),
        ({"result": {"outcome": "win", "score": [True]}}, "result, score 1: a number is wanted"),
        ({"result": {"outcome": "win", "score": [], "by": 1}}, 'result: unknown key "by"'),
    ],
)
def test_a_record_of_the_wrong_shape(values, words):
    assert fault(changed(WHOLE, **values)).startswith(words)


def test_what_may_be_missing_may_also_be_there():
    record = changed(
        WHOLE, engine=1, names=["Äiti", "👩‍👧", "", "שרה"], deal_conceded=[0, 0], deal_salt=SALT
    )
    assert check(parse(json.dumps(record))) == check(parse(json.dumps(WHOLE)))
    assert parse(json.dumps(record)) == parse(json.dumps(record, ensure_ascii=False).encode())


def test_a_written_record_has_the_keys_in_the_order_of_the_format():
    deal = Deal(0, PACK, (), conceded=(0, 0), salt=SALT, commitment=commitment(SALT, PACK))
    record = Record("ristikontra", {}, 4, (deal,), engine=1, names=("a", "b", "c", "d"))
    text = dumps(dataclasses.replace(record, result=LEFT["result"]))
    written = json.loads(text)
    assert " ".join(written) == "format game options seats engine names deals result"
    assert " ".join(written["deals"][0]) == "dealer pack plays conceded salt commitment"
    assert "\n" not in text


# --- Anything at all --------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def read(text):
    """Read and check a text: right, or wrong in words, and nothing else."""
    try:
        check(parse(text))
    except WrongRecord as wrong:
        assert str(wrong)


@given(
    JSON | st.builds(lambda one: {**LEFT, **one}, st.dictionaries(st.sampled_from([*LEFT]), JSON))
)
@settings(deadline=None)
def test_any_json_is_answered_in_words(value):
    read(json.dumps(value))


@given(st.text() | st.binary())
@settings(deadline=None)
def test_any_text_is_answered_in_words(text):
    read(text)


@given(st.data())
@settings(deadline=None)
def test_a_record_changed_anywhere_is_answered_in_words(data):
    record = deepcopy(LEFT)
    owner = record
    while True:
        keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if isinstance(owner[key], dict | list) and data.draw(st.booleans()):
            owner = owner[key]
            continue
        owner[key] = data.draw(JSON | st.sampled_from([*PACK, "dark", 0, 1, 2, 3, 4]))
        break
    read(json.dumps(record))


@given(st.integers(0), st.integers(0, 9), st.binary(max_size=9))
@settings(deadline=None)
def test_a_text_changed_anywhere_is_answered_in_words(at, removed, added):
    text = json.dumps(LEFT).encode()
    at %= len(text)
    read(text[:at] + added + text[at + removed :])


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))
HEX = st.text("0123456789abcdef", min_size=64, max_size=64)
FLAGS = st.lists(st.integers(0, 1)).map(tuple)
DEALS = st.builds(
    Deal,
    dealer=st.integers(-9, 9),
    pack=st.permutations(PACK).map(tuple),
    plays=st.lists(NAMES).map(tuple),
    conceded=st.none() | FLAGS,
    salt=st.none() | HEX,
    commitment=st.none() | HEX,
)
RESULTS = st.fixed_dictionaries(
    {"outcome": NAMES, "score": st.lists(st.integers(-999, 999))},
    optional={"winner": st.integers(0, 9), "reason": NAMES},
)
ANY_RECORD = st.builds(
    Record,
    game=NAMES,
    options=st.dictionaries(NAMES, NAMES | st.integers(-999, 999)),
    seats=st.integers(-9, 9),
    deals=st.lists(DEALS, max_size=3).map(tuple),
    engine=st.none() | st.integers(0, 9),
    names=st.none() | st.lists(NAMES).map(tuple),
    result=st.none() | RESULTS,
)


@given(ANY_RECORD)
@settings(deadline=None)
def test_whatever_is_written_is_read_the_same(record):
    text = dumps(record)
    assert parse(text) == parse(text.encode()) == record
    assert text.splitlines() == [text]
