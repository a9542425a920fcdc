"""The tables' sockets over the site's whole ASGI application (CASES 8–16, 19–21, 27, 41)."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from django.conf import settings as site
from django.db.backends.signals import connection_created
from pytest_django import Settings

from game import matches
from game.models import Match
from tables import consumers, database, fast_path, live, lobby, protocol
from tables.models import Table as TableRow
from tables.protocol import CloseCode
from tables.reading import At
from tables.tests.seats import (
    BROWSERS,
    Client,
    Gate,
    all_connected,
    connected,
    cookie,
    db,
    drop_all,
    eventually,
    full_table,
    open_table,
    quiet,
    run,
    won_table,
)
from tables.tests.test_protocol import MALFORMED

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]

Scenario = Callable[[], Coroutine[Any, Any, None]]


async def long_way(*arguments: object) -> bool:
    """In place of `fast_path.play`: what it does with a play that is not so plain."""
    return False


@pytest.fixture(params=["short", "long"])
def gate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """The database stands still in the next play, whichever way it goes."""
    if request.param == "short":
        gate = Gate(fast_path.commit)
        monkeypatch.setattr(fast_path, "commit", gate)
    else:
        gate = Gate(lobby.play)
        monkeypatch.setattr(fast_path, "play", long_way)
        monkeypatch.setattr(lobby, "play", gate)
    yield gate
    gate.opened.set()


def refusals(clients: list[Client]) -> list[tuple[str, str]]:
    """What was refused so far, to whomever, and why."""
    messages = [json.loads(frame) for client in clients for frame in client.received()]
    return [(one["of"], one["code"]) for one in messages if one["type"] == "refused"]


# ---- who gets in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "https://localhost:8000",
        "http://localhost:8001",
        "http://localhost",
        "http://localhost.evil.example:8000",
        "http://evil.example/http://localhost:8000",
        "rubbish",
    ],
)
def test_a_foreign_origin_is_refused_before_anything_is_read(origin: str | None) -> None:
    assert (
        {"http://localhost:8000"}
        <= set(site.ORIGINS)
        <= {
            "http://localhost:8000",
            "http://127.0.0.1:8000",
        }
    )
    table = full_table()

    async def scenario() -> None:
        client = Client(table.code, await db(table.cookie)(0), origin)
        assert not await client.connect()
        assert client.wire.output_queue.empty()

    run(scenario)


@pytest.mark.parametrize("who", ["no cookie", "a cookie of ours no more", "rubbish", "a stranger"])
def test_who_does_not_sit_there_is_told_and_sent_away(who: str) -> None:
    table = full_table()
    keys = {"a cookie of ours no more": "x" * 32, "rubbish": "';--", "a stranger": cookie("else")}

    async def scenario() -> None:
        client = Client(table.code, keys.get(who))
        assert await client.connect()
        assert await client.ending() == ("not-seated", CloseCode.NOT_SEATED) == ("not-seated", 4401)
        assert len(client.frames) == 1
        assert live.counted() == {}

    run(scenario)


def test_a_table_that_is_not_there_is_gone() -> None:
    async def scenario() -> None:
        client = Client("nowhere", await db(cookie)(BROWSERS[0]))
        assert await client.connect()
        assert await client.ending() == ("gone", CloseCode.GONE) == ("gone", 4404)

    run(scenario)


def test_what_is_said_after_the_end_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server has closed, and frames were still under way."""
    table = full_table()
    parsed: list[str] = []
    monkeypatch.setattr(protocol, "parse", parsed.append)

    async def scenario() -> None:
        client = Client(table.code, None)
        assert await client.connect()
        await client.play("dark", 1)
        await client.say(type="ping")
        assert await client.ending() == ("not-seated", 4401)

    run(scenario)
    assert parsed == []


def test_the_first_message_is_the_snapshot_of_ones_own_seat() -> None:
    table = full_table()
    expected = [table.snapshot(seat) for seat in range(4)]

    async def scenario() -> None:
        for seat in range(4):
            client = Client(table.code, await db(table.cookie)(seat))
            assert await client.connect()
            assert await client.expect("snapshot") == expected[seat]
            assert expected[seat]["you"] == seat
            await client.drop()
        assert live.counted() == {}

    run(scenario)


def test_who_waits_for_guests_has_a_snapshot_without_cards() -> None:
    table = open_table()

    async def scenario() -> None:
        host = Client(table.code, await db(table.cookie)(0))
        assert await host.connect()
        first = await host.expect("snapshot")
        assert (first["status"], first["ply"]) == ("waiting", 0)
        assert "view" not in first
        for seat in (1, 2, 3):
            await db(table.claim)(seat)
            await host.until("snapshot", version=1 + seat)
        await host.drop()

    run(scenario)


