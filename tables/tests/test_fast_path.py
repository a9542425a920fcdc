"""The short way of a play beside the long one, its reference; and what goes the long way."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from pytest_django import Settings

from game import matches
from game.engine.registry import newest
from game.models import Deal, Match
from tables import fast_path, gauges, live, lobby
from tables.models import Seat
from tables.reading import Picture, picture
from tables.tests.seats import (
    Client,
    Gate,
    Table,
    all_connected,
    connected,
    db,
    drop_all,
    eventually,
    full_table,
    quiet,
    rig,
    run,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("seeded")]


def planned(table: Table, code: str | None = None, seat: int | None = None) -> fast_path.Plain:
    """A play as this process would make it now: the first legal one of the seat on turn."""
    now = table.position()
    assert now.state.turn is not None
    place = table.place(now.state.turn if seat is None else seat)
    plain = fast_path.plan(picture(table.code), place, now.ply, code or table.legal()[0])
    assert plain is not None
    return plain


def rows(table: Table) -> tuple[Any, ...]:
    """All that a play may change."""
    match = Match.objects.values_list("version", "ply", "said", "sheet", "status", "outcome")
    deals = Deal.objects.filter(match=table.match).order_by("number")
    return match.get(pk=table.match), list(deals.values_list("number", "plays", "count"))


# ---- the same as the long way --------------------------------------------------------------------


@pytest.mark.parametrize("key", list(newest()))
def test_both_ways_leave_the_same_rows_and_show_the_same(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(key)
    tables = []
    for _ in range(2):
        rig(monkeypatch, dealer=3, seed=key)
        tables.append(full_table(key))
    one, two = tables
    short = 0
    while (turn := one.turn) is not None:
        code = rng.choice(one.legal())
        ply = one.row.ply
        two.play(code)
        plain = fast_path.plan(picture(one.code), one.place(turn), ply, code)
        if plain is None:  # the last
            one.play(code)
        else:
            short += 1
            assert fast_path.commit([plain]) == {plain}
            live._remember(plain.reached)
            shown = plain.reached.snapshots(range(4))
            assert shown == read_anew(one)
        assert rows(one) == rows(two)
        told, there = one.snapshot(0), two.snapshot(0)
        assert told["view"] == there["view"]
    assert short > 20


def read_anew(table: Table) -> dict[int, str]:
    """What a process that has just started reads."""
    matches.forget()
    now = picture(table.code)
    assert now is not None
    return now.snapshots(range(4))


@given(
    others=st.lists(st.sampled_from(["say", "rename", "leave", "play", "agree"]), max_size=3),
    seed=st.integers(0, 999),
)
@hypothesis(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_comes_between_planning_and_writing_it_is_as_if_it_had_gone_the_long_way(
    others: list[str], seed: int
) -> None:
    """It is written short or not at all; in the end as `lobby.play` alone would have done it."""
    rng = random.Random(seed)
    table = full_table()
    table.play_random(rng, rng.randrange(8))
    plain = planned(table, rng.choice(table.legal()))
    turn, ply = plain.place.seat, plain.reached.at.ply - 1
    did: dict[str, Callable[[], object]] = {
        "say": lambda: table.say(1, "well"),
        "rename": lambda: lobby.rename(table.place(2), f"Aino {rng.random()}"[:20]),
        "leave": lambda: table.leave((turn + 1) % 4),
        "play": lambda: table.play(plain.code),
        "agree": lambda: table.agree("", 3),
    }
    moved = False
    for other in others:
        if table.row.status == Match.Status.PLAYING and (other != "play" or not moved):
            did[other]()
            moved |= other == "play"
    before = rows(table)
    written = fast_path.commit([plain])
    assert written == ({plain} if set(others) <= {"say"} else set())
    if written:
        assert table.row.ply == ply + 1
        assert table.deal.plays.split()[-1] == plain.code
        assert rows(table)[0][0] == before[0][0] + 1
    else:
        assert rows(table) == before
        still = table.row.status == Match.Status.PLAYING and not moved
        if still:
            lobby.play(table.place(turn), ply, plain.code)
        else:
            with pytest.raises(lobby.Refused, match="stale"):
                lobby.play(plain.place, ply, plain.code)


# ---- what goes the long way ----------------------------------------------------------------------


def test_a_play_that_is_not_plain_is_not_planned() -> None:
    table = full_table()
    seen, code = picture(table.code), table.legal()[0]
    assert fast_path.plan(seen, table.place(0), 1, code) is not None
    assert fast_path.plan(None, table.place(0), 1, code) is None  # no picture
    assert fast_path.plan(seen, table.place(0), 2, code) is None  # another ply
    assert fast_path.plan(seen, table.place(1), 1, code) is None  # not on turn
    assert fast_path.plan(seen, table.place(0), 1, "joker") is None  # not legal


def test_the_last_play_of_a_deal_is_not_planned() -> None:
    table = full_table()
    table.play_random(random.Random(1), 51)
    turn = table.turn
    assert turn is not None
    seen = picture(table.code)
    assert fast_path.plan(seen, table.place(turn), table.row.ply, table.legal()[0]) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.play(table.legal()[0]),
        lambda table: lobby.rename(table.place(2), "Somebody else"),
        lambda table: table.leave(1),
        lambda table: table.move(0, "another browser"),
        lambda table: Seat.objects.filter(table__code=table.code, index=0).update(holder="x"),
        lambda table: Match.objects.filter(pk=table.match).update(status="waiting"),
    ],
    ids=["played", "renamed", "left", "moved", "held by another", "not playing"],
)
def test_a_table_that_has_changed_since_is_left_alone(change: Callable[[Table], object]) -> None:
    table = full_table()
    plain = planned(table)
    change(table)
    before = rows(table)
    assert fast_path.commit([plain]) == set()
    assert rows(table) == before


# ---- together ------------------------------------------------------------------------------------


def test_plays_of_many_tables_are_one_transaction_and_a_late_one_holds_up_none() -> None:
    tables = [full_table() for _ in range(5)]
    plays = [planned(table) for table in tables]
    tables[2].play(plays[2].code)
    commits: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        commits.append(sql.split()[0])
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        written = fast_path.commit(plays)
    assert written == {*plays} - {plays[2]}
    assert commits == ["BEGIN", "WITH", "WITH"]
    assert [table.row.ply for table in tables] == [2] * 5


def test_the_same_play_twice_is_written_once() -> None:
    table = full_table()
    first, again = planned(table), planned(table)
    assert len(fast_path.commit([first, again])) == 1
    assert table.deal.plays.split() == [first.code]


def test_when_a_transaction_fails_all_of_it_is_undone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tables = [full_table() for _ in range(3)]
    plays = [planned(table) for table in tables]
    before = [rows(table) for table in tables]
    append = fast_path._append

    def breaks(cursor: Any, moved: list[fast_path.Plain]) -> None:
        append(cursor, moved[:2])
        raise OperationalError("7H")

    with monkeypatch.context() as broken:
        broken.setattr(fast_path, "_append", breaks)
        assert fast_path.commit(plays) == set()
    assert [rows(table) for table in tables] == before
    assert "3 plays could not be written together: OperationalError" in caplog.text
    assert "7H" not in caplog.text
    assert fast_path.commit(plays) == {*plays}


def test_what_fails_together_goes_through_alone_and_each_player_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [full_table() for _ in range(3)]

    def breaks(cursor: Any, moved: list[fast_path.Plain]) -> None:
        raise OperationalError

    monkeypatch.setattr(fast_path, "_append", breaks)
    long = gauges.plays["long"]

    async def scenario() -> None:
        everybody = [await all_connected(table) for table in tables]
        for clients in everybody:
            await clients[0].play("dark", 1)
        for clients in everybody:
            for client in clients:
                assert (await client.until("snapshot", ply=2))["view"]["trick"][0]["dark"]
        for clients in everybody:
            await drop_all(clients)

    run(scenario)
    assert gauges.plays["long"] == long + 3
    assert [table.deal.plays.split() for table in tables] == [["dark"]] * 3


def test_nothing_is_shown_before_it_is_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    table = full_table()
    shown: list[tuple[int, int]] = []
    show = live.show

    def look(picture: Picture, code: str) -> None:
        shown.append((picture.at.ply, ply()))
        show(picture, code)

    def ply() -> int:
        """As somebody else reads it now."""
        with sqlite3.connect(connection.settings_dict["NAME"]) as other:
            return int(
                other.execute("SELECT ply FROM game_match WHERE id = ?", [match]).fetchone()[0]
            )

    match = table.match
    monkeypatch.setattr(live, "show", look)

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[0].play("dark", 1)
        for client in clients:
            await client.until("snapshot", ply=2)
        await drop_all(clients)

    run(scenario)
    assert shown == [(2, 2)]


def test_a_play_that_is_written_while_its_player_goes_is_shown_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = full_table()
    gate = Gate(fast_path.commit)
    monkeypatch.setattr(fast_path, "commit", gate)

    async def scenario() -> None:
        clients = await all_connected(table)
        await clients[0].play("dark", 1)
        await eventually(gate.reached.is_set)
        await clients[0].drop()
        gate.opened.set()
        for client in clients[1:]:
            await client.until("snapshot", ply=2)
        await drop_all(clients[1:])

    run(scenario)


# ---- plays of other processes --------------------------------------------------------------------


def test_a_play_of_another_process_is_shown_to_all_also_after_one_seat_has_it(
    settings: Settings,
) -> None:
    """Who comes just then is shown it first; the others wait for the ring that brings it."""
    settings.TABLES_PULSE = 1000.0
    table = full_table()

    async def scenario() -> None:
        clients = await all_connected(table)
        with pytest.MonkeyPatch.context() as deaf:
            deaf.setattr(live, "ring", lambda code: None)
            await db(table.play)("dark")  # as another process would
        late = Client(table.code, await db(table.cookie)(3))
        assert await late.connect()
        shown = await late.expect("snapshot")
        assert shown["ply"] == 2
        version = shown["version"]
        live._hear([["ring", table.code, [[version, "dark"]]]])
        for client in clients:
            assert (await client.expect("snapshot"))["ply"] == 2
        await drop_all([*clients, late])

    run(scenario)


def test_a_picture_from_before_a_seat_was_taken_does_not_turn_its_new_page_away() -> None:
    table = full_table()

    async def scenario() -> None:
        old = await connected(table, 1)
        before = live.picture(table.code)
        assert before is not None
        with pytest.MonkeyPatch.context() as deaf:
            deaf.setattr(live, "ring", lambda code: None)
            await db(table.move)(0, "another browser")
        new = await connected(table, 0)
        live._show(before, list(live._here.sockets[table.code]))
        await new.say(type="ping")
        assert (await new.expect("pong"))["version"] == before.at.version + 1
        await drop_all([old, new])

    run(scenario)


def test_a_picture_is_kept_while_somebody_here_looks_at_it() -> None:
    table = full_table()

    async def scenario() -> None:
        assert live.picture(table.code) is None
        clients = await all_connected(table)
        kept = live.picture(table.code)
        assert kept is not None
        await db(lobby.rename)(await db(table.place)(1), "Other")
        for client in clients:
            await client.expect("snapshot")
        newer = live.picture(table.code)
        assert newer is not None
        assert newer.at.version == kept.at.version + 1
        await drop_all(clients)
        await eventually(lambda: live.picture(table.code) is None)
        await quiet()

    run(scenario)
