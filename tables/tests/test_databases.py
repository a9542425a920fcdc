"""Races on real threads, on a SQLite file and on PostgreSQL, with the connections of the settings.

Each race is run both freely and *held*: everybody first queues behind a transaction that has the
match row, so that all have read before any writes. What must hold afterwards is read from the
database, as a process that has just started would.
"""

from __future__ import annotations

import json
import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.db.models import Q
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from game import matches
from game.engine.base import freeze, replay, thaw
from game.engine.cards import PACK
from game.engine.registry import find
from game.engine.ristikontra import Sheet
from game.models import Deal, Match
from tables import live, lobby, people
from tables.models import Seat, Table
from tables.tests import services

GAME = find("ristikontra")
SEATS = 4
POOL = 8
"""Connections to PostgreSQL at most, as the settings have it."""
WAIT = 20.0
ROUNDS = 12

Call = Callable[[], Any]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """An empty database in place of the tests' own, in this thread and all that start meanwhile."""
    if request.param == "sqlite":
        url = request.getfixturevalue("new_sqlite")()
    else:
        url = request.getfixturevalue("postgres").database()
    settings = subprocess.run(
        [
            *(services.PYTHON, "-c"),
            "import json; from django.conf import settings\n"
            "print(json.dumps(settings.DATABASES['default']))",
        ],
        cwd=services.ROOT,
        env=services.environment(url),
        capture_output=True,
        check=True,
    ).stdout
    usual = connections.settings["default"], connections["default"]
    connections.settings["default"] = ConnectionHandler({"default": json.loads(settings)}).settings[
        "default"
    ]
    connections["default"] = connections.create_connection("default")
    matches.forget()
    with django_db_blocker.unblock():
        assert connection.vendor == request.param
        connection.ensure_connection()  # and SQLite keeps its log while it is open
        yield
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]
    connections.settings["default"], connections["default"] = usual
    matches.forget()


pytestmark = pytest.mark.usefixtures("database")

held_or_free = pytest.mark.parametrize("held", [False, True], ids=["free", "held"])


# ---- running at once -----------------------------------------------------------------------------


def at_once(match: int, calls: list[Call], held: bool, in_order: bool = False) -> list[Any]:
    """Run all calls, each in a thread of its own, let go at one moment; what each returned, or the
    code of its refusal. ``in_order``: held, they queue one after the other (on PostgreSQL)."""
    begun: list[int] = []
    ended: list[int] = []
    gate = threading.Barrier(1 if in_order else len(calls))

    def run(number: int) -> Any:
        try:
            if len(calls) < POOL:
                connection.ensure_connection()
            gate.wait(WAIT)
            begun.append(number)
            try:
                return calls[number]()
            except lobby.Refused as refused:
                return refused.code
        finally:
            ended.append(number)
            connection.close()

    def queued(many: int) -> bool:
        if connection.vendor == "sqlite":  # does not tell who waits
            return len(begun) >= many
        return _waiting() + len(ended) >= min(many, POOL - 1)

    with ThreadPoolExecutor(len(calls)) as pool:
        if not held:
            return [one.result() for one in [pool.submit(run, n) for n in range(len(calls))]]
        with transaction.atomic():
            assert matches.touch(match, Q())
            running = []
            for number in range(len(calls)):
                running.append(pool.submit(run, number))
                if in_order:
                    services.wait_until(lambda: queued(len(running)), WAIT, "queued")
            services.wait_until(lambda: queued(len(calls)), WAIT, "all queued")
            transaction.set_rollback(True)
        return [one.result() for one in running]


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def shuffled(calls: list[Call]) -> list[Call]:
    return random.sample(calls, len(calls))