# ---- plays ---------------------------------------------------------------------------------------


def test_a_play_is_shown_to_all_four_each_its_own() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        for _ in range(6):
            now = await db(table.position)()
            assert now.state.turn is not None
            await clients[now.state.turn].play(now.game.legal(now.state)[0], now.ply)
            expected = [await client.expect("snapshot") for client in clients]
            assert expected == [await db(table.snapshot)(seat) for seat in range(4)]
            assert [one["you"] for one in expected] == [0, 1, 2, 3]
            assert {one["ply"] for one in expected} == {now.ply + 1}
        await drop_all(clients)

    run(scenario)


def test_a_refused_play_is_answered_to_its_player_alone_case_21() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        other = (await db(table.snapshot)(1))["view"]["hand"][0]
        for seat, code, refused in [
            (0, other, {"code": "not-held", "facts": {"code": other}}),
            (0, "joker", {"code": "unknown-code", "facts": {"code": "joker"}}),
            (1, "dark", {"code": "not-your-turn", "facts": {}}),
        ]:
            await clients[seat].play(code, 1)
            assert await clients[seat].expect("refused") == {
                "type": "refused",
                "of": "play",
                **refused,
            }
        await clients[2].say(type="deal", ply=1)
        refused_deal = await clients[2].expect("refused")
        assert (refused_deal["of"], refused_deal["code"]) == ("deal", "unfinished")
        await quiet()
        assert [await client.waiting() for client in clients] == [[], [], [], []]
        await drop_all(clients)

    run(scenario)


def test_a_play_sent_twice_is_stale_and_gets_the_snapshot_case_16() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        for _ in range(2):
            await client.play("dark", 1)
        first = await client.expect("snapshot")
        refused = await client.expect("refused")
        assert refused == {"type": "refused", "of": "play", "code": "stale", "facts": {}}
        assert await client.expect("snapshot") == first
        assert first["ply"] == 2
        await client.drop()

    run(scenario)
    assert table.deal.plays.split() == ["dark"]


def test_of_four_who_play_at_once_one_is_heard_and_three_are_told_case_19() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await asyncio.gather(*(client.play("dark", 1) for client in clients))
        for client in clients:
            assert (await client.until("snapshot", ply=2))["view"]["trick"][0]["seat"] == 0
        await eventually(lambda: len(refusals(clients)) == 3)
        assert [len(refusals([client])) for client in clients] == [0, 1, 1, 1]
        assert {code for _, code in refusals(clients)} <= {"not-your-turn", "stale"}
        await drop_all(clients)

    run(scenario)
    assert table.deal.plays.split() == ["dark"]


@pytest.mark.parametrize("seat", [0, 3])
def test_anyone_starts_the_next_deal_and_once_case_6(seat: int) -> None:
    table = full_table()
    table.finish_deal(random.Random(1))

    async def scenario() -> None:
        clients = await all_connected(table)
        for who in (seat, 2):
            await clients[who].say(type="deal", ply=53)
        for client in clients:
            shown = await client.until("snapshot", ply=54)
            assert shown["view"]["deal"] == 2
            assert len(shown["view"]["hand"]) == 6
        await eventually(lambda: refusals(clients) == [("deal", "stale")])
        await drop_all(clients)

    run(scenario)
    assert table.deal.number == 2


def test_leaving_is_shown_to_all_at_once_r14() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        assert await db(table.leave)(2) == "drawn"
        for client in clients:
            shown = await client.until("snapshot", status="over")
            assert shown["outcome"]["reason"] == "left"
        await clients[0].play("dark", 1)
        assert (await clients[0].until("refused"))["code"] == "stale"
        await drop_all(clients)

    run(scenario)
    assert table.deal.plays == ""


# ---- pings and sync ------------------------------------------------------------------------------


def test_a_ping_is_answered_with_the_newest_version_sent() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 1)
        await client.say(type="ping")
        assert await client.expect("pong") == {"type": "pong", "version": 4, "said": 0}
        await db(table.play)("dark")
        assert (await client.expect("snapshot"))["version"] == 5
        await client.say(type="ping")
        assert await client.expect("pong") == {"type": "pong", "version": 5, "said": 0}
        await client.drop()

    run(scenario)


