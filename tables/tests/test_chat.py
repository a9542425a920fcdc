"""What is said at a table: once, in order, harmless, at every moment (CASES 12, 27, 29, 30)."""

from __future__ import annotations

import json
import random
import re
import threading
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Q
from hypothesis import example, given
from pytest_django import Settings

from game import matches
from game.models import Match
from tables import live, lobby, people, reading
from tables.models import Line, Seat
from tables.models import Table as TableRow
from tables.tests.seats import (
    NAMES,
    Client,
    Table,
    all_connected,
    connected,
    db,
    drop_all,
    eventually,
    full_table,
    open_table,
    quiet,
    run,
    won_table,
)
from tables.tests.test_lobby import MOMENTS, refusal
from tables.tests.test_people import ANYTHING, NASTY
from tables.words import REFUSALS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]


def texts(lines: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in lines]


def hide(table: Table, number: int) -> None:
    """As a moderator does: the line's last change is the table's newest."""
    changed = matches.count_line(table.match, Q())
    hidden = Line.objects.filter(table__code=table.code, number=number)
    assert hidden.update(hidden=True, changed=changed) == 1
    live.ring(table.code)


# ---- when ----------------------------------------------------------------------------------------


def second_waiting() -> Table:
    """A second match that waits for a seat that was freed."""
    table = won_table()
    table.agree("again", 0, 1, 2)
    table.turn_over(3)
    assert (table.at().sitting, table.at().status) == (2, "waiting")
    return table


def second_playing() -> Table:
    table = won_table()
    table.agree("again", 0, 1, 2, 3)
    assert (table.at().sitting, table.at().status) == (2, "playing")
    return table


TALKING: dict[str, Callable[[], Table]] = {
    **{name: make for name, make in MOMENTS.items() if name != "gone"},
    "alone": open_table,
    "second waiting": second_waiting,
    "second playing": second_playing,
}


@pytest.mark.parametrize("moment", TALKING)
def test_there_is_talk_at_every_moment_and_it_moves_nothing(moment: str) -> None:
    """Before the first deal, during, after the end, after "again"; neither version nor ply move."""
    table = TALKING[moment]()
    before = table.at()
    table.say(0, "Hello!")
    now = table.at()
    assert (now.version, now.ply, now.status) == (before.version, before.ply, before.status)
    assert now.said == before.said + 1
    [line] = table.lines(since=before.said)
    assert re.fullmatch(r"[-0-9]{10}T[:0-9]{8}\+00:00", line.pop("at"))
    assert line == {"n": before.said + 1, "seat": 0, "name": NAMES[0], "text": "Hello!"}


def test_nobody_talks_at_a_table_that_is_gone() -> None:
    table = full_table()
    place = table.place(0)
    TableRow.objects.filter(code=table.code).delete()
    assert refusal(lobby.say, place, "1", "Hello?")[0] == "stale"


@pytest.mark.parametrize("holder", ["", "0" * 64])
def test_who_does_not_hold_the_seat_does_not_talk_from_it(holder: str) -> None:
    table = full_table()
    match = table.match
    assert refusal(lobby.say, lobby.Place(table.code, match, 1, holder), "1", "Hi")[0] == "stale"
    other = table.at().seats[2].holder
    assert refusal(lobby.say, lobby.Place(table.code, match, 1, other), "1", "Hi")[0] == "stale"


def test_numbers_go_on_through_the_next_match() -> None:
    table = won_table()
    table.say(0, "Well played")
    table.agree("again", 0, 1, 2, 3)
    table.say(1, "You too")
    assert [line["n"] for line in table.lines()] == [1, 2]
    assert table.at().said == 2


def test_a_line_keeps_the_name_its_speaker_had() -> None:
    table = full_table()
    table.say(1, "I am Väinö")
    lobby.rename(table.place(1), "Joukahainen")
    table.say(1, "I am not")
    assert [line["name"] for line in table.lines()] == ["Väinö", "Joukahainen"]


def test_a_line_of_somebody_without_a_name_has_none() -> None:
    table = open_table("")
    table.say(0, "Anybody there?")
    assert table.lines()[0]["name"] == ""  # each page words it in its own language


def test_everybody_at_the_table_reads_everything() -> None:
    """There is no whispering: the same line to all four, but for the speaker's own name of it."""
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[2].say(type="say", id="x1", text="Dark!")
        for client in clients:
            await client.hears(1)
        told = [dict(client.lines[0]) for client in clients]
        assert told[2].pop("id") == "x1"
        assert all(line == told[0] for line in told)
        assert [await client.waiting() for client in clients] == [[], [], [], []]
        await drop_all(clients)

    run(scenario)


