"""The voice call at a table, the server's side: who is in it, what is passed on and what is not,
the switch that goes off for good, leave to use the relay, who may ask for a microphone (CASE 39).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import re
import time
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from django.core.cache import cache
from django.test import Client as Web
from django.urls import reverse
from pytest_django import Settings

from tables import ice, live, lobby, presence, protocol
from tables.checks import voice as check_voice
from tables.models import Presence
from tables.models import Table as TableRow
from tables.protocol import JoinCall, LeaveCall, Signal, VoiceOff, parse
from tables.tests.seats import (
    BROWSERS,
    PATIENCE,
    Client,
    Gate,
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
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]

TURN = "turn:turn.example.org:3478"
SECRET = "what the site and its relay share"


def voice_table() -> Table:
    """A table of four with voice, whose first deal has just been dealt."""
    table = full_table()
    TableRow.objects.filter(code=table.code).update(voice=True)
    return table


async def join(client: Client, name: str) -> dict[str, Any]:
    """A page joins the call under this name; what it is told."""
    await client.say(type="call", do="join", id=name)
    return await client.until("call", do="joined", id=name)


async def callers(client: Client, *names: str | None) -> None:
    """Wait until a page is told that these are in the call, by seat."""
    await client.beside(lambda: [seat.get("call") for seat in client.here] == list(names))


async def signal(
    client: Client, to: int, name: str, text: str = "v=0", kind: str = "offer"
) -> None:
    await client.say(type="call", do="signal", to=to, id=name, kind=kind, text=text)


async def refused(client: Client, code: str) -> None:
    assert (await client.until("refused", of="call"))["code"] == code


# ---- the messages --------------------------------------------------------------------------------


def test_the_messages_of_the_call_are_read() -> None:
    assert parse('{"type":"call","do":"join","id":"a.1"}') == JoinCall("a.1")
    assert parse('{"type":"call","do":"leave"}') == LeaveCall()
    assert parse('{"type":"call","do":"off"}') == VoiceOff()
    for kind in protocol.SIGNALS:
        text = json.dumps(
            {"type": "call", "do": "signal", "to": 2, "id": "b", "kind": kind, "text": "x\r\n"}
        )
        assert parse(text) == Signal(2, "b", kind, "x\r\n")


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"call"}',
        '{"type":"call","do":"dance"}',
        '{"type":"call","do":"join"}',
        '{"type":"call","do":"join","id":""}',
        '{"type":"call","do":"join","id":"a b"}',
        '{"type":"call","do":"join","id":7}',
        f'{{"type":"call","do":"join","id":"{"x" * 41}"}}',
        '{"type":"call","do":"join","id":"a","seat":2}',
        '{"type":"call","do":"leave","id":"a"}',
        '{"type":"call","do":"off","on":false}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"offer"}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"card","text":"x"}',
        '{"type":"call","do":"signal","to":true,"id":"b","kind":"offer","text":"x"}',
        '{"type":"call","do":"signal","to":-1,"id":"b","kind":"offer","text":"x"}',
        '{"type":"call","do":"signal","to":10,"id":"b","kind":"offer","text":"x"}',
        '{"type":"call","do":"signal","to":"2","id":"b","kind":"offer","text":"x"}',
        '{"type":"call","do":"signal","to":2,"id":"","kind":"offer","text":"x"}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"offer","text":{"sdp":"x"}}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"offer","text":"ä"}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"offer","text":"\\ud800"}',
        '{"type":"call","do":"signal","to":2,"id":"b","kind":"offer","text":"x","from":1}',
    ],
)
def test_what_is_no_message_of_the_call_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_only_a_signal_may_be_long_and_not_longer_than_a_frame() -> None:
    def long(size: int, **message: object) -> str:
        rest = json.dumps({"type": "call", "do": "signal", "to": 1, "id": "b", **message})
        return rest[:-1] + ', "kind":"offer","text":"' + "x" * (size - len(rest) - 26) + '"}'

    longest = long(protocol.LARGEST_SIGNAL)
    assert len(longest) == protocol.LARGEST_SIGNAL < 16_384
    assert isinstance(parse(longest), Signal)
    with pytest.raises(ValueError, match="size"):
        parse(long(protocol.LARGEST_SIGNAL + 1))
    with pytest.raises(ValueError, match="size"):
        parse(json.dumps({"type": "say", "id": "a", "text": "x" * protocol.LARGEST}))
    with pytest.raises(ValueError, match="size"):
        parse('{"type":"ping"' + " " * protocol.LARGEST + "}")


# ---- joining and leaving -------------------------------------------------------------------------


def test_who_joins_is_told_to_all_and_who_leaves_too() -> None:
    table = voice_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        joined = await join(clients[0], "a")
        assert joined == {
            **{"type": "call", "do": "joined", "id": "a"},
            **{"ice": [], "relay": False, "seconds": 21600},
        }
        await join(clients[2], "c")
        for client in clients:
            await callers(client, "a", None, "c", None)
        await clients[0].say(type="call", do="leave")
        for client in clients:
            await callers(client, None, None, "c", None)
        await drop_all(clients)

    run(scenario)


def test_a_page_that_connects_again_is_in_the_call_as_before_and_others_notice_nothing() -> None:
    table = voice_table()

    async def scenario() -> None:
        one, other = await connected(table, 0), await connected(table, 1)
        await join(one, "a")
        await join(other, "b")
        await callers(other, "a", "b", None, None)
        told = len(other.asides)
        await one.drop()
        one = await connected(table, 0)
        await join(one, "a")
        await signal(other, 0, "a")
        assert (await one.until("call", do="signal"))["from"] == 1
        await quiet()
        await other.waiting()
        assert len(other.asides) == told
        await drop_all([one, other])

    run(scenario)


def test_a_page_that_goes_leaves_the_call_after_a_moment(settings: Settings) -> None:
    settings.TABLES_GRACE = 0.05
    table = voice_table()

    async def scenario() -> None:
        one, tab, other = [await connected(table, seat) for seat in (0, 0, 1)]
        await join(one, "a")
        await callers(other, "a", None, None, None)
        await one.drop()  # the seat stays here by its other tab
        await callers(other, None, None, None, None)
        assert other.here[0]["here"]
        await join(tab, "b")
        await callers(other, "b", None, None, None)
        await tab.drop()
        await callers(other, None, None, None, None)
        await drop_all([other])

    run(scenario)


def test_a_page_that_goes_while_it_joins_leaves_the_call_too(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is slow, and another page of the seat stays."""
    settings.TABLES_GRACE = 0.05
    table = voice_table()
    slow = Gate(lobby.say)
    monkeypatch.setattr(lobby, "say", slow)

    async def scenario() -> None:
        clients = await all_connected(table)
        page = await connected(table, 0)
        await clients[1].say(type="say", id="1", text="Well")
        await eventually(slow.reached.is_set)
        await page.say(type="call", do="join", id="a")
        await page.say(type="ping")
        await page.expect("pong")  # the join is on its way to the database
        await page.wire.send_input({"type": "websocket.disconnect", "code": 1001})
        await eventually(lambda: live.counted() == {table.code: 4})
        slow.opened.set()
        await db(lambda: None)()  # it has come there
        async with asyncio.timeout(PATIENCE):
            while await db(Presence.objects.exclude(call="").exists)():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await page.wire.wait()
        await drop_all(clients)

    run(scenario)