# ---- tables in some state ------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """A table of the tests: browser n of ``browsers`` sits, or would sit, at seat n."""

    code: str
    match: int
    browsers: tuple[str, ...]

    def claim(self, seat: int, browser: str | None = None, name: str = "") -> Call:
        browser = browser or self.browsers[seat]
        signature = people.sign(people.Link.INVITE, self.code, seat, 0)
        return lambda: lobby.claim(self.code, seat, signature, browser, name)

    def leave(self, seat: int, shown: str = "playing") -> Call:
        return lambda: lobby.leave(self.code, self.browsers[seat], shown)

    def play(self, seat: int, ply: int, code: str) -> Call:
        holder = self.seats()[seat].holder
        return lambda: lobby.play(lobby.Place(self.code, self.match, seat, holder), ply, code)

    def next_deal(self, seat: int, ply: int) -> Call:
        holder = self.seats()[seat].holder
        return lambda: lobby.next_deal(lobby.Place(self.code, self.match, seat, holder), ply)

    def seats(self) -> list[Seat]:
        return list(Seat.objects.filter(table__code=self.code).order_by("index"))

    def row(self) -> Match:
        return Match.objects.get(pk=self.match)

    def deals(self) -> list[Deal]:
        return list(Deal.objects.filter(match=self.match).order_by("number"))

    def check(self) -> matches.Position:
        """The position as the database has it. What memory has must be the same."""
        ply = self.row().ply
        remembered = matches.position(self.match, ply)
        matches.forget()
        read = matches.position(self.match, ply)
        assert remembered == read
        played = sum(len(deal.plays.split()) for deal in self.deals())
        assert ply == played + len(self.deals()), "a play or a deal without its ply"
        return read


def waiting(seated: int = 1) -> At:
    """A table that waits for guests, the first ``seated`` seats being taken."""
    browsers = tuple(f"browser {seat} {random.random()}" for seat in range(SEATS))
    code = lobby.open_table("ristikontra", SEATS, {}, browsers[0], "", voice=False)
    table = At(code, Table.objects.get(code=code).match_id, browsers)
    for seat in range(1, seated):
        table.claim(seat)()
    return table


def playing() -> At:
    """A table at its first play."""
    return waiting(SEATS)


def before_the_last_play(score: tuple[int, int]) -> tuple[At, int, str]:
    """A table whose deal has one play left, which the returned seat may make with that code. The
    deal has a winner, and ends the match when both sides have six."""
    table = playing()
    sheet = Sheet(dealer=0, score=score)
    while True:
        pack = tuple(random.sample(PACK, len(PACK)))
        state = before = GAME.deal(sheet, pack)
        plays: list[str] = []
        while state.turn is not None:
            before = state
            plays.append(GAME.legal(state)[0])
            state = GAME.play(state, plays[-1])
        if GAME.settle(state).score != score:
            break
    Deal.objects.filter(match=table.match).update(
        pack=" ".join(pack), plays=" ".join(plays[:-1]), sheet=thaw(sheet)
    )
    Match.objects.filter(pk=table.match).update(sheet=thaw(sheet), ply=len(plays))
    matches.forget()
    return table, before.turn, plays[-1]


def finish_deal(table: At) -> int:
    """Play to the end of the deal, which does not end the match; the ply."""
    ply = table.row().ply
    while (state := matches.position(table.match, ply).state).turn is not None:
        table.play(state.turn, ply, GAME.legal(state)[0])()
        ply += 1
    return ply


# ---- sitting down --------------------------------------------------------------------------------