def test_the_snapshot_comes_again_when_asked_for() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = [await connected(table, 0), await connected(table, 1)]
        await clients[0].say(type="sync")
        await clients[0].expect("snapshot")
        assert clients[0].frames[0] == clients[0].frames[1]
        assert await clients[1].waiting() == []
        await drop_all(clients)

    run(scenario)


# ---- seats that change hands ---------------------------------------------------------------------


def test_a_freed_seats_socket_is_told_and_closed() -> None:
    table = open_table()
    table.claim(1)

    async def scenario() -> None:
        host, guest = await connected(table, 0), await connected(table, 1)
        await db(table.turn_over)(1)
        assert await guest.ending() == ("freed", CloseCode.MOVED) == ("freed", 4409)
        assert not (await host.expect("snapshot"))["seats"][1]["taken"]
        again = Client(table.code, await db(table.cookie)(1))
        assert await again.connect()
        assert await again.ending() == ("not-seated", 4401)
        await host.drop()

    run(scenario)


def test_a_seat_that_went_to_somebody_else_never_shows_its_hand_case_2() -> None:
    """Freed and claimed anew before the old socket heard anything."""
    table = open_table()
    table.claim(1)

    def change() -> None:
        table.turn_over(1)
        table.browsers[1] = "somebody else"
        for seat in (1, 2, 3):
            table.claim(seat)

    async def scenario() -> None:
        guest = await connected(table, 1)
        await db(change)()
        assert await guest.ending() == ("moved", 4409)
        assert not any("hand" in frame for frame in guest.frames)

    run(scenario)


def test_who_leaves_before_the_start_is_at_no_seat_any_more_r14() -> None:
    table = open_table()
    table.claim(1)

    async def scenario() -> None:
        guest = await connected(table, 1)
        assert await db(table.leave)(1) == "freed"
        assert await guest.ending() == ("freed", 4409)

    run(scenario)


def test_a_table_that_is_deleted_closes_its_sockets() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await db(TableRow.objects.filter(code=table.code).delete)()
        live.ring(table.code)
        for client in clients:
            assert await client.ending() == ("gone", 4404)
        assert live.counted() == {}

    run(scenario)


# ---- frames that are no messages (CASE 27) -------------------------------------------------------


def test_malformed_frames_are_answered_and_close_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BURST", 1e9)
    table = full_table()
    answer = {"type": "refused", "of": "message", "code": "request", "facts": {}}

    async def scenario() -> None:
        clients = [await connected(table, 0), await connected(table, 1)]
        for text in MALFORMED.values():
            if text is not None:
                await clients[0].say_text(text)
                assert await clients[0].expect("refused") == answer
        for data in (b"", b"\x00\xff", b'{"type":"ping"}', b"x" * 100_000):
            await clients[0].say_bytes(data)
            assert await clients[0].expect("refused") == answer
        await clients[0].play("dark", 1)
        for client in clients:
            await client.expect("snapshot")
        await drop_all(clients)

    run(scenario)


def test_events_nobody_knows_are_ignored() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        for kind in ("korttipoyta.rings", "chat.message", "websocket.strange", "no handler"):
            await client.wire.send_input({"type": kind})
        await client.say(type="ping")
        await client.expect("pong")
        await client.drop()

    run(scenario)


def test_a_flood_closes_the_socket_that_floods_and_no_other() -> None:
    table = full_table()

    async def scenario() -> None:
        flooding, other = await connected(table, 0), await connected(table, 1)
        for _ in range(200):
            await flooding.say(type="ping")
        while (message := await flooding.next())["type"] == "pong":
            pass
        assert (message["type"], message["reason"]) == ("closing", "too-fast")
        assert (await flooding.expect("closed"))["code"] == CloseCode.FLOOD == 4429
        assert live.BURST <= len(flooding.frames) - 2 <= live.BURST + 2 * live.RATE
        await other.say(type="ping")
        await other.expect("pong")
        again = await connected(table, 0)
        await drop_all([other, again])


def test_two_tabs_of_a_seat_may_say_no_more_than_one() -> None:
    table = full_table()

    async def scenario() -> None:
        tabs, other = [await connected(table, 0) for _ in range(2)], await connected(table, 1)
        for _ in range(40):
            for tab in tabs:
                await tab.say(type="ping")
        for tab in tabs:
            while (message := await tab.next())["type"] == "pong":
                pass
            assert (message["type"], message["reason"]) == ("closing", "too-fast")
            assert (await tab.expect("closed"))["code"] == CloseCode.FLOOD
        await other.say(type="ping")
        await other.expect("pong")
        pongs = sum(len(tab.frames) - 2 for tab in tabs)
        assert live.BURST <= pongs <= live.BURST + 2 * live.RATE
        await other.drop()

    run(scenario)


