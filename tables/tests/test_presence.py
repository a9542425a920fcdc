"""Who is there, away since when, back in a minute (CASES 9, 10)."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from tables import live, lobby, presence
from tables.models import Presence
from tables.models import Table as TableRow
from tables.tests.seats import (
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
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]

AT_ONCE = 0.01
LONG = 1000.0
SOON = 2.0
"""Seconds in which the others must see that somebody is back (CASE 10)."""


def told(table: Table) -> list[dict[str, Any]]:
    """What everybody at the table would be told now."""
    message = json.loads(presence.told([table.code])[table.code])
    assert message["type"] == "here"
    seats: list[dict[str, Any]] = message["seats"]
    return seats


def here(table: Table) -> list[bool]:
    return [seat["here"] for seat in told(table)]


def long_ago(seconds: float, **which: Any) -> None:
    """A process was last heard of so long ago."""
    Presence.objects.filter(**which).update(seen=Now() - timedelta(seconds=seconds))


def heard_away(client: Client) -> list[int]:
    """Which seats this page was ever told to be away, having been told that they are here."""
    known: set[int] = set()
    away = []
    for text in client.asides:
        message = json.loads(text)
        if message["type"] == "here":
            for seat, state in enumerate(message["seats"]):
                if state["here"]:
                    known.add(seat)
                elif seat in known:
                    away.append(seat)
    return away


# ---- here and away -------------------------------------------------------------------------------


def test_who_was_never_there_is_away_since_never() -> None:
    table = full_table()
    assert told(table) == [{"here": False, "since": None}] * 4


def test_everybody_who_is_there_is_told_to_be() -> None:
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        for client in clients:
            assert client.here == [{"here": True}] * 4
        await drop_all(clients)

    run(scenario)


def test_who_has_gone_is_away_since_then(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        gone = time.time()
        await clients[2].drop()
        await clients[0].sees(2, here=False)
        state = clients[0].here[2]
        assert set(state) == {"here", "since"}
        since = datetime.fromisoformat(state["since"])
        assert since.tzinfo is not None
        assert gone - 1 <= since.timestamp() <= time.time()
        assert [one["here"] for one in clients[0].here] == [True, True, False, True]
        await drop_all(clients)

    run(scenario)


def test_who_comes_back_is_seen_within_two_seconds_case_10(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[1].drop()
        for other in (0, 2, 3):
            await clients[other].sees(1, here=False)
        began = time.monotonic()
        back = await connected(table, 1)
        for other in (0, 2, 3):
            await clients[other].sees(1, here=True)
        assert time.monotonic() - began < SOON
        await drop_all([*clients, back])

    run(scenario)


def test_a_page_loaded_anew_is_not_called_away(settings: Settings) -> None:
    """Its new socket comes within the grace; nobody hears that the old one has gone."""
    settings.TABLES_GRACE = 0.2
    table = full_table()

    async def scenario() -> None:
        other, page = await connected(table, 0), await connected(table, 1)
        await other.sees(1, here=True)
        await page.drop()
        again = await connected(table, 1)
        going = [task for task in live._here.tasks if "_depart" in str(task.get_coro())]
        assert going
        await eventually(lambda: all(task.done() for task in going))
        await db(lobby.pause)(await db(table.place)(0), True)
        await other.beside(lambda: other.here[0].get("pause"))
        assert heard_away(other) == []
        await drop_all([other, again])

    run(scenario)


def test_the_pulse_leaves_the_grace_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a page may still come back its seat is renewed like the others."""
    settings.TABLES_GRACE, settings.TABLES_PULSE = LONG, 0.01
    table = full_table()
    renewed: list[set[tuple[str, int]]] = []
    honest = presence.renew

    def renew(process: str, seats: set[tuple[str, int]]) -> None:
        honest(process, seats)
        renewed.append(seats)

    async def scenario() -> None:
        other, page = await connected(table, 0), await connected(table, 1)
        await other.sees(1, here=True)
        await page.drop()
        monkeypatch.setattr(presence, "renew", renew)
        await eventually(lambda: len(renewed) > 3)
        assert (await db(here)(table))[:2] == [True, True]
        await other.waiting()
        assert heard_away(other) == []
        await other.drop()

    run(scenario)