@held_or_free
def test_forty_claims_of_one_invite_seat_exactly_one(held: bool) -> None:
    """CASE 4."""
    for _ in range(ROUNDS // 3):
        table = waiting()
        version = table.row().version
        browsers = [f"guest {number}" for number in range(40)]
        came = at_once(table.match, [table.claim(2, browser) for browser in browsers], held)

        assert came.count(None) == 1
        assert came.count("taken") == 39
        winner = browsers[came.index(None)]
        seat = table.seats()[2]
        assert people.holds(seat.holder, winner, table.code, 2, seat.turnover)
        assert table.row().version == version + 1, "those refused have changed nothing"


@held_or_free
def test_the_last_two_claims_at_once_deal_once(held: bool) -> None:
    for _ in range(ROUNDS):
        table = waiting(seated=2)
        came = at_once(table.match, shuffled([table.claim(2), table.claim(3)]), held)

        assert came == [None, None]
        assert all(seat.holder for seat in table.seats())
        assert [deal.number for deal in table.deals()] == [1]
        assert (table.row().status, table.row().ply) == ("playing", 1)
        table.check()


@held_or_free
def test_one_browser_claims_two_seats_at_once_and_gets_one(held: bool) -> None:
    for _ in range(ROUNDS):
        table = waiting()
        came = at_once(table.match, [table.claim(1, "one"), table.claim(2, "one")], held)

        assert sorted(map(str, came)) == ["None", "seated"]
        assert [bool(seat.holder) for seat in table.seats()].count(True) == 2


@held_or_free
def test_two_guests_claim_one_name_at_once_and_one_has_it(held: bool) -> None:
    for _ in range(ROUNDS):
        table = waiting()
        calls = [table.claim(1, name="Aino"), table.claim(2, name="aino")]
        came = at_once(table.match, calls, held)

        assert sorted(map(str, came)) == ["None", "name"]
        assert len([seat for seat in table.seats() if seat.name]) == 1


@held_or_free
def test_a_claim_and_a_renewal_of_its_invite(held: bool) -> None:
    for _ in range(ROUNDS):
        table = waiting()
        renew = lambda: lobby.turn_over(table.code, table.browsers[0], 1, 0)  # noqa: B023, E731
        claimed, renewed = at_once(table.match, [table.claim(1), renew], held)

        seat = table.seats()[1]
        if claimed is None:
            assert renewed in (None, "changed")
            assert bool(seat.holder) == (renewed == "changed")
        else:
            assert (claimed, renewed) == ("renewed", None)
            assert not seat.holder
        assert seat.turnover == (renewed is None)


@held_or_free
def test_a_guest_leaves_while_the_last_claim_deals(held: bool) -> None:
    for _ in range(ROUNDS):
        table = waiting(seated=3)
        claimed, left = at_once(table.match, [table.claim(3), table.leave(1, "waiting")], held)

        assert claimed is None
        row = table.row()
        if left == "freed":
            assert (row.status, row.ply, table.deals()) == ("waiting", 0, [])
            assert [bool(seat.holder) for seat in table.seats()] == [True, False, True, True]
        else:
            assert (left, row.status) == ("changed", "playing")
            assert [deal.number for deal in table.deals()] == [1]


# ---- plays ---------------------------------------------------------------------------------------


@held_or_free
def test_four_seats_play_at_once_and_one_play_counts(held: bool) -> None:
    """CASE 19. Who comes after the play that counts may hear instead that the table has moved."""
    table = playing()
    for _ in range(ROUNDS):
        ply = table.row().ply
        if ply % 2:
            matches.forget()
        state = matches.position(table.match, ply).state
        turn = state.turn
        assert turn is not None
        codes = [GAME.view(state, seat)["hand"][0] for seat in range(SEATS)]
        codes[turn] = GAME.legal(state)[0]
        came = at_once(
            table.match, [table.play(seat, ply, codes[seat]) for seat in range(SEATS)], held
        )

        assert came.pop(turn) is None
        assert set(came) <= {"not-your-turn", "stale"}
        if held and connection.vendor == "postgresql":  # where all four are known to be waiting
            assert set(came) == {"not-your-turn"}
        assert table.check().state == GAME.play(state, codes[turn])


@held_or_free
def test_one_play_sent_twice_is_made_once(held: bool) -> None:
    """CASE 16."""
    table = playing()
    for _ in range(2 * ROUNDS):
        ply = table.row().ply
        if ply % 2:
            matches.forget()
        state = matches.position(table.match, ply).state
        assert state.turn is not None
        play = table.play(state.turn, ply, GAME.legal(state)[0])
        came = at_once(table.match, [play, play], held)

        assert sorted(map(str, came)) == ["None", "stale"]
        assert table.check().state == GAME.play(state, GAME.legal(state)[0])


@held_or_free
def test_two_different_plays_for_one_ply_and_one_is_made(held: bool) -> None:
    """Two tabs of one seat (CASES 16, 18)."""
    table = playing()
    for _ in range(ROUNDS):
        ply = table.row().ply
        state = matches.position(table.match, ply).state
        assert state.turn is not None
        codes = GAME.legal(state)[:2]
        came = at_once(table.match, [table.play(state.turn, ply, code) for code in codes], held)

        assert sorted(map(str, came)) == ["None", "stale"]
        assert table.check().state == GAME.play(state, codes[came.index(None)])


def test_a_play_that_is_not_committed_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    table = playing()
    state = matches.position(table.match, 1).state
    assert state.turn is not None
    play = table.play(state.turn, 1, GAME.legal(state)[0])

    def fail(code: str) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(lobby, "_ring", fail)
        play()
    assert table.check().state == state
    play()
    assert table.check().ply == 2


def test_nobody_is_rung_before_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[bool] = []
    monkeypatch.setattr(live, "ring", lambda code: rung.append(connection.in_atomic_block))
    table = playing()
    state = matches.position(table.match, 1).state
    assert state.turn is not None
    table.play(state.turn, 1, GAME.legal(state)[0])()
    table.leave(0)()

    assert rung == [False] * 5  # three claims, the play, the leave


@held_or_free
def test_four_press_for_the_next_deal_and_it_is_dealt_once(held: bool) -> None:
    table = playing()
    for number in range(2, 2 + ROUNDS // 3):
        ply = finish_deal(table)
        if table.row().status == "over":
            break
        came = at_once(table.match, [table.next_deal(seat, ply) for seat in range(SEATS)], held)

        assert sorted(map(str, came)) == ["None", "stale", "stale", "stale"]
        assert [deal.number for deal in table.deals()] == list(range(1, number + 1))
        assert table.row().ply == ply + 1
        table.check()


# ---- leaving -------------------------------------------------------------------------------------


@held_or_free
def test_a_play_and_a_leave(held: bool) -> None:
    """CASE 20. In either order the match is drawn, and no play comes after that."""
    for _ in range(ROUNDS):
        table = playing()
        state = matches.position(table.match, 1).state
        turn, code = state.turn, GAME.legal(state)[0]
        assert turn is not None
        play, leave = table.play(turn, 1, code), table.leave((turn + 1) % SEATS)
        calls = shuffled([play, leave])
        came = dict(zip(calls, at_once(table.match, calls, held), strict=True))

        row, plays = table.row(), table.deals()[0].plays.split()
        assert came[leave] == "drawn"
        assert row.outcome == {
            "outcome": "draw",
            "reason": "left",
            "score": [0, 0],
            "seat": (turn + 1) % SEATS,
        }
        if came[play] is None:
            assert (row.ply, plays) == (2, [code])
        else:
            assert came[play] == "stale"
            assert (row.ply, plays) == (1, [])
        state = matches.position(table.match, row.ply).state
        assert state.turn is not None
        with pytest.raises(lobby.Refused, match="stale"):
            table.play(state.turn, row.ply, GAME.legal(state)[0])()
        assert (table.row().ply, table.row().version) == (row.ply, row.version)


@held_or_free
def test_a_leave_and_the_winning_play(held: bool) -> None:
    """CASE 20. The first commit stands: a finished match never becomes a draw."""
    for _ in range(2 * ROUNDS):
        table, turn, code = before_the_last_play(score=(6, 6))
        play, leave = table.play(turn, table.row().ply, code), table.leave((turn + 1) % SEATS)
        calls = shuffled([play, leave])
        came = dict(zip(calls, at_once(table.match, calls, held), strict=True))

        row, deal = table.row(), table.deals()[0]
        assert row.status == "over"
        assert row.outcome is not None
        if came[play] is None:
            assert came[leave] == "changed"
            assert row.outcome["outcome"] == "win"
            assert len(deal.plays.split()) == len(PACK)
            assert deal.count is not None
        else:
            assert (came[play], came[leave]) == ("stale", "drawn")
            assert row.outcome["outcome"] == "draw"
            assert row.outcome["score"] == [6, 6]
            assert len(deal.plays.split()) == len(PACK) - 1
            assert deal.count is None


@held_or_free
def test_a_leave_tells_the_score_as_it_was_when_the_match_ended(held: bool) -> None:
    """The leaver has read the score before the last play of the deal is committed."""
    for _ in range(ROUNDS):
        table, turn, code = before_the_last_play(score=(0, 0))
        play, leave = table.play(turn, table.row().ply, code), table.leave((turn + 1) % SEATS)
        played, left = at_once(table.match, [play, leave], held, in_order=True)

        assert left == "drawn"
        row, deal = table.row(), table.deals()[0]
        assert row.outcome is not None
        pack, plays = tuple(deal.pack.split()), deal.plays.split()
        state = replay(GAME, freeze(GAME.sheet_type, deal.sheet), pack, plays)
        assert row.outcome["score"] == GAME.view(state, 0)["score"]
        assert (played is None) == (state.turn is None)


@held_or_free
def test_all_four_leave_at_once_and_one_has_ended_it(held: bool) -> None:
    for _ in range(ROUNDS):
        table = playing()
        came = at_once(table.match, [table.leave(seat) for seat in range(SEATS)], held)

        assert sorted(came) == ["changed", "changed", "changed", "drawn"]
        outcome = table.row().outcome
        assert outcome is not None
        assert outcome["seat"] == came.index("drawn")