def test_of_two_pages_of_a_seat_the_newer_is_in_the_call() -> None:
    table = voice_table()

    async def scenario() -> None:
        old, new, other = [await connected(table, seat) for seat in (0, 0, 1)]
        await join(old, "a")
        await join(other, "b")
        await join(new, "c")
        await callers(old, "c", "b", None, None)
        await signal(other, 0, "a")
        await refused(other, "not-in-call")
        await signal(old, 1, "b")
        await refused(old, "not-in-call")
        await signal(new, 1, "b")
        assert (await other.until("call", do="signal"))["id"] == "c"
        await drop_all([old, new, other])

    run(scenario)


def test_a_seat_that_goes_elsewhere_is_not_in_the_call_any_more() -> None:
    table = voice_table()

    async def scenario() -> None:
        one, other = await connected(table, 0), await connected(table, 1)
        await join(one, "a")
        await callers(other, "a", None, None, None)
        await db(table.move)(0, "another browser")
        assert await db(presence.callers)([table.code]) == {}
        await drop_all([one, other])

    run(scenario)


def test_a_process_that_died_holds_nobody_in_the_call() -> None:
    table = voice_table()
    for process, call in (("dead", "a"), ("mine", "b")):
        presence.arrive(process, table.code, 0)
        presence.join_call(process, table.code, 0, call)
    found = presence.callers([table.code])[table.code]
    assert {seat: one.call for seat, one in found.items()} == {0: "b"}
    presence.depart_all("mine")
    assert presence.callers([table.code]) == {}
    assert set(Presence.objects.values_list("call", flat=True)) == {""}