# ---- once and in order (CASE 29) -----------------------------------------------------------------


def test_who_comes_is_told_what_was_said_before() -> None:
    table = full_table()
    for number in range(5):
        table.say(number % 4, f"line {number}")

    async def scenario() -> None:
        client = await connected(table, 1)
        await client.hears(5)
        assert texts(client.lines) == [f"line {number}" for number in range(5)]
        assert [line.get("id") is not None for line in client.lines] == [
            False,
            True,
            False,
            False,
            False,
        ]
        await client.drop()

    run(scenario)


def test_a_page_that_comes_back_is_told_what_it_missed_and_no_more_case_29() -> None:
    table = full_table()
    table.say(0, "before")

    async def scenario() -> None:
        first = await connected(table, 1)
        await first.hears(1)
        await first.drop()
        await db(table.say)(0, "meanwhile")
        await db(table.say)(1, "from another tab")
        again = await connected(table, 1, said=first.said)
        await again.hears(3)
        assert texts(first.lines + again.lines) == ["before", "meanwhile", "from another tab"]
        await again.drop()
        nothing_new = await connected(table, 1, said=again.said)
        await nothing_new.say(type="ping")
        await nothing_new.expect("pong")
        assert nothing_new.lines == []
        await nothing_new.drop()

    run(scenario)


