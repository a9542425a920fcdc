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

from game import archive, matches
from game.engine.base import freeze, replay, thaw
from game.engine.cards import PACK
from game.engine.registry import find
from game.engine.ristikontra import Sheet
from game.models import Deal, Match, Tally
from tables import fast_path, live, lobby, people, presence
from tables.models import Line, Seat, Sitting, Table
from tables.reading import lines, picture
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
    # Nobody is to lose patience because other work keeps the machine from its own.
    chosen = settings.replace(b"lock_timeout=4000", b"lock_timeout=20000")
    chosen = chosen.replace(b"statement_timeout=5000", b"statement_timeout=25000")
    configured = json.loads(chosen)
    if pool := configured.get("OPTIONS", {}).get("pool"):
        pool["timeout"] = 30
    usual = connections.settings["default"], connections["default"]
    connections.settings["default"] = ConnectionHandler({"default": configured}).settings["default"]
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
        # A transaction keeps the list of connections that it first saw; some may be new since.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
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

    def claim(
        self, seat: int, browser: str | None = None, name: str = "", turnover: int = 0
    ) -> Call:
        browser = browser or self.browsers[seat]
        signature = people.sign(people.Link.INVITE, self.code, seat, turnover)
        return lambda: lobby.claim(self.code, seat, signature, browser, name)

    def leave(self, seat: int, shown: str = "playing") -> Call:
        return lambda: lobby.leave(self.code, self.browsers[seat], shown)

    def play(self, seat: int, ply: int, code: str) -> Call:
        """A play, by either way."""
        place, seen = self.place(seat), picture(self.code)
        short = fast_path.plan(seen, place, ply, code) if random.random() < 0.5 else None

        def play() -> None:
            if short is None or not fast_path.commit([short]):
                lobby.play(place, ply, code)

        return play

    def next_deal(self, seat: int, ply: int) -> Call:
        holder = self.seats()[seat].holder
        return lambda: lobby.next_deal(lobby.Place(self.code, self.match, seat, holder), ply)

    def say(self, seat: int, client: str, text: str = "Well, well") -> Call:
        place = self.place(seat)
        return lambda: lobby.say(place, client, text)

    def rename(self, seat: int, name: str) -> Call:
        place = self.place(seat)
        return lambda: lobby.rename(place, name)

    def agree(self, seat: int, to: str) -> Call:
        place = self.place(seat)
        return lambda: lobby.agree(place, to)

    def turn_over(self, index: int, by: int = 0) -> Call:
        seat = self.seats()[index]
        shown = (seat.turnover, bool(seat.holder))
        return lambda: lobby.turn_over(self.code, self.browsers[by], index, *shown)

    def move(self, seat: int, browser: str) -> Call:
        """The holder goes on in another browser."""
        turnover = self.seats()[seat].turnover
        signature = people.sign(people.Link.RETURN, self.code, seat, turnover)
        return lambda: lobby.move(self.code, seat, signature, browser)

    def place(self, seat: int) -> lobby.Place:
        return lobby.Place(self.code, self.match, seat, self.seats()[seat].holder)

    def lines(self) -> list[Line]:
        return list(Line.objects.filter(table__code=self.code).order_by("number"))

    def now(self) -> Match:
        """The match that is played there now, which may be the next."""
        return Match.objects.get(table__code=self.code)

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
        renew = table.turn_over(1)
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
    place, code = table.place(state.turn), GAME.legal(state)[0]

    def fail(code: str) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(lobby, "_ring", fail)
        lobby.play(place, 1, code)
    assert table.check().state == state
    lobby.play(place, 1, code)
    assert table.check().ply == 2


def test_nobody_is_rung_before_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[bool] = []
    monkeypatch.setattr(live, "ring", lambda code: rung.append(connection.in_atomic_block))
    table = playing()
    state = matches.position(table.match, 1).state
    assert state.turn is not None
    lobby.play(table.place(state.turn), 1, GAME.legal(state)[0])
    table.leave(0)()

    assert rung == [False] * 5  # three claims, the play, the leave