def test_who_joins_before_his_presence_is_kept_is_in_the_call() -> None:
    table = voice_table()
    presence.join_call("mine", table.code, 2, "c")
    assert 2 in presence.callers([table.code])[table.code]


# ---- what is passed on ---------------------------------------------------------------------------


def test_a_signal_reaches_the_one_page_it_is_for_and_no_other() -> None:
    table = voice_table()

    async def scenario() -> None:
        clients = [*await all_connected(table), await connected(table, 1)]
        for client, name in zip(clients[:3], "abc", strict=False):
            await join(client, name)
        before = [len(client.frames) for client in clients]
        await signal(clients[0], 1, "b", "v=0\r\n")
        got = await clients[1].until("call", do="signal")
        assert got == {
            **{"type": "call", "do": "signal", "from": 0, "id": "a"},
            **{"kind": "offer", "text": "v=0\r\n"},
        }
        await quiet()
        for client in clients:
            await client.waiting()
        after = [len(client.frames) for client in clients]
        assert [b - a for a, b in zip(before, after, strict=True)] == [0, 1, 0, 0, 0]
        await drop_all(clients)

    run(scenario)


def test_nothing_is_passed_on_to_or_from_who_is_not_in_the_call() -> None:
    table = voice_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await signal(clients[0], 1, "b")  # nobody is in it
        await refused(clients[0], "not-in-call")
        await join(clients[0], "a")
        await signal(clients[0], 1, "b")  # the other is not
        await refused(clients[0], "not-in-call")
        await join(clients[1], "b")
        await signal(clients[2], 1, "b")  # the speaker is not
        await refused(clients[2], "not-in-call")
        await signal(clients[0], 1, "a")  # another page's name
        await refused(clients[0], "not-in-call")
        await signal(clients[0], 0, "a")  # oneself
        await refused(clients[0], "not-in-call")
        await clients[0].say(type="call", do="leave")
        await signal(clients[0], 1, "b")
        await refused(clients[0], "not-in-call")
        assert not [one for one in await clients[1].waiting() if one.get("do") == "signal"]
        await drop_all(clients)

    run(scenario)


def test_nothing_is_passed_on_to_another_table() -> None:
    one, other = voice_table(), voice_table()

    async def scenario() -> None:
        here, there = await connected(one, 0), await connected(other, 1)
        await join(here, "a")
        await join(there, "b")
        await signal(here, 1, "b")
        await refused(here, "not-in-call")
        assert await there.waiting() == []
        await drop_all([here, there])

    run(scenario)


def test_at_a_table_without_voice_nothing_is_passed_on_case_39() -> None:
    table = full_table()

    async def scenario() -> None:
        one, other = await connected(table, 0), await connected(table, 1)
        await one.say(type="call", do="join", id="a")
        await refused(one, "voice-off")
        await db(presence.join_call)(live.PROCESS, table.code, 1, "b")
        await signal(one, 1, "b")
        await refused(one, "not-in-call")
        await quiet()
        assert await other.waiting() == []
        assert not any("call" in seat for seat in other.here)
        await drop_all([one, other])

    run(scenario)


def test_who_has_lost_the_seat_signals_nobody() -> None:
    table = voice_table()
    for seat, name in ((0, "a"), (1, "b")):
        lobby.join_call("process", table.place(seat), name)
    old = table.place(0)
    table.move(0, "another browser")
    lobby.join_call("process", table.place(0), "a")
    with pytest.raises(lobby.Refused, match="not-in-call"):
        lobby.pass_on(old, "a", Signal(1, "b", "offer", "x"))
    with pytest.raises(lobby.Refused, match="stale"):
        lobby.join_call("process", old, "c")
    lobby.pass_on(table.place(0), "a", Signal(1, "b", "offer", "x"))


# ---- limits --------------------------------------------------------------------------------------


