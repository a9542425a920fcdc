"""What a client may say, and that everything else is a ValueError and nothing worse (CASE 27)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tables import people
from tables.protocol import (
    AGREEMENT,
    CLIENT,
    LARGEST,
    NAMES,
    VERSION,
    Agree,
    CloseCode,
    Concede,
    NextDeal,
    Pause,
    Ping,
    Play,
    Rename,
    Say,
    Sync,
    encode,
    parse,
    parse_query,
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"type":"play","ply":17,"code":"7H"}', Play(17, "7H")),
        ('{"type":"play","ply":17,"code":"dark"}', Play(17, "dark")),
        ('{"type":"play","ply":0,"code":"pantti"}', Play(0, "pantti")),
        ('{"code":"stop","ply":1,"type":"play"}', Play(1, "stop")),
        (' {"type" : "play", "ply" : -1,\n"code" : "7H"} ', Play(-1, "7H")),
        ('{"type":"play","ply":999999999999999,"code":"7H"}', Play(10**15 - 1, "7H")),
        ('{"type":"play","ply":1,"code":"not-a-card"}', Play(1, "not-a-card")),
        ('{"type":"deal","ply":53}', NextDeal(53)),
        ('{"type":"concede","ply":54}', Concede(54)),
        ('{"type":"ping"}', Ping()),
        ('{"type":"sync"}', Sync()),
        ('{"type":"s\\u0079nc"}', Sync()),
        ('{"type":"sync","said":0}', Sync(0)),
        ('{"type":"sync","said":12}', Sync(12)),
        ('{"type":"say","id":"m1.x_-Z","text":"Hei!"}', Say("m1.x_-Z", "Hei!")),
        ('{"type":"say","id":"1","text":""}', Say("1", "")),
        ('{"type":"say","id":"1","text":"\\ud83e\\udd8a"}', Say("1", "🦊")),
        ('{"type":"say","id":"1","text":"a\\u0000\\ud800b"}', Say("1", "a\x00\ud800b")),
        ('{"type":"rename","name":"Aino"}', Rename("Aino")),
        ('{"type":"rename","name":""}', Rename("")),
        ('{"type":"pause","on":true}', Pause(True)),
        ('{"type":"pause","on":false}', Pause(False)),
        ('{"type":"agree","to":"again"}', Agree("again")),
        ('{"type":"agree","to":"reissue:3"}', Agree("reissue:3")),
        ('{"type":"agree","to":""}', Agree("")),
    ],
)
def test_every_message_is_read(text: str, command: object) -> None:
    assert parse(text) == command


MALFORMED = {
    "nothing": None,
    "empty": "",
    "blank": "  ",
    "no JSON": "play 7H",
    "half": '{"type":"ping"',
    "two": '{"type":"ping"}{"type":"ping"}',
    "trailing comma": '{"type":"ping",}',
    "comment": '{"type":"ping"} // hello',
    "single quotes": "{'type':'ping'}",
    "byte order mark": '\ufeff{"type":"ping"}',
    "null": "null",
    "true": "true",
    "number": "7",
    "text": '"ping"',
    "list": '["ping"]',
    "list of a message": '[{"type":"ping"}]',
    "empty object": "{}",
    "no type": '{"ply":1,"code":"7H"}',
    "unknown type": '{"type":"leave"}',
    "another's type": '{"type":"snapshot"}',
    "type in capitals": '{"type":"PING"}',
    "type a number": '{"type":1}',
    "type a list": '{"type":["ping"]}',
    "type an object": '{"type":{"type":"ping"}}',
    "type null": '{"type":null}',
    "one key more": '{"type":"ping","now":1}',
    "one key more in a play": '{"type":"play","ply":1,"code":"7H","seat":2}',
    "one key more in a deal": '{"type":"deal","ply":1,"code":"7H"}',
    "one key more in a sync": '{"type":"sync","ply":1}',
    "prototype": '{"type":"ping","__proto__":{}}',
    "play without ply": '{"type":"play","code":"7H"}',
    "play without code": '{"type":"play","ply":1}',
    "deal without ply": '{"type":"deal"}',
    "ply true": '{"type":"play","ply":true,"code":"7H"}',
    "ply false": '{"type":"deal","ply":false}',
    "ply null": '{"type":"deal","ply":null}',
    "ply text": '{"type":"deal","ply":"1"}',
    "ply with a point": '{"type":"deal","ply":1.0}',
    "ply with an exponent": '{"type":"deal","ply":1e3}',
    "ply endless": '{"type":"deal","ply":1e999}',
    "ply list": '{"type":"deal","ply":[1]}',
    "ply with a zero before": '{"type":"deal","ply":01}',
    "ply with a plus": '{"type":"deal","ply":+1}',
    "ply hexadecimal": '{"type":"deal","ply":0x10}',
    "ply in other digits": '{"type":"deal","ply":١٢}',
    "16 digits": '{"type":"deal","ply":1000000000000000}',
    "1,900 digits": '{"type":"deal","ply":' + "9" * 1_900 + "}",
    "5,000 digits": '{"type":"deal","ply":' + "9" * 5_000 + "}",
    "5,000 digits below zero": '{"type":"deal","ply":-' + "9" * 5_000 + "}",
    "5,000 decimals": '{"type":"deal","ply":0.' + "9" * 5_000 + "}",
    "NaN": '{"type":"deal","ply":NaN}',
    "NaN alone": "NaN",
    "Infinity": '{"type":"deal","ply":Infinity}',
    "-Infinity": '{"type":"deal","ply":-Infinity}',
    "code a number": '{"type":"play","ply":1,"code":7}',
    "code null": '{"type":"play","ply":1,"code":null}',
    "code a list": '{"type":"play","ply":1,"code":["7H"]}',
    "code empty": '{"type":"play","ply":1,"code":""}',
    "code too long": '{"type":"play","ply":1,"code":"' + "7" * 17 + '"}',
    "code with an umlaut": '{"type":"play","ply":1,"code":"Ä"}',
    "code with NUL": '{"type":"play","ply":1,"code":"7\\u0000H"}',
    "code with a line break": '{"type":"play","ply":1,"code":"7H\\n"}',
    "code with a lone surrogate": '{"type":"play","ply":1,"code":"\\ud800"}',
    "code with half a pair": '{"type":"play","ply":1,"code":"\\udc00\\ud800"}',
    "code turned round": '{"type":"play","ply":1,"code":"\\u202eH7"}',
    "code two plays": '{"type":"play","ply":1,"code":"7H\\t8H"}',
    "type a lone surrogate": '{"type":"\\ud800"}',
    "key a lone surrogate": '{"type":"ping","\\ud800":1}',
    "raw NUL": '{"type":"ping"}\x00',
    "raw NUL inside": '{"type":"pi\x00ng"}',
    "raw lone surrogate": '{"type":"\ud800"}',
    "type twice": '{"type":"play","type":"ping"}',
    "type twice alike": '{"type":"ping","type":"ping"}',
    "ply twice": '{"type":"play","ply":1,"ply":2,"code":"7H"}',
    "code twice": '{"type":"play","ply":1,"code":"7H","code":"8H"}',
    "key twice, once escaped": '{"type":"ping","t\\u0079pe":"ping"}',
    "one key more in a line": '{"type":"say","id":"1","text":"Hei","to":2}',
    "line without id": '{"type":"say","text":"Hei"}',
    "line without text": '{"type":"say","id":"1"}',
    "line id empty": '{"type":"say","id":"","text":"Hei"}',
    "line id too long": '{"type":"say","id":"' + "x" * 41 + '","text":"Hei"}',
    "line id a number": '{"type":"say","id":1,"text":"Hei"}',
    "line id with a colon, as notices have it": '{"type":"say","id":"taken:1","text":"Hei"}',
    "line id in other letters": '{"type":"say","id":"ä","text":"Hei"}',
    "line id with a line break": '{"type":"say","id":"1\\n","text":"Hei"}',
    "line id a lone surrogate": '{"type":"say","id":"\\ud800","text":"Hei"}',
    "line text a number": '{"type":"say","id":"1","text":1}',
    "line text null": '{"type":"say","id":"1","text":null}',
    "sync below zero": '{"type":"sync","said":-1}',
    "sync true": '{"type":"sync","said":true}',
    "sync null": '{"type":"sync","said":null}',
    "sync text": '{"type":"sync","said":"1"}',
    "name a number": '{"type":"rename","name":1}',
    "name null": '{"type":"rename","name":null}',
    "rename another": '{"type":"rename","name":"Aino","seat":1}',
    "pause a number": '{"type":"pause","on":1}',
    "pause text": '{"type":"pause","on":"true"}',
    "pause without": '{"type":"pause"}',
    "agree to something else": '{"type":"agree","to":"leave"}',
    "agree in capitals": '{"type":"agree","to":"AGAIN"}',
    "agree to a seat of two digits": '{"type":"agree","to":"reissue:10"}',
    "agree to a seat below zero": '{"type":"agree","to":"reissue:-1"}',
    "agree to no seat": '{"type":"agree","to":"reissue:"}',
    "agree to a seat in other digits": '{"type":"agree","to":"reissue:١"}',
    "agree with a line break": '{"type":"agree","to":"again\\n"}',
    "agree null": '{"type":"agree","to":null}',
    "agree for another": '{"type":"agree","to":"again","seat":1}',
    "doubled deep inside": '{"type":"ping","a":{"b":1,"b":2}}',
    "too long": '{"type":"ping"}' + " " * LARGEST,
    "much too long": "x" * 1_000_000,
    "deep lists": "[" * (LARGEST - 1),
    "deep closed lists": "[" * 1_000 + "]" * 1_000,
    "deep objects": '{"a":' * 400,
    "deep inside": '{"type":"deal","ply":' + "[" * 900 + "]" * 900 + "}",
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_everything_else_is_a_value_error(text: str | None) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_the_longest_message_is_read_and_one_letter_more_is_not() -> None:
    text = '{"type":"ping"}'.ljust(LARGEST)
    assert parse(text) == Ping()
    with pytest.raises(ValueError, match="size"):
        parse(text + " ")


def test_a_refused_message_is_not_repeated_in_the_error() -> None:
    """Errors may be logged; what a client sent may hold a card (CASE 23)."""
    for text in ('{"type":"play","ply":true,"code":"7H"}', '{"type":"7H"}', "7H", '{"7H":7H}'):
        with pytest.raises(ValueError) as error:
            parse(text)
        assert "7H" not in str(error.value)


def reads_or_refuses(text: str | None) -> None:
    """Parse gives a command or a ValueError; whatever else it raises fails the test."""
    try:
        command = parse(text)
    except ValueError:
        return
    assert type(command) in NAMES
    if isinstance(command, Say):
        assert CLIENT.fullmatch(command.id)
    if isinstance(command, Agree):
        assert AGREEMENT.fullmatch(command.to)
    if isinstance(command, Pause):
        assert type(command.on) is bool
    if isinstance(command, Sync) and command.said is not None:
        assert type(command.said) is int
        assert command.said >= 0
    if isinstance(command, Play):
        assert type(command.ply) is int
        assert re.fullmatch(r"[ -~]{1,16}", command.code)
    if isinstance(command, NextDeal):
        assert type(command.ply) is int


@given(st.none() | st.text(st.characters(), max_size=200))
@example("\ud800")
@example("[" * LARGEST)
@example('{"":' * 500)
def test_no_text_raises_anything_but_a_value_error(text: str | None) -> None:
    reads_or_refuses(text)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**13, 10**17)
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(["7H", "dark", *NAMES.values(), "again", "reissue:1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
NEAR_MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(list(NAMES.values())) | VALUES},
    optional=dict.fromkeys(
        ("ply", "code", "seat", "said", "id", "text", "name", "on", "to"), VALUES
    ),
)


@given(VALUES | NEAR_MESSAGES, st.booleans())
def test_no_json_raises_anything_but_a_value_error(data: Any, ascii_only: bool) -> None:
    reads_or_refuses(json.dumps(data, ensure_ascii=ascii_only))


@given(st.data())
def test_no_damaged_message_raises_anything_but_a_value_error(data: st.DataObject) -> None:
    text = data.draw(
        st.sampled_from(
            [
                '{"type":"play","ply":17,"code":"7H"}',
                '{"type":"deal","ply":53}',
                '{"type":"say","id":"m.1","text":"Hei"}',
                '{"type":"agree","to":"reissue:2"}',
                '{"type":"sync","said":7}',
            ]
        )
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        put = data.draw(st.text(st.characters() | st.sampled_from('{}[]",:0-e.\\'), max_size=3))
        text = text[:at] + put + text[at + cut :]
    reads_or_refuses(text)


PRINTABLE = st.characters(min_codepoint=32, max_codepoint=126)


@given(st.integers(-(10**13), 10**15 - 1), st.text(PRINTABLE, min_size=1, max_size=16))
def test_what_is_said_properly_is_read(ply: int, code: str) -> None:
    assert parse(json.dumps({"type": "play", "ply": ply, "code": code})) == Play(ply, code)
    assert parse(json.dumps({"type": "deal", "ply": ply})) == NextDeal(ply)


@given(st.text(st.characters(), max_size=150))
def test_any_text_may_be_said_and_any_name_asked_for(text: str) -> None:
    """What is wrong with it is told in words, by whoever reads it."""
    assert parse(json.dumps({"type": "say", "id": "1", "text": text})) == Say("1", text)
    assert parse(json.dumps({"type": "rename", "name": text})) == Rename(text)


def test_the_longest_line_fits_into_a_message_whatever_its_letters() -> None:
    """As a browser writes it, which escapes no letters but quotes and controls."""
    for letter in ("n", "ä", "🦊", '"'):
        line = {"type": "say", "id": "x" * 40, "text": letter * people.LINE_LENGTH}
        assert isinstance(parse(json.dumps(line, ensure_ascii=False)), Say)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (b"", 0),
        (f"v={VERSION}".encode(), 0),
        (f"v={VERSION}&said=0".encode(), 0),
        (f"v={VERSION}&said=17".encode(), 17),
        (f"v={VERSION}&said={'9' * 15}".encode(), 10**15 - 1),
    ],
)
def test_an_address_tells_how_much_was_heard_case_29(query: bytes, said: int) -> None:
    assert parse_query(query) == said


@pytest.mark.parametrize(
    "query",
    [
        f"v={VERSION + 1}",
        f"v={VERSION + 1}&said=3",
        "said=3",
        f"v={VERSION}&said=",
        f"v={VERSION}&said=-1",
        f"v={VERSION}&said={'9' * 16}",
        f"v={VERSION}&said=3&said=4",
        f"v={VERSION}&said=١",
        f"said=3&v={VERSION}",
        "v=",
        "x",
    ],
)
def test_an_address_of_another_versions_page_is_told_apart_case_41(query: str) -> None:
    assert parse_query(query.encode()) is None


@given(st.dictionaries(st.text(st.characters()), VALUES))
def test_what_the_server_says_is_plain_ascii_on_one_line(message: dict[str, Any]) -> None:
    text = encode(message)
    assert text.isascii()
    assert "\n" not in text


def test_close_codes_are_our_own_and_different() -> None:
    codes = [code for name, code in vars(CloseCode).items() if name.isupper()]
    assert len(codes) == len(set(codes)) == 7
    assert all(4000 <= code <= 4999 for code in codes)