def test_two_tabs_of_a_seat_one_closes_and_the_seat_stays_case_9(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = full_table()

    async def scenario() -> None:
        other = await connected(table, 0)
        tabs = [await connected(table, 1) for _ in range(3)]
        await other.sees(1, here=True)
        for tab in tabs[:2]:
            await tab.drop()
            assert (await db(here)(table))[1]
        await tabs[2].play("dark", 1)  # still of use
        await tabs[2].expect("refused")
        assert heard_away(other) == []
        await tabs[2].drop()
        await other.sees(1, here=False)
        await other.drop()

    run(scenario)


def test_nothing_is_told_twice(settings: Settings) -> None:
    """A pulse that finds nothing new says nothing."""
    settings.TABLES_PULSE = 0.01
    table = full_table()

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.beside(lambda: client.here)
        for _ in range(20):
            live.stir(table.code)
            await quiet()
        await db(lobby.pause)(await db(table.place)(0), True)
        await client.beside(lambda: client.here[0].get("pause"))
        shown = [text for text in client.asides if json.loads(text)["type"] == "here"]
        assert len(shown) == len(set(shown))
        await client.drop()

    run(scenario)


def test_coming_and_going_moves_nothing_at_the_table(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = full_table()
    before = table.at()
    shown = table.snapshot(0)
    assert "here" not in json.dumps(shown)

    async def scenario() -> None:
        one, two = await connected(table, 0), await connected(table, 1)
        await one.sees(1, here=True)
        await two.drop()
        await one.sees(1, here=False)
        assert await one.waiting() == []
        await one.drop()

    run(scenario)
    assert table.at() == before


def test_an_unclaimed_seat_is_nobody_who_is_away() -> None:
    table = open_table()

    async def scenario() -> None:
        host = await connected(table, 0)
        assert host.here == [{"here": True}, *[{"here": False, "since": None}] * 3]
        await host.drop()

    run(scenario)


def test_a_freed_seat_counts_as_here_no_more(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = open_table()
    table.claim(1)

    async def scenario() -> None:
        host, guest = await connected(table, 0), await connected(table, 1)
        await host.sees(1, here=True)
        await db(table.turn_over)(1)
        assert await guest.ending() == ("freed", 4409)
        await host.sees(1, here=False)
        await host.drop()

    run(scenario)


# ---- several processes ---------------------------------------------------------------------------


def test_a_seat_is_here_while_any_process_has_a_socket_of_it_case_10() -> None:
    """Not a counter of comings and goings: each process has its own row."""
    table = full_table()
    for process in ("one", "two"):
        presence.arrive(process, table.code, 1)
        presence.arrive(process, table.code, 1)
    assert here(table) == [False, True, False, False]
    presence.depart("one", table.code, 1)
    presence.depart("one", table.code, 1)
    assert here(table)[1]
    presence.depart("two", table.code, 1)
    assert not here(table)[1]
    assert told(table)[1]["since"] is not None


def test_a_process_that_died_counts_for_nothing_after_its_lease_case_10(
    settings: Settings,
) -> None:
    settings.TABLES_LEASE = 25.0
    table = full_table()
    presence.arrive("dead", table.code, 1)
    long_ago(24, process="dead")
    assert here(table)[1]
    long_ago(26, process="dead")
    seen = Presence.objects.get(process="dead").seen
    assert told(table)[1] == {"here": False, "since": seen.isoformat(timespec="seconds")}
    presence.arrive("alive", table.code, 1)
    assert here(table)[1]
    presence.renew("alive", {(table.code, 1)})
    assert [row.process for row in Presence.objects.all()] == ["alive"]


def test_the_others_are_told_of_a_lease_that_has_run_out(settings: Settings) -> None:
    settings.TABLES_PULSE = 0.02
    table = full_table()
    presence.arrive("dead", table.code, 1)

    async def scenario() -> None:
        client = await connected(table, 0)
        await client.sees(1, here=True)
        await db(long_ago)(60, process="dead")
        await client.sees(1, here=False)
        await client.drop()

    run(scenario)


def test_away_is_since_the_last_process_saw_anybody() -> None:
    table = full_table()
    for process in ("one", "two", "three"):
        presence.arrive(process, table.code, 1)
    for number, process in enumerate(("one", "two", "three")):
        presence.depart(process, table.code, 1)
        long_ago(100 * (number + 1), process=process)
    newest = Presence.objects.get(process="one").seen
    assert told(table)[1]["since"] == newest.isoformat(timespec="seconds")


def test_the_pulse_renews_all_seats_of_a_process(settings: Settings) -> None:
    settings.TABLES_PULSE = 0.02
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        await db(long_ago)(20)

        def renewed() -> bool:
            rows = Presence.objects.annotate(now=Now()).values_list("seen", "now")
            return all(now - seen < timedelta(seconds=10) for seen, now in rows)

        while not await db(renewed)():
            await quiet()
        assert heard_away(clients[0]) == []
        await drop_all(clients)

    run(scenario)


def test_a_database_that_knows_nothing_of_us_is_told_again(settings: Settings) -> None:
    """It was restored under a running process, with somebody in it who has gone since."""
    settings.TABLES_PULSE = 0.02
    table = full_table()

    def restore() -> None:
        Presence.objects.all().delete()
        presence.arrive(live.PROCESS, table.code, 2)

    async def scenario() -> None:
        client = await connected(table, 0)
        await db(restore)()
        while await db(here)(table) != [True, False, False, False]:
            await quiet()
        await client.drop()

    run(scenario)


def test_a_process_that_stops_takes_its_people_with_it(settings: Settings) -> None:
    settings.TABLES_GRACE = LONG
    table = full_table()
    presence.arrive("another", table.code, 3)

    async def scenario() -> None:
        clients = [await connected(table, seat) for seat in range(3)]
        await live._drain(lambda: None)
        assert await db(here)(table) == [False, False, False, True]
        for client in clients:
            await client.until("closed")

    run(scenario)


def test_presence_of_a_table_that_is_gone_is_no_ones() -> None:
    table = full_table()
    presence.arrive("one", table.code, 1)
    TableRow.objects.filter(code=table.code).delete()
    assert presence.told([table.code]) == {}
    presence.arrive("one", table.code, 1)
    presence.depart("one", table.code, 1)
    assert not Presence.objects.exists()


def test_one_reading_serves_many_tables(django_assert_num_queries: Any) -> None:
    tables = [full_table() for _ in range(5)]
    for table in tables:
        presence.arrive("one", table.code, 0)
    with django_assert_num_queries(2):
        everybody = presence.told([table.code for table in tables])
    assert len(everybody) == 5
    seats = {(table.code, 0) for table in tables}
    with django_assert_num_queries(5):  # the last of them in a transaction
        presence.renew("one", seats)


# ---- back in a minute ----------------------------------------------------------------------------


def test_somebody_says_to_be_back_in_a_minute_and_is_back() -> None:
    table = full_table()
    before = table.at()

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[1].say(type="pause", on=True)
        for client in clients:
            await client.beside(lambda one=client: one.here[1].get("pause"))  # type: ignore[misc]
            assert client.here[1] == {"here": True, "pause": True}
        await clients[1].say(type="pause", on=False)
        for client in clients:
            await client.beside(lambda one=client: "pause" not in one.here[1])  # type: ignore[misc]
        await drop_all(clients)

    run(scenario)
    assert table.at() == before


def test_who_is_back_in_a_minute_may_go_meanwhile(settings: Settings) -> None:
    settings.TABLES_GRACE = AT_ONCE
    table = full_table()

    async def scenario() -> None:
        other, page = await connected(table, 0), await connected(table, 1)
        await other.sees(1, here=True)
        await page.say(type="pause", on=True)
        await other.beside(lambda: other.here[1].get("pause"))
        await page.drop()
        await other.sees(1, here=False)
        assert other.here[1]["pause"] is True
        assert other.here[1]["since"]
        await other.drop()

    run(scenario)


def test_nobody_pauses_for_another() -> None:
    table = full_table()
    seats = table.at().seats
    for holder in (seats[2].holder, "", "0" * 64):
        lobby.pause(lobby.Place(table.code, table.match, 1, holder), True)
    assert not any("pause" in seat for seat in told(table))


def test_a_seat_that_changes_hands_is_not_paused_any_more() -> None:
    table = open_table()
    table.claim(1)
    lobby.pause(table.place(1), True)
    assert told(table)[1]["pause"]
    table.turn_over(1)
    assert "pause" not in told(table)[1]