def test_signals_have_a_rate_of_their_own_and_a_flood_of_them_closes() -> None:
    table = voice_table()

    async def scenario() -> None:
        one, other = await connected(table, 0), await connected(table, 1)
        await join(one, "a")
        await join(other, "b")
        burst = int(live.SIGNAL_BURST)
        for _ in range(burst):
            await signal(one, 1, "b", kind="candidates")
            await other.until("call", do="signal")
        for _ in range(10):  # the table itself is not disturbed by them
            await one.say(type="ping")
            await one.until("pong")
        for _ in range(burst + int(live.BURST)):
            await signal(one, 1, "b", kind="candidates")
        while (message := await one.next())["type"] == "refused":
            assert (message["of"], message["code"]) in {
                ("call", "too-fast"),
                ("message", "too-fast"),
            }
        assert (message["type"], message["reason"]) == ("closing", "too-fast")
        await drop_all([other])

    run(scenario)


# ---- off for good --------------------------------------------------------------------------------


def test_the_host_switches_voice_off_for_good() -> None:
    table = voice_table()
    before = table.at()

    async def scenario() -> None:
        clients = await all_connected(table)
        await join(clients[0], "a")
        await join(clients[1], "b")
        await callers(clients[2], "a", "b", None, None)
        await clients[1].say(type="call", do="off")
        await refused(clients[1], "not-host")
        await clients[0].say(type="call", do="off")
        for client in clients:
            shown = await client.until("snapshot")
            assert not shown["voice"]
            assert (shown["version"], shown["ply"]) == (before.version + 1, before.ply)
            await callers(client, None, None, None, None)
        await signal(clients[0], 1, "b")
        await refused(clients[0], "not-in-call")
        await clients[1].say(type="call", do="join", id="b")
        await refused(clients[1], "voice-off")
        await drop_all(clients)

    run(scenario)
    assert not TableRow.objects.get(code=table.code).voice


def test_a_table_that_is_closed_is_silent_too() -> None:
    table = voice_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await join(clients[0], "a")
        await join(clients[1], "b")
        await callers(clients[2], "a", "b", None, None)
        await db(lobby.close_table)(table.code, "Good night.")
        for client in clients:
            assert not (await client.until("snapshot", status="over"))["voice"]
            await callers(client, None, None, None, None)
        await signal(clients[0], 1, "b")
        await refused(clients[0], "not-in-call")
        await clients[1].say(type="call", do="join", id="b")
        await refused(clients[1], "voice-off")
        await drop_all(clients)

    run(scenario)


def test_who_keeps_the_invites_when_the_host_is_lost_may_switch_it_off() -> None:
    table = voice_table()
    with pytest.raises(lobby.Refused, match="not-host"):
        lobby.switch_voice_off(table.place(1))
    lobby._free(table.code, 0)
    lobby.switch_voice_off(table.place(1))
    assert not TableRow.objects.get(code=table.code).voice
    with pytest.raises(lobby.Refused, match="stale"):
        lobby.switch_voice_off(lobby.Place(table.code, table.match, 1, "somebody else"))


# ---- between processes ---------------------------------------------------------------------------


def test_between_processes_a_signal_carries_seats_and_words_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = voice_table()
    sent: list[tuple[str, dict[str, Any]]] = []

    class Layer:
        async def group_send(self, group: str, message: dict[str, Any]) -> None:
            sent.append((group, message))

        async def group_add(self, group: str, name: str) -> None: ...

        async def new_channel(self, prefix: str) -> str:
            return prefix

        async def receive(self, name: str) -> dict[str, Any]:
            raise TimeoutError

    async def scenario() -> None:
        here = await connected(table, 0)
        await join(here, "a")
        # Seat 1 is in the call by a page of another process.
        await db(presence.arrive)("another", table.code, 1)
        await db(presence.join_call)("another", table.code, 1, "b")
        layer = Layer()
        monkeypatch.setattr(live, "get_channel_layer", lambda: layer)
        await signal(here, 1, "b", "v=0")
        await eventually(lambda: sent)
        assert sent == [
            (
                live.GROUP,
                {
                    **{"type": "signal", "table": table.code, "to": 1, "call": "b"},
                    "signal": {"from": 0, "id": "a", "kind": "offer", "text": "v=0"},
                    "from": live.PROCESS,
                },
            )
        ]
        # What comes from there reaches the one page that it is for.
        live._hand_over(table.code, 0, "a", {"from": 1, "id": "b", "kind": "answer", "text": "x"})
        assert (await here.until("call", do="signal"))["text"] == "x"
        assert not live._hand_over(table.code, 0, "another page", {})
        assert not live._hand_over(table.code, 1, "b", {})
        monkeypatch.setattr(live, "get_channel_layer", lambda: InMemoryChannelLayer())
        await here.drop()

    run(scenario)


# ---- leave to use the relay ----------------------------------------------------------------------