def test_a_full_queue_is_answered(gate: Gate) -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.play("dark", 1)
        await eventually(gate.reached.is_set)
        for _ in range(consumers.QUEUE + 3):
            await client.play("dark", 1)
        for _ in range(3):
            refused = await client.expect("refused")
            assert (refused["of"], refused["code"]) == ("message", "too-fast")
        gate.opened.set()
        stale = 0
        while stale < consumers.QUEUE:
            message = await client.next()
            stale += message.get("code") == "stale"
        await client.drop()

    run(scenario)
    assert table.deal.plays.split() == ["dark"]


# ---- several sockets at a seat (CASES 8, 9) ------------------------------------------------------


def test_two_sockets_at_a_seat_both_get_everything_and_one_may_go_case_9() -> None:
    table = full_table()

    async def scenario() -> None:
        one, two = await connected(table, 0), await connected(table, 0)
        assert live.counted() == {table.code: 2}
        await one.play("dark", 1)
        assert await one.expect("snapshot") == await two.expect("snapshot")
        await one.drop()
        assert live.counted() == {table.code: 1}
        await db(table.play)("dark")
        assert (await two.expect("snapshot"))["ply"] == 3
        await two.drop()

    run(scenario)


def test_a_new_socket_serves_at_once_beside_a_dead_one_case_8() -> None:
    """Nobody has noticed that the old connection is gone."""
    table = full_table()

    async def scenario() -> None:
        dead = await connected(table, 0)
        fresh = await connected(table, 0)
        await fresh.play("dark", 1)
        assert (await fresh.expect("snapshot"))["ply"] == 2
        await drop_all([dead, fresh])

    run(scenario)


def test_a_dropped_connection_is_not_leaving_r14() -> None:
    table = full_table()
    before = table.at()

    async def scenario() -> None:
        clients = await all_connected(table)
        await drop_all(clients)
        assert live.counted() == {}

    run(scenario)
    assert table.at() == before


def test_a_play_whose_player_hung_up_meanwhile_is_kept(gate: Gate) -> None:
    table = full_table()

    async def scenario() -> None:
        client, other = await connected(table, 0), await connected(table, 1)
        await client.play("dark", 1)
        await eventually(gate.reached.is_set)
        await client.drop()
        gate.opened.set()
        assert (await other.expect("snapshot"))["ply"] == 2
        await other.drop()

    run(scenario)


def test_a_seat_has_eight_tabs_at_most_and_the_newest_serves() -> None:
    """Nobody can make a process hold any number of sockets for one seat."""
    table = full_table()

    async def scenario() -> None:
        tabs = [await connected(table, 0) for _ in range(live.SOCKETS)]
        other = await connected(table, 1)
        newest = await connected(table, 0)
        assert live.counted() == {table.code: live.SOCKETS + 1}
        assert await tabs[0].ending() == ("tabs", CloseCode.TABS) == ("tabs", 4423)  # the oldest
        assert [tab.received()[1:] for tab in tabs[1:]] == [[]] * (live.SOCKETS - 1)
        await newest.play("dark", 1)
        for client in (newest, other):
            assert (await client.expect("snapshot"))["ply"] == 2
        await drop_all([*tabs, newest, other])

    run(scenario)


# ---- news that gets lost (CASE 12) ---------------------------------------------------------------


