"""Four people at a table of real processes: killed, stopped, cut off, and back again.

Every test's logs are searched when it is over: no traceback, no card, nothing secret.
"""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from channels_redis.core import RedisChannelLayer

from tables.live import GROUP
from tables.protocol import CloseCode
from tables.tests.people_online import Person, everybody_sees, play_on, sit_together
from tables.tests.services import Postgres, Redis, wait_until
from tables.tests.stage import LONG_WAY, Stage, all_cut_off, deadly, file_of, stored

pytestmark = [pytest.mark.slow, pytest.mark.alone]

BACK = 10.0
"""Seconds in which all must see the next play once everything is back: five are promised (CASE 13),
and a machine that is busy with other tests may take twice that."""
NEVER = "1000"
"""A pulse that comes in no test: then only a ring can have brought the news."""
NewDatabase = Callable[[], str]


def trick(people: list[Person]) -> int:
    """How many cards lie in the trick."""
    return len(people[0].snapshot["view"]["trick"])


# ---- one process on SQLite -----------------------------------------------------------------------


def test_a_kill_in_mid_trick_changes_nothing(stage: Stage, new_sqlite: NewDatabase) -> None:
    """CASE 13."""
    database = new_sqlite()
    site = stage.site(database)

    async def scene() -> None:
        async with stage.four(site) as people:
            await play_on(people, 42)
            assert trick(people) == 2
            shown, kept = [person.snapshot for person in people], stored(database)
            site.kill()
            await all_cut_off(people)
            site.start()
            back = time.monotonic()
            await asyncio.gather(*(person.connect_again() for person in people))

            assert [person.snapshot for person in people] == shown
            assert stored(database) == kept
            await play_on(people, seconds=BACK)
            assert time.monotonic() - back < BACK
            await play_on(people, 12)  # into the next deal

    asyncio.run(scene())


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("way", ["", LONG_WAY], ids=["short", "long"])
def test_a_kill_at_the_commit_of_a_play(
    stage: Stage, new_sqlite: NewDatabase, tmp_path: Path, moment: str, way: str
) -> None:
    """CASE 14: killed after the commit, before anybody is told; and just before the commit."""
    database, trap = new_sqlite(), tmp_path / "trap"
    site = stage.site(database, first=deadly(moment, trap, way))

    async def scene() -> None:
        async with stage.four(site) as people:
            played = await play_on(people, 6)
            ply, turn = people[0].ply, people[0].turn
            assert turn is not None
            mover = people[turn]
            code = mover.first_legal()
            trap.touch()
            await mover.play(ply, code)
            await all_cut_off(people)
            assert site.ended() == -signal.SIGKILL
            trap.unlink()
            committed = stored(database)[0][1].split()
            assert committed == [*played, code] if moment == "after" else committed == played
            site.start()
            await asyncio.gather(*(person.connect_again() for person in people))

            await mover.play(ply, code)
            if moment == "after":
                assert {person.ply for person in people} == {ply + 1}
                refused = await mover.answer("refused")
                assert (refused["of"], refused["code"]) == ("play", "stale")
            await everybody_sees(people, ply + 1)
            assert stored(database)[0][1].split() == [*played, code]
            await play_on(people, seconds=BACK)

    asyncio.run(scene())