@pytest.mark.parametrize("seed", range(4))
def test_every_line_is_there_once_and_in_order_whatever_the_connection_does_case_29(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two talk while a third loses the connection again and again, in the middle of it."""
    monkeypatch.setattr(lobby, "LINES", 10**9)
    monkeypatch.setattr(live, "BURST", 1e9)
    table = full_table()
    rng = random.Random(seed)

    async def scenario() -> None:
        speakers = [await connected(table, 0), await connected(table, 2)]
        shown: list[dict[str, Any]] = []
        said = 0
        sent = 0
        while sent < 40:
            client = await connected(table, 3, said=said)
            for _ in range(rng.randrange(1, 8)):
                await rng.choice(speakers).say(type="say", id=f"l.{sent}", text=f"line {sent}")
                sent += 1
            await client.hears(rng.randrange(said, sent + 1))
            shown += client.lines
            said = client.said
            await client.drop()
        client = await connected(table, 3, said=said)
        await client.hears(sent)
        shown += client.lines
        assert [line["n"] for line in shown] == list(range(1, sent + 1))
        assert {line["text"] for line in shown} == {f"line {number}" for number in range(sent)}
        for speaker in speakers:
            await speaker.hears(sent)
            assert [line["n"] for line in speaker.lines] == list(range(1, sent + 1))
        await drop_all([client, *speakers])

    run(scenario)


def test_a_line_sent_again_is_said_once() -> None:
    """A page that has heard no answer sends it again, perhaps over another connection."""
    table = full_table()

    async def scenario() -> None:
        clients = [await connected(table, 0), await connected(table, 0), await connected(table, 1)]
        for client in (clients[0], clients[0], clients[1]):
            await client.say(type="say", id="mine", text="Hello")
        await clients[1].say(type="say", id="next", text="Again")
        for client in clients:
            await client.hears(2)
            assert texts(client.lines) == ["Hello", "Again"]
        assert [await client.waiting() for client in clients] == [[], [], []]
        await drop_all(clients)

    run(scenario)
    assert table.at().said == 2  # no number is lost to it either


def test_what_a_page_calls_its_line_is_its_own_seats_alone() -> None:
    """Two seats may call their lines the same; neither takes the other's for its own."""
    table = full_table()
    table.say(0, "zero", client="same")
    table.say(1, "one", client="same")
    table.say(0, "zero again", client="same")
    assert texts(table.lines()) == ["zero", "one"]

    async def scenario() -> None:
        clients = await all_connected(table)
        for seat, client in enumerate(clients):
            await client.hears(2)
            ids = {line["seat"]: line["id"] for line in client.lines if "id" in line}
            assert ids == ({seat: "same"} if seat < 2 else {})
        await drop_all(clients)

    run(scenario)


def test_a_line_sent_again_after_it_was_hidden_or_the_match_is_over_stays_one_line() -> None:
    table = won_table()
    table.say(0, "Oh", client="a")
    hide(table, 1)
    table.agree("again", 0, 1, 2, 3)
    table.say(0, "Oh", client="a")
    assert table.lines() == [{"n": 1, "hidden": True}]
    assert table.at().said == 2


def test_who_comes_after_very_much_was_said_is_told_the_newest() -> None:
    table = full_table()
    many = reading.LINES + 7
    row = TableRow.objects.get(code=table.code)
    Line.objects.bulk_create(
        Line(table=row, number=n, changed=n, seat=n % 4, text=f"line {n}", client=f"c{n}")
        for n in range(1, many + 1)
    )
    Match.objects.filter(pk=table.match).update(said=many)

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.hears(many)
        assert [line["n"] for line in client.lines] == list(range(8, many + 1))
        assert [json.loads(text)["missed"] for text in client.asides if '"missed"' in text] == [
            True
        ]
        await client.drop()
        for said, missed in ((7, False), (6, True)):  # a page that was away for so many
            client = await connected(table, 0, said=said)
            await client.hears(many)
            assert len(client.lines) == reading.LINES
            assert any('"missed"' in text for text in client.asides) == missed
            await client.drop()

    run(scenario)


def test_very_much_is_told_in_several_messages_none_too_large_for_the_server() -> None:
    """Daphne sends no message that is larger than those it takes."""
    table = full_table()
    row = TableRow.objects.get(code=table.code)
    Line.objects.bulk_create(
        Line(table=row, number=n, changed=n, seat=n % 4, text="ä" * 300, client=f"c{n}")
        for n in range(1, reading.LINES + 1)
    )
    Match.objects.filter(pk=table.match).update(said=reading.LINES)

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.hears(reading.LINES)
        assert [line["n"] for line in client.lines] == list(range(1, reading.LINES + 1))
        messages = [json.loads(text) for text in client.asides if '"lines"' in text]
        assert len(messages) > 5
        assert max(len(text.encode()) for text in client.asides) < 16_384
        assert [one.get("more", False) for one in messages] == [True] * (len(messages) - 1) + [
            False
        ]
        for one in messages:
            assert one["said"] == one["lines"][-1]["n"]
        await client.drop()

    run(scenario)


def test_a_line_said_as_the_next_match_opens_is_refused_and_said_again() -> None:
    """The page was at the match before; it is told, and its line is taken then."""
    table = won_table()
    before = table.place(1)
    table.agree("again", 0, 1, 2, 3)
    assert refusal(lobby.say, before, "1", "Wait!")[0] == "stale"
    lobby.say(table.place(1), "1", "Wait!")
    assert texts(table.lines()) == ["Wait!"]


# ---- lines that get lost on the way (CASE 12) ----------------------------------------------------


def test_a_lost_ring_for_a_line_is_made_good_by_the_pulse_case_12(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.TABLES_PULSE = 0.02
    monkeypatch.setattr(live, "ring", lambda code: None)
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[0].say(type="say", id="1", text="Is anybody there?")
        for client in clients:
            await client.hears(1)
            assert len(client.lines) == 1
        await drop_all(clients)

    run(scenario)


def test_a_lost_message_with_lines_is_noticed_by_a_pong_and_asked_for_case_12() -> None:
    """The page has 2 of 4, the server thinks it has all: the pong tells, sync brings the rest."""
    table = full_table()
    for number in range(1, 5):
        table.say(0, f"line {number}")

    async def scenario() -> None:
        client = await connected(table, 1)
        await client.hears(4)
        await client.say(type="ping")
        assert (await client.expect("pong"))["said"] == 4
        client.lines.clear()
        client.said = 2
        await client.say(type="sync", said=2)
        await client.hears(4)
        assert texts(client.lines) == ["line 3", "line 4"]
        await client.expect("snapshot")
        await client.say(type="sync")  # which asks for no lines
        await client.expect("snapshot")
        await client.say(type="ping")
        assert (await client.expect("pong"))["said"] == 4
        assert len(client.lines) == 2
        await client.drop()

    run(scenario)


def test_lines_asked_for_again_are_not_lost_to_a_delivery_under_way_case_12(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A delivery has read the newest line when a page asks for older ones: it gets them all."""
    table = full_table()
    for number in range(1, 4):
        table.say(0, f"line {number}")
    reached, opened = threading.Event(), threading.Event()
    honest = reading.lines

    def slow(code: str, since: int) -> Any:
        if since == 3 and not reached.is_set():
            reached.set()
            assert opened.wait(30)
        return honest(code, since)

    async def scenario() -> None:
        client = await connected(table, 1)
        await client.hears(3)
        client.lines.clear()
        client.said = 1
        monkeypatch.setattr(live, "lines", slow)
        try:
            await db(table.say)(0, "line 4")
            await eventually(reached.is_set)
            await client.say(type="sync", said=1)
            pong: dict[str, Any] = {}
            while pong.get("said") != 1:  # until the page's question has been taken up
                await client.say(type="ping")
                pong = await client.expect("pong")
        finally:
            opened.set()
        await client.hears(4)
        assert texts(client.lines) == ["line 2", "line 3", "line 4"]
        await client.drop()

    run(scenario)


# ---- hidden lines (CASE 30) ----------------------------------------------------------------------


def test_a_hidden_line_is_told_as_hidden_to_who_has_it_and_who_comes_case_30() -> None:
    table = full_table()
    for text in ("Hello", "something bad", "Well, well"):
        table.say(1, text)

    async def scenario() -> None:
        there = await connected(table, 0)
        await there.hears(3)
        await db(hide)(table, 2)
        await there.hears(4)
        assert there.lines[3:] == [{"n": 2, "hidden": True}]
        late = await connected(table, 2)
        await late.hears(4)
        assert [(line["n"], line.get("text")) for line in late.lines] == [
            (1, "Hello"),
            (3, "Well, well"),
            (2, None),
        ]
        speaker = await connected(table, 1)
        await speaker.hears(4)
        hidden = {"n": 2, "hidden": True}
        assert hidden.items() <= speaker.lines[-1].items()
        assert set(speaker.lines[-1]) <= {"n", "hidden", "id"}
        assert not any("something bad" in aside for aside in late.asides + speaker.asides)
        await drop_all([there, late, speaker])

    run(scenario)


# ---- harmless whatever it says (CASE 27) ---------------------------------------------------------

FAMILY = "👩‍👩‍👧‍👦"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Hei!", "Hei!"),
        ("  two   words ", "two words"),
        ("<script>alert('x')</script> & <b>co</b>", "<script>alert('x')</script> & <b>co</b>"),
        ("\u202eevil\u202c \u2066iso\u2069\u200f", "evil iso"),
        ("Z\u0335\u0335\u0335\u0335\u0335algo", "Z\u0335\u0335algo"),
        ("a\ud800b", "ab"),
        ("a\udc00\ud800", "a"),
        ("nul\x00l \x07\x1b[31m", "null [31m"),
        ("one\ntwo\r\nthree\tfour\u2028five", "one two three four five"),
        (f"our {FAMILY}!", f"our {FAMILY}!"),
        ("\u200d\u200dx\u200d", "x"),
        ("🦊\u200d\u200d🐻", "🦊\u200d🐻"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("हिन्दी ที่นี่ 日本語 אבג", "हिन्दी ที่นี่ 日本語 אבג"),
        ("Va\u0308ino\u0308", "Väinö"),
        ("https://example.org/?a=b", "https://example.org/?a=b"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("7H", "7H"),  # what people say of their own cards is theirs to say
        ("x" * 300, "x" * 300),
        ("🦊" * 300, "🦊" * 300),
        ("x" * 300 + " " * 50, "x" * 300),
    ],
)
def test_a_line_is_made_harmless_and_said_case_27(said: str, told: str) -> None:
    table = full_table()

    async def scenario() -> None:
        clients = [await connected(table, 0), await connected(table, 1)]
        await clients[0].say_text(
            '{"type":"say","id":"1","text":' + _escaped_where_it_must_be(said) + "}"
        )
        for client in clients:
            await client.hears(1)
            assert texts(client.lines) == [told]
            await client.say(type="ping")
            await client.expect("pong")
        await drop_all(clients)

    run(scenario)


def _escaped_where_it_must_be(text: str) -> str:
    """JSON as a browser writes it."""
    whole = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in whole)


@pytest.mark.parametrize(
    "text", ["", " ", "\u200d", "\x00\x07", "\u202e", "\ud800", "\n", "\u0301"]
)
def test_nothing_is_not_said_case_27(text: str) -> None:
    table = full_table()
    assert refusal(lobby.say, table.place(0), "1", text) == ("empty", {})
    assert table.at().said == 0


@pytest.mark.parametrize("letter", ["x", "🦊", "ä"])
def test_a_line_has_three_hundred_characters_at_most(letter: str) -> None:
    table = full_table()
    table.say(0, letter * people.LINE_LENGTH)
    assert refusal(lobby.say, table.place(0), "2", letter * 301) == ("too-long", {"most": 300})
    assert str(REFUSALS["too-long"]) % {"most": 300} == "A line has 300 characters at most."


def test_a_refused_line_is_answered_with_what_its_page_calls_it() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = [await connected(table, 0), await connected(table, 1)]
        for id, text, code in [("a", "x" * 301, "too-long"), ("b", " \u200d ", "empty")]:
            await clients[0].say(type="say", id=id, text=text)
            refused = await clients[0].expect("refused")
            assert (refused["of"], refused["code"]) == ("say", code)
            assert refused["facts"]["id"] == id
        await clients[0].say(type="say", id="c", text="x" * 3_000)  # longer than any message
        refused = await clients[0].expect("refused")
        assert (refused["of"], refused["code"]) == ("message", "request")
        assert await clients[1].waiting() == []
        assert clients[1].lines == []
        await drop_all(clients)

    run(scenario)


@given(ANYTHING | NASTY)
@example("a\u0315\u0315\u200d\u0315\u0315\u200d\u0315")
@example("\u200d \u200d")
@example("x \u200d\u0301")
@example(FAMILY)
def test_any_text_ends_as_one_harmless_line_case_27(text: str) -> None:
    line = people.clean_line(text)
    assert line == " ".join(line.split())
    joined = line.replace(people.JOINER, "")
    assert not any(unicodedata.category(letter)[0] == "C" for letter in joined)
    line.encode()  # no lone surrogates
    assert people.JOINER * 2 not in line
    marks = "".join(
        "m" if unicodedata.category(letter) in ("Mn", "Me") else letter if letter == " " else "a"
        for letter in joined
    )
    assert "m" * (people.MARKS + 1) not in marks
    assert not marks.startswith("m")
    assert people.clean_line(line) == line


# ---- too fast ------------------------------------------------------------------------------------


def test_a_flood_of_lines_is_refused_in_words_seat_by_seat_and_closes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two tabs of a seat have one allowance; the others' is not touched."""
    monkeypatch.setattr(live, "BURST", 1e9)
    table = full_table()

    async def scenario() -> None:
        tabs, other = [await connected(table, 0) for _ in range(2)], await connected(table, 1)
        for number in range(lobby.LINES):
            await tabs[number % 2].say(type="say", id=f"l{number}", text=f"line {number}")
        for tab in tabs:
            await tab.hears(lobby.LINES)
            await tab.say(type="say", id="more", text="one more")
            refused = await tab.expect("refused")
            assert refused == {
                "type": "refused",
                "of": "say",
                "code": "chat-too-fast",
                "facts": {"seconds": lobby.SECONDS, "id": "more"},
            }
        await tabs[0].say(type="say", id="l0", text="line 0")  # said already, so it is no flood
        await tabs[0].play("dark", 1)
        assert (await tabs[0].expect("snapshot"))["ply"] == 2
        await other.say(type="say", id="1", text="Calm down")
        for client in (*tabs, other):
            await client.hears(lobby.LINES + 1)
            assert len(client.lines) == lobby.LINES + 1
        await drop_all([*tabs, other])

    run(scenario)
    assert "few seconds" in str(REFUSALS["chat-too-fast"])


def test_who_has_waited_may_talk_again() -> None:
    table = full_table()
    for number in range(lobby.LINES):
        table.say(0, f"line {number}")
    assert refusal(lobby.say, table.place(0), "more", "more")[0] == "chat-too-fast"
    oldest = Line.objects.filter(table__code=table.code).order_by("number")[0]
    Line.objects.filter(pk=oldest.pk).update(
        created=oldest.created - timedelta(seconds=lobby.SECONDS)
    )
    lobby.say(table.place(0), "more", "more")
    assert table.at().said == lobby.LINES + 1


def test_notices_are_not_counted_as_anybodys_lines() -> None:
    table = full_table()
    seat = Seat.objects.select_related("table").get(table__code=table.code, index=0)
    for _ in range(lobby.LINES):
        with transaction.atomic():
            lobby._notice(seat.table, seat, "taken")
    table.say(0, "I have said nothing yet")


# ---- words only ----------------------------------------------------------------------------------


def test_what_is_said_stands_in_no_page_and_no_log(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Lines go over the socket alone, as text for elements to be made of."""
    table = full_table()
    client.cookies["sessionid"] = table.cookie(0)
    with caplog.at_level("DEBUG", logger="tables"):
        table.say(1, "<i>palindrome</i>")
        page = client.get(f"/tables/{table.code}/").content.decode()
    assert "palindrome" not in page
    assert "palindrome" not in caplog.text


def test_talk_is_no_news_for_the_table_itself() -> None:
    """A line brings no snapshot: nothing on the felt moves by it."""
    table = full_table()

    async def scenario() -> None:
        clients: list[Client] = await all_connected(table)
        await clients[0].say(type="say", id="1", text="Hm")
        for client in clients:
            await client.hears(1)
        await quiet()
        assert [await client.waiting() for client in clients] == [[], [], [], []]
        assert {len(client.frames) for client in clients} == {1}
        await drop_all(clients)

    run(scenario)