def test_a_lost_ring_is_made_good_by_the_pulse_case_12(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.TABLES_PULSE = 0.02
    monkeypatch.setattr(live, "ring", lambda code: None)
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[0].play("dark", 1)
        for client in clients:
            assert (await client.expect("snapshot"))["ply"] == 2
        await asyncio.sleep(0.1)  # further pulses bring nothing
        await quiet()
        assert [await client.waiting() for client in clients] == [[], [], [], []]
        await db(TableRow.objects.filter(code=table.code).delete)()
        for client in clients:
            assert await client.ending() == ("gone", 4404)

    run(scenario)


def test_a_pulse_that_cannot_read_is_followed_by_one_that_can(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """The database is away for a moment (CASE 13)."""
    settings.TABLES_PULSE = 0.02
    monkeypatch.setattr(live, "ring", lambda code: None)
    table = full_table()
    newest, failed = live._newest, threading.Event()

    def fails_once(codes: list[str]) -> dict[str, tuple[int, int]]:
        if not failed.is_set():
            failed.set()
            raise OSError("7H")
        return newest(codes)

    async def scenario() -> None:
        client = await connected(table, 0)
        monkeypatch.setattr(live, "_newest", fails_once)
        await db(table.play)("dark")
        assert (await client.expect("snapshot"))["ply"] == 2
        await client.drop()

    run(scenario)
    assert failed.is_set()
    assert "OSError" in caplog.text
    assert "7H" not in caplog.text


def test_rings_that_come_thick_are_one_delivery_each_way() -> None:
    """A hundred rings are not a hundred readings, and a ring for nothing brings nothing."""
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        for _ in range(100):
            live.ring(table.code)
            live.ring("nowhere")
        await quiet()
        assert await client.waiting() == []
        await client.drop()

    run(scenario)


class Fake:
    """What `tables.live` sees of a socket."""

    def __init__(self, now: At, seat: int) -> None:
        self.code, self.match, self.seat = now.code, now.match, seat
        self.sent, self.heard, self.here, self.call = -1, now.said, "", ""
        self.holder, self.sat = now.seats[seat].holder, now.version
        self.versions: list[int] = []
        self.ended: list[tuple[int, str]] = []

    def put(self, text: str, kind: str = "") -> None:
        self.versions.append(self.sent)

    def end(self, code: int, reason: str) -> None:
        self.ended.append((code, reason))
        live.part(self)

    async def settle(self) -> None:
        pass

    async def gone(self) -> None:
        pass


def test_an_older_snapshot_never_follows_a_newer_one_case_12() -> None:
    """One delivery has read the table, and another has overtaken it."""
    table = full_table()
    now = table.at()

    async def scenario() -> None:
        socket = Fake(now, 0)
        await live.join(socket)
        socket.sent = 6
        live.ring(table.code)
        await quiet()
        await live.resend(socket)
        assert socket.versions == [4]
        socket.sent = 4
        await live.resend(socket)
        assert socket.versions == [4, 4]
        live.part(socket)

    run(scenario)


def test_a_picture_of_the_match_before_does_not_lead_a_socket_back_to_it() -> None:
    """It was read, then waited for the lines of chat, and another delivery overtook it."""
    table = won_table()

    async def scenario() -> None:
        socket = Fake(await db(table.at)(), 0)
        await live.join(socket)
        before = live.picture(table.code)
        assert before is not None
        assert socket.match == before.at.match
        await db(table.agree)("again", 0, 1, 2, 3)
        await live.resend(socket)
        assert socket.match == await db(lambda: table.match)() != before.at.match
        live._show(before, [socket])
        assert socket.match != before.at.match
        live.part(socket)

    run(scenario)


# ---- a socket that takes nothing (CASE 15) -------------------------------------------------------


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """While this is set, what is sent to seat 0 waits for it to read, which it does not."""
    stuck = threading.Event()
    transmit = consumers.TableConsumer.transmit

    async def transmit_or_wait(self: consumers.TableConsumer, text: str) -> None:
        while stuck.is_set() and self.seat == 0:  # noqa: ASYNC110 (what is waited for sets no event)
            await asyncio.sleep(0.002)
        await transmit(self, text)

    monkeypatch.setattr(consumers.TableConsumer, "transmit", transmit_or_wait)
    return stuck


def test_who_does_not_read_holds_nobody_up_and_gets_the_newest_case_15(
    stuck: threading.Event,
) -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        had = len(clients[0].frames)
        stuck.set()
        for play in range(50):
            await db(table.play)(await db(lambda: table.legal()[0])())
            for client in clients[1:]:
                await client.until("snapshot", ply=2 + play)
        stuck.clear()
        newest = await clients[0].until("snapshot", ply=51)
        assert newest == await db(table.snapshot)(0)
        assert len(clients[0].frames) - had <= 2, "one was under way, and the newest"
        await drop_all(clients)

    run(scenario)


def test_who_does_not_read_and_asks_without_end_is_closed_case_15(
    stuck: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BURST", 1e9)
    table = full_table()

    async def scenario() -> None:
        client, other = await connected(table, 0), await connected(table, 1)
        stuck.set()
        for _ in range(consumers.OUTBOX + 50):
            await client.say(type="ping")
        await eventually(lambda: live.counted() == {table.code: 1})
        await other.say(type="ping")
        await other.expect("pong")
        stuck.clear()
        while (message := await client.next())["type"] == "pong":
            pass
        assert (message["type"], message["reason"]) == ("closing", "slow")
        assert (await client.expect("closed"))["code"] == CloseCode.RESTART
        assert len(client.frames) <= consumers.OUTBOX + 4
        await other.drop()

    run(scenario)


def test_a_socket_that_cannot_be_written_to_keeps_nothing_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its closing handshake is under way: writing raises until the server has noticed."""
    table = full_table()
    transmit = consumers.TableConsumer.transmit
    broken = threading.Event()

    async def transmit_or_raise(self: consumers.TableConsumer, text: str) -> None:
        if broken.is_set() and self.seat == 0:
            raise ConnectionError
        await transmit(self, text)

    monkeypatch.setattr(consumers.TableConsumer, "transmit", transmit_or_raise)

    async def scenario() -> None:
        clients = await all_connected(table)
        broken.set()
        await db(table.play)("dark")
        for client in clients[1:]:
            assert (await client.expect("snapshot"))["version"] == 5
        await clients[0].drop()
        await db(TableRow.objects.filter(code=table.code).delete)()
        live.ring(table.code)
        for client in clients[1:]:
            assert await client.ending() == ("gone", 4404)

    run(scenario)


@pytest.mark.parametrize("broken", ["consumers.at", "reading.picture"])
def test_who_comes_while_the_database_is_away_is_told_to_come_again_case_13(
    broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes away before the seat is found, or between that and the snapshot."""
    table = full_table()

    def breaks(code: str) -> Any:
        raise OSError("7H")

    async def scenario() -> None:
        with monkeypatch.context() as away:
            away.setattr(f"tables.{broken}", breaks)
            client = Client(table.code, await db(table.cookie)(0))
            assert await client.connect()
            assert await client.ending() == ("restart", 4412)
        assert live.counted() == {}
        back = await connected(table, 0)
        await back.drop()

    run(scenario)
    assert "a socket could not be seated: OSError" in caplog.text
    assert "7H" not in caplog.text


def test_a_socket_whose_server_loses_patience_is_forgotten(gate: Gate) -> None:
    """The server ends what does not end by itself; nobody has then said goodbye."""
    table = full_table()

    async def scenario() -> None:
        client, other = await connected(table, 0), await connected(table, 1)
        await client.play("dark", 1)
        await eventually(gate.reached.is_set)
        client.wire.future.cancel()
        await eventually(client.wire.future.done)
        assert live.counted() == {table.code: 1}
        gate.opened.set()
        assert (await other.expect("snapshot"))["ply"] == 2
        await other.drop()
        left = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # type: ignore[union-attr]
        assert "TableConsumer._work" not in left

    run(scenario)


# ---- a database that stands still ----------------------------------------------------------------


def test_pings_are_answered_and_the_page_hears_saving_while_the_database_stands_still(
    gate: Gate, settings: Settings
) -> None:
    settings.TABLES_DEADLINE = 0.05
    table = full_table()

    async def scenario() -> None:
        client, other = await connected(table, 0), await connected(table, 1)
        await client.play("dark", 1)
        await client.expect("saving")
        for one in (client, other, client):
            await one.say(type="ping")
            assert await one.expect("pong") == {"type": "pong", "version": 4, "said": 0}
        await other.say_text("rubbish")
        await other.expect("refused")
        gate.opened.set()
        for one in (client, other):
            assert (await one.expect("snapshot"))["ply"] == 2
        await drop_all([client, other])

    run(scenario)


def test_a_service_that_breaks_is_answered_and_logged_without_a_card(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = full_table()

    def breaks(*arguments: object) -> None:
        raise RuntimeError("7H lies on top of the stock")

    async def scenario() -> None:
        client = await connected(table, 0)
        with monkeypatch.context() as broken:
            broken.setattr(fast_path, "_append", breaks)
            broken.setattr(lobby, "play", breaks)
            await client.play("dark", 1)
            assert await client.expect("refused") == {
                "type": "refused",
                "of": "message",
                "code": "fault",
                "facts": {},
            }
        await client.play("dark", 1)
        assert (await client.expect("snapshot"))["ply"] == 2
        await client.drop()

    with caplog.at_level(logging.DEBUG):
        run(scenario)
    assert "1 plays could not be written together: RuntimeError" in caplog.text
    assert "a command failed: RuntimeError" in caplog.text
    assert "7H" not in caplog.text


# ---- taking leave (CASE 41) ----------------------------------------------------------------------


def test_a_process_that_stops_says_when_to_come_back_and_closes() -> None:
    table = full_table()
    stopped: list[bool] = []

    async def scenario() -> None:
        clients = await all_connected(table)
        late = Client(table.code, await db(table.cookie)(0))
        leave = asyncio.ensure_future(live._drain(lambda: stopped.append(True)))
        for client in clients:
            bye = await client.expect("bye")
            assert 0 <= bye["after"] <= live.BYE_SPREAD
            assert await client.ending() == ("restart", CloseCode.RESTART) == ("restart", 4412)
        await leave
        assert stopped == [True]
        assert await late.connect()
        assert await late.ending() == ("restart", 4412)
        await live._drain(lambda: stopped.append(True))
        assert stopped == [True]

    run(scenario)


def test_who_has_just_come_when_a_process_stops_is_bidden_goodbye_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is shown the table already, but not yet put down as being there."""
    arriving = Gate(lobby.arrive)
    monkeypatch.setattr(lobby, "arrive", arriving)
    table = full_table()
    stopped: list[bool] = []

    async def scenario() -> None:
        client = Client(table.code, await db(table.cookie)(0))
        assert await client.connect()
        await client.expect("snapshot")
        await eventually(arriving.reached.is_set)
        leave = asyncio.ensure_future(live._drain(lambda: stopped.append(True)))
        await eventually(live.draining)
        arriving.opened.set()
        await client.expect("bye")
        assert await client.ending() == ("restart", 4412)
        await leave

    try:
        run(scenario)
    finally:
        arriving.opened.set()
    assert stopped == [True]


def test_a_process_that_stops_first_finishes_what_is_under_way(gate: Gate) -> None:
    table = full_table()
    stopped: list[bool] = []

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.play("dark", 1)
        await eventually(gate.reached.is_set)
        leave = asyncio.ensure_future(live._drain(lambda: stopped.append(True)))
        await client.say(type="ping")
        await client.expect("pong")
        assert not stopped
        gate.opened.set()
        assert (await client.expect("snapshot"))["ply"] == 2
        await client.expect("bye")
        assert await client.ending() == ("restart", 4412)
        await leave

    run(scenario)
    assert stopped == [True]
    assert table.deal.plays.split() == ["dark"]


def test_a_process_that_stops_does_not_wait_for_ever(
    gate: Gate, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.TABLES_DRAIN = 0.05
    table = full_table()
    stopped: list[bool] = []

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.play("dark", 1)
        await eventually(gate.reached.is_set)
        await live._drain(lambda: stopped.append(True))
        assert stopped == [True]
        gate.opened.set()
        await client.drop()

    run(scenario)
    assert "did not take their leave in time" in caplog.text


@pytest.mark.parametrize("query", [f"?v={protocol.VERSION + 1}", "?v=", "?v=x&v=1", "?w"])
def test_a_page_of_another_version_is_told_to_reload_once_case_41(query: str) -> None:
    table = full_table()

    async def scenario() -> None:
        client = Client(table.code, await db(table.cookie)(0), query=query)
        assert await client.connect()
        await client.expect("reload")
        assert await client.ending() == ("reload", 4412)
        assert len(client.frames) == 2
        assert live.counted() == {}

    run(scenario)


def test_a_client_that_names_no_version_is_served() -> None:
    table = full_table()

    async def scenario() -> None:
        client = Client(table.code, await db(table.cookie)(0), query="")
        assert await client.connect()
        await client.expect("snapshot")
        await client.drop()

    run(scenario)


def test_a_match_of_an_engine_not_here_tells_its_pages_to_reload_case_41() -> None:
    """Another process of a rolling deploy has opened it; this one stays up for its own tables."""
    table, own = full_table(), full_table()

    def become_newer() -> None:
        Match.objects.filter(pk=table.match).update(engine=99)
        matches.forget()

    async def scenario() -> None:
        await db(become_newer)()
        client = Client(table.code, await db(table.cookie)(0))
        assert await client.connect()
        await client.expect("reload")
        await client.drop()
        served = await connected(own, 0)
        await served.drop()

    run(scenario)


# ---- what is sent goes at once -------------------------------------------------------------------


def test_what_has_to_wait_goes_on_as_a_task_and_the_rest_is_none() -> None:
    did: list[str] = []

    async def work(wait: asyncio.Future[str] | None) -> None:
        did.append("at once")
        try:
            did.append(await wait if wait else "no waiting")
        except RuntimeError as error:
            did.append(str(error))
        finally:
            did.append("end")

    async def scenario() -> None:
        assert consumers.begin(work(None)) is None
        assert did == ["at once", "no waiting", "end"]
        loop = asyncio.get_running_loop()
        for come in ("it comes", RuntimeError("it fails"), None):
            did.clear()
            wait: asyncio.Future[str] = loop.create_future()
            task = consumers.begin(work(wait))
            assert task is not None
            # All that a task takes from Python 3.12 on.
            assert isinstance(task.get_coro(), Coroutine)
            assert did == ["at once"]
            if isinstance(come, str):
                wait.set_result(come)
            elif come is not None:
                wait.set_exception(come)
            else:
                await asyncio.sleep(0)
                task.cancel()
            await asyncio.wait([task])
            assert did == ["at once", *([str(come)] if come else []), "end"]

    run(scenario)


# ---- what it costs -------------------------------------------------------------------------------

NOT_COUNTED = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")


class Counter:
    """The statements of the threads that write and read, while it is entered."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.watched: list[Any] = []

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip().upper().startswith(NOT_COUNTED):
            self.statements.append(sql)
        return execute(sql, params, many, context)

    def watch(self, connection: Any, **_: Any) -> None:
        if self not in connection.execute_wrappers:
            connection.execute_wrappers.append(self)
            self.watched.append(connection)

    async def __aenter__(self) -> Counter:
        fast_path.stop()  # both connect anew
        database.stop()
        connection_created.connect(self.watch)
        return self

    async def __aexit__(self, *error: object) -> None:
        connection_created.disconnect(self.watch)
        for connection in self.watched:
            connection.execute_wrappers.remove(self)


@pytest.mark.parametrize("way", ["short", "long"])
def test_a_play_costs_two_statements_for_all_four_screens_or_three_the_long_way(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lock and stale check in one, and the play; the long way one reading for everybody besides."""
    cost = ["WITH", "WITH"]
    if way == "long":
        monkeypatch.setattr(fast_path, "play", long_way)
        cost = ["UPDATE", "UPDATE", "SELECT"]
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        now = await db(table.position)()
        state = now.state
        async with Counter() as counter:
            for ply in range(now.ply, now.ply + 51):  # all but the last, which ends the deal
                code = now.game.legal(state)[-1]
                await clients[state.turn or 0].play(code, ply)
                for client in clients:
                    assert (await client.expect("snapshot"))["ply"] == ply + 1
                state = now.game.play(state, code)
                kinds = [sql.split()[0] for sql in counter.statements]
                assert kinds == cost, counter.statements
                counter.statements.clear()
        await drop_all(clients)

    run(scenario)


def test_a_line_of_chat_costs_eight_statements_at_most_for_all_four_screens() -> None:
    """Its number, the seat and its table, whether it is new and not too fast, the line; then one
    reading of the table and one of the lines for everybody."""
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        async with Counter() as counter:
            for number in range(1, 13):
                speaker = clients[number % 4]
                await speaker.say(type="say", id=f"line.{number}", text="Well, well")
                for client in clients:
                    await client.hears(number)
                assert len(counter.statements) <= 8, counter.statements
                assert [sql.split()[0] for sql in counter.statements].count("UPDATE") == 1
                counter.statements.clear()
        await drop_all(clients)

    run(scenario)


def test_a_line_that_says_nothing_costs_no_statement() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        async with Counter() as counter:
            for text in ("", " \u202e ", "x" * 301):
                await client.say(type="say", id="1", text=text)
                await client.expect("refused")
        assert counter.statements == []
        await client.drop()

    run(scenario)


def test_a_play_in_a_second_match_costs_no_more_than_in_the_first() -> None:
    table = won_table()
    table.agree("again", 0, 1, 2, 3)

    async def scenario() -> None:
        clients = await all_connected(table)
        async with Counter() as counter:
            for _ in range(5):
                now = await db(table.position)()
                counter.statements.clear()
                await clients[now.state.turn or 0].play(now.game.legal(now.state)[0], now.ply)
                for client in clients:
                    assert (await client.expect("snapshot"))["ply"] == now.ply + 1
                kinds = [sql.split()[0] for sql in counter.statements]
                assert kinds == ["WITH", "WITH"], counter.statements
        await drop_all(clients)

    run(scenario)


def test_a_refused_play_costs_no_statement_while_the_position_is_remembered() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        async with Counter() as counter:
            await clients[1].play("dark", 1)
            await clients[1].expect("refused")
            await clients[0].play("joker", 1)
            await clients[0].expect("refused")
        assert counter.statements == []
        await drop_all(clients)

    run(scenario)


def test_a_ping_and_what_cannot_be_read_cost_no_statement() -> None:
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        async with Counter() as counter:
            await client.say(type="ping")
            await client.expect("pong")
            await client.say_text("rubbish")
            await client.expect("refused")
        assert counter.statements == []
        await client.drop()

    run(scenario)