def test_a_stop_answers_what_is_in_flight_and_takes_its_leave(
    stage: Stage, new_sqlite: NewDatabase
) -> None:
    database = new_sqlite()
    site = stage.site(database)

    async def scene() -> None:
        async with stage.four(site) as people:
            await play_on(people, 5)
            ply, turn = people[0].ply, people[0].turn
            assert turn is not None
            with closing(sqlite3.connect(file_of(database), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                await people[turn].play(ply, people[turn].first_legal())
                await people[turn].answer("saving")
                for person in people:
                    person.heard.clear()
                asked = time.monotonic()
                assert site.process is not None
                site.process.send_signal(signal.SIGTERM)
                await turned_away(people[0])
                other.execute("ROLLBACK")
            await all_cut_off(people)
            status = site.ended(10 - (time.monotonic() - asked))

            assert status == 0
            for person in people:
                heard = [message["type"] for message in person.heard]
                assert heard == ["snapshot", "bye", "closing"]
                assert person.ply == ply + 1
                assert 0 <= person.heard[1]["after"] <= 3
                assert person.heard[2]["code"] == CloseCode.RESTART
                assert person.close_code == CloseCode.RESTART
            site.start()
            await asyncio.gather(*(person.connect_again() for person in people))
            await play_on(people, seconds=BACK)

    asyncio.run(scene())


async def turned_away(person: Person) -> None:
    """Wait until the site has taken note that it is to stop: it takes nobody new."""
    late = Person(person.site)
    late.web.cookies, late.page = person.web.cookies, person.page
    try:
        while late.close_code != CloseCode.RESTART:
            await late.connect()
    finally:
        await late.leave_site()


def test_a_stop_under_way_at_ten_tables_cuts_nobody_off(
    stage: Stage, new_sqlite: NewDatabase
) -> None:
    """Ten plays are sent as the process is told to stop: each is made once, now or when resent."""
    database = new_sqlite()
    site = stage.site(database)

    async def scene() -> None:
        people = [Person(site.url) for _ in range(40)]
        stage.people += people
        tables = [people[first : first + 4] for first in range(0, 40, 4)]
        try:
            for table in tables:
                await sit_together(table)
            movers = [table[table[0].turn or 0] for table in tables]
            codes = [mover.first_legal() for mover in movers]
            asked = time.monotonic()
            for mover, code in zip(movers, codes, strict=True):
                await mover.play(1, code)
            assert site.process is not None
            site.process.send_signal(signal.SIGTERM)
            await all_cut_off(people)
            assert site.ended(10 - (time.monotonic() - asked)) == 0
            assert {person.close_code for person in people} == {CloseCode.RESTART}
            assert all(person.heard[-2]["type"] == "bye" for person in people)
            shown = [max(person.ply for person in table) for table in tables]
            kept = [len(plays.split()) for _, plays in stored(database)]
            assert all(have >= seen - 1 for have, seen in zip(kept, shown, strict=True))

            site.start()
            await asyncio.gather(*(person.connect_again() for person in people))
            for mover, code in zip(movers, codes, strict=True):
                await mover.play(1, code)
            await everybody_sees(people, 2)
            assert [plays.split() for _, plays in stored(database)] == [[code] for code in codes]
        finally:
            await asyncio.gather(*(person.leave_site() for person in people))

    asyncio.run(scene())


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_the_commit_of_a_line(
    stage: Stage, new_sqlite: NewDatabase, tmp_path: Path, moment: str
) -> None:
    """CASES 14, 29: sent again after the restart, it is there once, and nothing else is lost."""
    database, trap = new_sqlite(), tmp_path / "trap"
    site = stage.site(database, first=deadly(moment, trap))

    async def scene() -> None:
        async with stage.four(site) as people:
            await people[0].say(type="say", id="one", text="one")
            await all_hear(people, "one")
            trap.touch()
            await people[1].say(type="say", id="two", text="two")
            await all_cut_off(people)
            assert site.ended() == -signal.SIGKILL
            trap.unlink()
            site.start()
            await asyncio.gather(*(person.connect_again() for person in people))
            await people[1].say(type="say", id="two", text="two")
            await people[2].say(type="say", id="three", text="three")
            await all_hear(people, "three")
            for person in people:
                assert [line["text"] for line in person.lines] == ["one", "two", "three"]
                assert [line["n"] for line in person.lines] == [1, 2, 3]

    asyncio.run(scene())


async def all_hear(people: list[Person], text: str, seconds: float = BACK) -> None:
    await asyncio.gather(*(person.until_said(text, seconds) for person in people))


# ---- two processes, PostgreSQL and Redis ---------------------------------------------------------


def group_members(redis: Redis) -> int:
    with redis.client() as client:
        return sum(client.zcard(key) for key in client.scan_iter("*:group:*"))


def both_listen(redis: Redis) -> None:
    wait_until(lambda: group_members(redis) == 2, 20, "both processes are in the group")


def times_asked(redis: Redis) -> int:
    """How often processes have asked for the next ring."""
    with redis.client() as client:
        calls = client.info("commandstats").get("cmdstat_bzpopmin", {})
        return int(calls.get("calls", 0))


def test_two_processes_bring_every_play_to_all_four(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    database = postgres.database()
    sites = [stage.site(database, REDIS_URL=redis.url, TABLES_PULSE=NEVER) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            played = await play_on(people, 60, seconds=BACK)
            assert " ".join(plays for _, plays in stored(database)).split() == played
            # When nobody plays, no process takes its quiet wait for a broken connection.
            asked = times_asked(redis)
            wait_until(lambda: times_asked(redis) >= asked + 4, 20, "both have asked Redis twice")

    asyncio.run(scene())


def test_what_lost_rings_leave_behind_the_pulse_makes_good(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 12: what a lost ring leaves behind is made good by the pulse, within its setting."""
    pulse = 2.0
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": str(pulse)}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            with redis.client() as client:
                client.delete(*client.scan_iter("*:group:*"))
            for _ in range(4):  # so that each process has made plays the other heard nothing of
                await play_on(people, seconds=pulse + 1)
            assert group_members(redis) == 0, "these rings have reached nobody"

    asyncio.run(scene())


def test_doubled_and_foolish_rings_change_nothing(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 12."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": NEVER}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            layer = RedisChannelLayer(hosts=[redis.url])
            code, version = people[0].code, people[0].snapshot["version"]
            known: list[list[Any]] = [["ring", code, None], ["ring", code, [[version, "7H"]]]]
            foolish: list[Any] = [
                ["ring", code, [[version + 1, "no card"]]],
                ["ring", code, [[version + 2, "no card"]]],
                ["ring", code, [["7H", version]]],
                ["ring", code, [[]]],
                ["ring", code, [7]],
                ["ring", code, "7H"],
                ["ring", "nowhere", [[1, "7H"]]],
                ["ring", 7, None],
                ["ring"],
                ["rung", code, None],
                None,
                7,
            ]
            for rings in (known, known, foolish, None, "ring", [known], known):
                told = {"type": "rings", "rings": rings, "from": "elsewhere"}
                await layer.group_send(GROUP, told)
            for message in ({"type": "rings"}, {"type": "no.such"}, {"table": "x"}):
                await layer.group_send(GROUP, message)
            await layer.close_pools()
            for person in people:
                person.heard.clear()
            await play_on(people, 8, seconds=BACK)
            for person in people:
                plies = [message["ply"] for message in person.heard if "ply" in message]
                assert len(plies) == len(set(plies)) == 8, "one snapshot a play"

    asyncio.run(scene())


def test_a_process_stays_one_member_of_the_group(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """However often it joins anew, or every ring would cost more from day to day."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": NEVER, "TABLES_LISTEN": "0.2"}
    settings["TABLES_BURST"] = "1000"  # they play as fast as they can
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            joined = joins(redis)
            while min(joins(redis).values(), default=0) < max(joined.values()) + 1:
                await play_on(people, seconds=BACK)
            assert group_members(redis) == 2

    asyncio.run(scene())


def joins(redis: Redis) -> dict[bytes, float]:
    """When each member of the group has joined it last."""
    with redis.client() as client:
        return {
            name: score
            for key in client.scan_iter("*:group:*")
            for name, score in client.zrange(key, 0, -1, withscores=True)
        }


def test_redis_restarts_in_mid_trick(postgres: Postgres, redis: Redis, stage: Stage) -> None:
    """CASE 13. No socket closes; meanwhile the pulse serves."""
    stage.troubled = True
    pulse = 4.0
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": str(pulse)}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            await play_on(people, 6)
            assert trick(people) == 2
            sockets = [person.socket for person in people]
            redis.stop()
            await play_on(people, seconds=pulse + 2)
            redis.start()
            both_listen(redis)
            await play_on(people, 5, seconds=BACK)
            assert [person.socket for person in people] == sockets
            assert [person.close_code for person in people] == [None] * 4

    asyncio.run(scene())


@pytest.mark.parametrize("refusals", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_postgresql_restarts_in_mid_trick(
    postgres: Postgres, redis: Redis, stage: Stage, refusals: int
) -> None:
    """CASE 13. What is played meanwhile is refused in words, and no socket closes; who comes
    meanwhile comes again. Each refusal but the first takes five seconds."""
    stage.troubled = True
    database = postgres.database()
    sites = [stage.site(database, REDIS_URL=redis.url) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            await play_on(people, 6)
            assert trick(people) == 2
            turn = people[0].turn
            assert turn is not None
            mover, kept = people[turn], stored(database)
            ply, code = mover.ply, mover.first_legal()
            late = people[(turn + 1) % 4]
            postgres.stop()
            try:
                for _ in range(refusals):
                    await mover.play(ply, code)
                    assert (await mover.answer("refused"))["code"] == "fault"
                await late.connect()
                assert late.close_code == CloseCode.RESTART
            finally:
                postgres.start()
            back = time.monotonic()
            await late.connect_again()
            await play_on(people, seconds=BACK)
            assert time.monotonic() - back < BACK
            assert stored(database)[0][1].split() == [*kept[0][1].split(), code]
            await play_on(people, 5)
            assert [person.close_code for person in people] == [None] * 4

    asyncio.run(scene())


# ---- people of two processes ---------------------------------------------------------------------

QUICK = {"TABLES_PULSE": "0.5", "TABLES_LEASE": "3", "TABLES_GRACE": "0.3"}
SOON = 2.0
"""Seconds in which the others must see that somebody is back (CASE 10)."""


def test_two_processes_bring_every_line_to_all_four_once_and_in_order(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 29: said by all at once, while one of them loses the connection again and again."""
    database = postgres.database()
    sites = [stage.site(database, REDIS_URL=redis.url, TABLES_PULSE=NEVER) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            version = people[0].snapshot["version"]
            for number in range(6):
                await asyncio.gather(
                    *(
                        p.say(type="say", id=f"l{number}", text=f"{p.seat}/{number}")
                        for p in people[:3]
                    )
                )
                if number % 2:
                    await people[3].drop()
                    await people[3].connect()
            said = [f"{seat}/{number}" for seat in range(3) for number in range(6)]
            for text in said:
                await all_hear(people, text)
            told = [[line["text"] for line in person.lines] for person in people]
            assert sorted(told[0]) == sorted(said)
            assert all(one == told[0] for one in told)
            for person in people:
                assert [line["n"] for line in person.lines] == list(range(1, 19))
                assert person.snapshot["version"] == version
                assert sum("id" in line for line in person.lines) == (
                    0 if person is people[3] else 6
                )

    asyncio.run(scene())


def test_a_line_whose_ring_is_lost_is_brought_by_the_pulse(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 12."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url} | QUICK
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            with redis.client() as client:
                client.delete(*client.scan_iter("*:group:*"))
            for number, person in enumerate(people):
                await person.say(type="say", id="1", text=f"line {number}")
                await all_hear(people, f"line {number}")
            assert group_members(redis) == 0, "these rings have reached nobody"

    asyncio.run(scene())


def test_who_goes_and_comes_back_is_told_to_the_other_process(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASES 9, 10: with one tab in each process, closing one is not going."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url} | QUICK | {"TABLES_PULSE": NEVER, "TABLES_LEASE": NEVER}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            for person in people:
                for seat in range(4):
                    await person.until_here(seat, True)
            others = [people[0], people[2], people[3]]
            await people[1].hang_up()
            for person in others:
                await person.until_here(1, False)
                assert person.here[1]["since"]
            back = time.monotonic()
            await people[1].connect()
            for person in others:
                await person.until_here(1, True, SOON)
            assert time.monotonic() - back < SOON

            tab = Person(sites[0].url)
            tab.web.cookies, tab.page = people[1].web.cookies, people[1].page
            try:
                await tab.connect()
                await people[1].hang_up()
                await people[2].say(type="pause", on=True)  # told after whatever the going was
                await people[0].until(lambda: people[0].here[2].get("pause"), "the pause")
                assert people[0].here[1] == {"here": True}
                await tab.hang_up()
                await people[0].until_here(1, False)
            finally:
                await tab.leave_site()

    asyncio.run(scene())


def test_the_people_of_a_killed_process_are_away_after_its_lease(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 10. Nothing has said goodbye; and back they are seen at once."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url} | QUICK
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            stays = [people[0], people[2]]
            for person in stays:
                for seat in range(4):
                    await person.until_here(seat, True)
            sites[1].kill()
            for person in stays:
                for seat in (1, 3):
                    await person.until_here(seat, False)
                assert [one["here"] for one in person.here] == [True, False, True, False]
            await play_on_without(people)
            sites[1].start()
            for seat in (1, 3):
                await people[seat].connect_again()
                for person in stays:
                    await person.until_here(seat, True, SOON)
            await play_on(people, 3, seconds=BACK)

    asyncio.run(scene())


async def play_on_without(people: list[Person]) -> None:
    """Those who are there play while it is their turn."""
    while (turn := people[0].turn) in (0, 2):
        ply = people[0].ply
        await people[turn].play(ply, people[turn].first_legal())
        await everybody_sees([people[0], people[2]], ply + 1)


def test_a_seat_moves_from_one_process_to_the_other(
    postgres: Postgres, redis: Redis, stage: Stage
) -> None:
    """CASE 3: the old page is told and closed, and the seat goes on elsewhere."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": NEVER}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            await play_on(people, 3)
            old, phone = people[0], Person(sites[1].url)
            stage.people.append(phone)
            hand = old.snapshot["view"]["hand"]
            await phone.take_over(old)
            await old.until(lambda: old.close_code, "the old page is closed", BACK)
            assert old.close_code == CloseCode.MOVED
            assert (await old.answer("closing"))["reason"] == "moved"
            await phone.connect()
            assert (phone.seat, phone.snapshot["view"]["hand"]) == (0, hand)
            await old.connect()
            assert old.close_code == CloseCode.NOT_SEATED
            people[0] = phone
            try:
                await play_on(people, 9, seconds=BACK)
            finally:
                await phone.leave_site()
                await old.leave_site()

    asyncio.run(scene())


def test_four_of_two_processes_play_again(postgres: Postgres, redis: Redis, stage: Stage) -> None:
    """All say yes at once: one match opens, and everybody is in it."""
    database = postgres.database()
    settings = {"REDIS_URL": redis.url, "TABLES_PULSE": NEVER}
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        async with stage.four(*sites) as people:
            both_listen(redis)
            await play_on(people, 2)
            assert await people[3].leave() == "drawn"
            for number in (2, 3):
                for person in people:
                    await person.until(lambda one=person: one.status == "over", "the end")  # type: ignore[misc]
                ply = people[0].ply
                await asyncio.gather(*(p.say(type="agree", to="again") for p in people))
                await everybody_sees(people, ply + 1, BACK)
                for person in people:
                    assert (person.status, person.snapshot["sitting"]) == ("playing", number)
                    assert len(person.snapshot["earlier"]) == number - 1
                await play_on(people, 6, seconds=BACK)
                assert await people[number - 1].leave() == "drawn"
            assert len(stored(database)) == 3

    asyncio.run(scene())