def test_names_and_passwords_are_those_of_coturns_rest_api(settings: Settings) -> None:
    settings.TABLES_TURN_SECRET = "north"
    name, password = ice.credentials("someone", 1433895918)
    assert name == "1433895918:someone"
    wanted = hmac.new(b"north", b"1433895918:someone", hashlib.sha1).digest()
    assert password == base64.b64encode(wanted).decode()
    settings.TABLES_TURN_SECRET = "south"
    assert ice.credentials("someone", 1433895918)[1] != password


def test_who_joins_is_told_the_servers_with_leave_to_use_them(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.TABLES_ICE = ["stun:stun.example.org", TURN, "turns:turn.example.org:443"]
    settings.TABLES_TURN_SECRET, settings.TABLES_TURN_SECONDS = SECRET, 600
    settings.TABLES_RELAY_ONLY = True
    table = voice_table()
    told: list[dict[str, Any]] = []

    async def scenario() -> None:
        client = await connected(table, 0)
        told.append(await join(client, "a"))
        await client.drop()

    with caplog.at_level(logging.DEBUG):
        run(scenario)
    straight, relay = told[0]["ice"]
    assert straight == {"urls": ["stun:stun.example.org"]}
    assert relay["urls"] == [TURN, "turns:turn.example.org:443"]
    until, _, caller = relay["username"].partition(":")
    assert caller == "a"
    assert 590 <= int(until) - time.time() <= 600
    assert relay["credential"] == ice.credentials("a", int(until))[1]
    assert (told[0]["relay"], told[0]["seconds"]) == (True, 600)
    for secret in (SECRET, relay["credential"]):
        assert secret not in caplog.text


@pytest.mark.parametrize(
    ("servers", "secret", "only", "relay", "errors"),
    [
        ([], "", False, "none", []),
        (["stun:stun.example.org"], "", False, "none", []),
        ([TURN], SECRET, False, "choice", []),
        ([TURN], SECRET, True, "only", []),
        ([TURN], "", False, "choice", ["tables.E006"]),
        ([], SECRET, True, "only", ["tables.E007"]),
        (["https://example.org"], "", False, "none", ["tables.E008"]),
    ],
)
def test_half_set_relays_are_found(
    settings: Settings, servers: list[str], secret: str, only: bool, relay: str, errors: list[str]
) -> None:
    settings.TABLES_ICE, settings.TABLES_TURN_SECRET = servers, secret
    settings.TABLES_RELAY_ONLY = only
    assert ice.relay() == relay
    assert [error.id for error in check_voice()] == errors


# ---- pages ---------------------------------------------------------------------------------------


def seated(browser: str) -> Web:
    web = Web()
    session = web.session
    session["browser"] = browser
    session.save()
    return web


def policy(web: Web, address: str) -> str:
    return str(web.get(address).headers["Permissions-Policy"])


def test_only_the_page_of_a_table_with_voice_may_ask_for_the_microphone_case_39() -> None:
    loud, still = voice_table(), full_table()
    host, stranger = seated(BROWSERS[0]), Web()
    address = reverse("tables:table", args=[loud.code])
    assert policy(host, address) == "microphone=(self)"
    assert policy(stranger, address) == "microphone=()"
    assert policy(host, reverse("tables:table", args=[still.code])) == "microphone=()"
    others = ["/", "/games/ristikontra/", "/computer/ristikontra/", "/no/such/page/"]
    for other in [*others, reverse("tables:new", args=["ristikontra"])]:
        assert policy(host, other) == "microphone=()"
    assert b"js/voice." in host.get(address).content
    lobby.switch_voice_off(loud.place(0))
    assert policy(host, address) == "microphone=()"
    assert b"js/voice." not in host.get(address).content
    assert b'"voice":' not in host.get(reverse("tables:table", args=[still.code])).content


def test_the_page_says_before_that_off_is_for_good() -> None:
    text = Web().get(reverse("tables:new", args=["ristikontra"])).content.decode()
    assert re.search("switch it off at any time, and then\\s+it stays off", text)


def test_a_table_is_opened_with_voice_only_when_asked() -> None:
    cache.clear()
    address = reverse("tables:new", args=["ristikontra"])
    for fields, voice in (({"name": ""}, False), ({"voice": "on"}, True)):
        web = Web()
        assert web.post(address, fields).status_code == 302
        assert TableRow.objects.latest("pk").voice is voice
    assert not open_table().at().voice