def test_plays_together_wait_a_moment_for_a_table_that_somebody_is_writing() -> None:
    """Then each goes alone, and those of other tables through (on SQLite there is one lock)."""
    plays = []
    for table in (playing(), playing()):
        state = matches.position(table.match, 1).state
        assert state.turn is not None
        place, code = table.place(state.turn), GAME.legal(state)[0]
        plain = fast_path.plan(picture(table.code), place, 1, code)
        assert plain is not None
        plays.append(plain)

    def write(*some: fast_path.Plain) -> set[fast_path.Plain]:
        usual = connections["default"]
        fast_path.be_impatient()
        try:
            return fast_path.commit(some)
        finally:
            connection.close()
            connections["default"] = usual

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assert matches.touch(plays[0].place.match, Q())
            assert pool.submit(write, *plays).result(WAIT) == set()
            alone = pool.submit(write, plays[1]).result(WAIT)
        assert alone == ({plays[1]} if connection.vendor == "postgresql" else set())
        assert pool.submit(write, *plays).result(WAIT) == {*plays} - alone - {plays[0]}


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


# ---- talk ----------------------------------------------------------------------------------------


@held_or_free
def test_twenty_lines_said_at_once_have_twenty_numbers(held: bool) -> None:
    """CASE 29: none is lost, none is doubled, and the table itself has not moved."""
    for _ in range(ROUNDS // 3):
        table = playing()
        version = table.row().version
        calls = [table.say(number % SEATS, f"line.{number}", f"{number}") for number in range(20)]
        came = at_once(table.match, shuffled(calls), held)

        assert came == [None] * 20
        lines = table.lines()
        assert [line.number for line in lines] == [line.changed for line in lines]
        assert [line.number for line in lines] == list(range(1, 21))
        assert {line.text for line in lines} == {str(number) for number in range(20)}
        assert (table.row().said, table.row().version) == (20, version)


@held_or_free
def test_whoever_reads_meanwhile_misses_no_line(held: bool) -> None:
    """CASE 29: lines read after a number never have a smaller one to come later."""
    table = playing()
    heard: list[int] = []
    done = threading.Event()

    def read() -> None:
        try:
            while True:
                last = done.is_set()
                said = Match.objects.values_list("said", flat=True).get(pk=table.match)
                since = heard[-1] if heard else 0
                heard.extend(one[0] for one in lines(table.code, since) if one[0] <= said)
                if last:
                    return
        finally:
            connection.close()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for five in range(ROUNDS // 3):  # of the connections one is the reader's
            calls = [table.say(number % SEATS, f"line.{five}.{number}") for number in range(5)]
            assert at_once(table.match, calls, held) == [None] * 5
    finally:
        done.set()
        reader.join()
    assert heard == list(range(1, 5 * (ROUNDS // 3) + 1))


@held_or_free
def test_one_line_sent_by_two_tabs_at_once_is_said_once(held: bool) -> None:
    for _ in range(ROUNDS):
        table = playing()
        came = at_once(table.match, [table.say(1, "same"), table.say(1, "same")], held)

        assert came == [None, None]
        assert [line.number for line in table.lines()] == [1]
        assert table.row().said == 1


@held_or_free
def test_a_flood_at_once_is_let_through_no_more_than_one_by_one(held: bool) -> None:
    for _ in range(ROUNDS // 3):
        table = playing()
        many = lobby.LINES + 6
        came = at_once(table.match, [table.say(2, f"l.{n}") for n in range(many)], held)

        assert came.count(None) == lobby.LINES
        assert came.count("chat-too-fast") == 6
        assert [line.number for line in table.lines()] == list(range(1, lobby.LINES + 1))


@held_or_free
def test_talk_and_play_do_not_stand_in_each_others_way(held: bool) -> None:
    table = playing()
    state = matches.position(table.match, 1).state
    assert state.turn is not None
    play = table.play(state.turn, 1, GAME.legal(state)[0])
    came = at_once(table.match, shuffled([play, *(table.say(s, "1") for s in range(SEATS))]), held)

    assert came == [None] * 5
    assert (table.row().ply, table.row().said) == (2, 4)
    table.check()


# ---- people --------------------------------------------------------------------------------------


@held_or_free
def test_two_take_one_name_at_once_and_one_has_it(held: bool) -> None:
    """CASE 5."""
    for _ in range(ROUNDS):
        table = playing()
        came = at_once(table.match, [table.rename(1, "Aino"), table.rename(2, "A1no")], held)

        assert sorted(map(str, came)) == ["None", "name"]
        assert len([seat for seat in table.seats() if seat.name]) == 1


@held_or_free
def test_a_guest_who_is_freed_names_nobody_else(held: bool) -> None:
    """The rename waits while the host frees the seat and somebody else sits down."""
    for _ in range(ROUNDS):
        table = waiting(seated=2)
        rename, free = table.rename(1, "Väinö"), table.turn_over(1)
        claim = table.claim(1, "another", turnover=1)

        def change(free: Call = free, claim: Call = claim) -> None:
            with transaction.atomic():
                free()
                claim()

        renamed, changed = at_once(table.match, [rename, change], held)
        assert changed is None
        assert renamed in (None, "stale")
        assert table.seats()[1].name == ""


@held_or_free
def test_one_return_link_used_at_once_by_two_moves_the_seat_to_one(held: bool) -> None:
    """CASES 2, 3."""
    for _ in range(ROUNDS):
        table = playing()
        calls = [table.move(1, "phone"), table.move(1, "tablet")]
        came = at_once(table.match, calls, held)

        assert sorted(map(str, came)) == ["None", "returned"]
        seat = table.seats()[1]
        winner = ("phone", "tablet")[came.index(None)]
        assert seat.turnover == 1
        assert people.holds(seat.holder, winner, table.code, 1, 1)


@held_or_free
def test_a_play_and_a_move_of_its_seat(held: bool) -> None:
    """CASE 3: played before, or not at all; and the new browser goes on either way."""
    for _ in range(ROUNDS):
        table = playing()
        state = matches.position(table.match, 1).state
        turn, code = state.turn, GAME.legal(state)[0]
        assert turn is not None
        played, moved = at_once(
            table.match, [table.play(turn, 1, code), table.move(turn, "phone")], held
        )

        assert moved is None
        assert played in (None, "stale")
        assert table.row().ply == (2 if played is None else 1)
        if played:
            table.play(turn, 1, code)()
        assert table.check().state == GAME.play(state, code)


@held_or_free
def test_three_agree_at_once_and_the_lost_seat_is_given_up_once(held: bool) -> None:
    """CASE 3."""
    for _ in range(ROUNDS):
        table = playing()
        for seat in (0, 1, 3):
            presence.arrive("process", table.code, seat)
        came = at_once(table.match, [table.agree(seat, "reissue:2") for seat in (0, 1, 3)], held)

        assert came == [None] * 3
        lost = table.seats()[2]
        assert (lost.holder, lost.turnover) == ("", 1)
        assert [line.kind for line in table.lines()] == ["reissued"]
        assert [one.agrees for one in table.seats()] == [""] * 4


@held_or_free
def test_a_lost_person_comes_back_while_the_last_agrees(held: bool) -> None:
    """CASE 3: in time the seat is theirs and nothing is agreed; else they hold it no more."""
    for _ in range(ROUNDS):
        table = playing()
        for seat in (0, 1, 3):
            presence.arrive("process", table.code, seat)
        for seat in (0, 1):
            table.agree(seat, "reissue:2")()
        place = table.place(2)
        agreed, _ = at_once(
            table.match,
            [table.agree(3, "reissue:2"), lambda: lobby.arrive("process", place)],  # noqa: B023
            held,
        )

        lost = table.seats()[2]
        assert agreed in (None, "present")
        if agreed:
            assert lost.holder
        assert (lost.turnover == 1) == (not lost.holder)
        assert not any(one.agrees for one in table.seats()) or lost.holder


# ---- again ---------------------------------------------------------------------------------------


def over() -> At:
    """A table whose match was drawn because somebody has left."""
    table = playing()
    table.leave(2)()
    return table


@held_or_free
def test_four_say_again_at_once_and_exactly_one_match_opens(held: bool) -> None:
    for _ in range(ROUNDS):
        table = over()
        before = table.row()
        dealer = table.deals()[0].sheet["dealer"]
        came = at_once(table.match, [table.agree(seat, "again") for seat in range(SEATS)], held)

        assert came == [None] * 4
        sittings = Sitting.objects.filter(table__code=table.code).order_by("number")
        assert [one.number for one in sittings] == [1, 2]
        now = table.now()
        assert now.pk == sittings[1].match_id != before.pk
        assert (now.status, now.ply) == ("playing", before.ply + 1)
        assert now.version > table.row().version > before.version
        [deal] = Deal.objects.filter(match=now)
        assert deal.sheet["dealer"] == (dealer + 1) % SEATS
        assert [seat.agrees for seat in table.seats()] == [""] * 4
        assert matches.position(now.pk, now.ply).state.turn == (dealer + 2) % SEATS


@held_or_free
def test_the_last_says_again_while_somebody_frees_his_seat(held: bool) -> None:
    """He is away, so both may be: he plays, or the match waits for another. Nobody is freed in the
    middle of a match."""
    for _ in range(ROUNDS):
        table = over()
        for seat in (0, 1, 2):
            table.agree(seat, "again")()
        again, freed = at_once(table.match, [table.agree(3, "again"), table.turn_over(3)], held)

        now, last = table.now(), table.seats()[3]
        assert Sitting.objects.filter(table__code=table.code).count() == 2
        if again is None:
            assert freed in ("changed", "started")
            assert (now.status, bool(last.holder), last.turnover) == ("playing", True, 0)
        else:
            assert (again, freed) == ("stale", None)
            assert (now.status, last.holder, last.turnover) == ("waiting", "", 1)


@held_or_free
def test_names_lines_and_seats_that_change_as_the_next_match_opens(held: bool) -> None:
    """Each is done before or after, or refused as stale: nothing is written beside the table."""
    for _ in range(ROUNDS):
        table = over()
        for seat in (0, 1, 2):
            table.agree(seat, "again")()
        again, renamed, said, moved = at_once(
            table.match,
            [
                table.agree(3, "again"),
                table.rename(0, "Aino"),
                table.say(1, "1"),
                table.move(2, "phone"),
            ],
            held,
        )

        now, seats = table.now(), table.seats()
        assert again is None
        assert (now.status, now.pk != table.match) == ("playing", True)
        assert renamed in (None, "stale")
        assert seats[0].name == ("Aino" if renamed is None else "")
        assert said in (None, "stale")
        assert len(table.lines()) == now.said == (said is None)
        assert moved in (None, "changed")
        assert seats[2].turnover == (moved is None)
        version = now.version
        for call in [table_now(table).rename(0, "Kyllikki"), table_now(table).say(1, "2")]:
            call()
        assert table.now().version == version + 1


def table_now(table: At) -> At:
    """The table with its newest match."""
    return At(table.code, table.now().pk, table.browsers)


@held_or_free
def test_two_leave_a_second_waiting_at_once_and_the_last_closes_it(held: bool) -> None:
    """R14: one goes, and whoever is then the last has closed it."""
    for _ in range(ROUNDS):
        table = over()
        for seat in (2, 3):
            table.turn_over(seat)()
        for seat in (0, 1):
            table.agree(seat, "again")()
        assert table.now().status == "waiting"
        calls = [table.leave(seat, "waiting") for seat in (0, 1)]
        came = at_once(table.now().pk, calls, held)

        assert sorted(came) == ["closed", "freed"]
        now = table.now()
        assert now.status == "over"
        assert now.outcome is not None
        assert now.outcome["seat"] == came.index("closed")
        assert [bool(seat.holder) for seat in table.seats()].count(True) == 1


# ---- the end, its record and its count -----------------------------------------------------------


def test_matches_that_end_at_once_are_all_counted() -> None:
    """Also the first of a game, whose counters are not there yet."""
    for _ in range(ROUNDS // 3):
        Tally.objects.all().delete()
        tables = [playing() for _ in range(POOL - 1)]
        at_once(tables[0].match, [table.leave(1) for table in tables], held=False)
        tally = Tally.objects.get()
        assert (tally.matches, tally.broken_off) == (len(tables), len(tables))


@held_or_free
def test_a_leave_against_the_winning_play_is_one_end_and_one_count(held: bool) -> None:
    for _ in range(ROUNDS // 3):
        Tally.objects.all().delete()
        table, seat, code = before_the_last_play((6, 6))
        ply = table.row().ply
        calls = [table.play(seat, ply, code), table.leave((seat + 1) % SEATS)]
        at_once(table.match, shuffled(calls), held)
        tally = Tally.objects.get()
        left = (table.row().outcome or {})["outcome"] == "draw"
        assert (tally.matches, tally.broken_off) == (1, int(left))
        assert tally.deals == (0 if left else 1)


def test_the_record_opens_when_the_end_is_committed_and_not_before() -> None:
    table = playing()

    def export() -> str:
        try:
            archive.export(table.match)
        except archive.NoRecord as none:
            return none.code
        finally:
            connection.close()
        return "open"

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            table.leave(1)()
            assert table.row().status == "over"
            assert pool.submit(export).result() == "running"
        assert pool.submit(export).result() == "open"
