"""A voice call over two processes of the site, which share a Redis."""

import asyncio
import json
from collections.abc import Callable

import pytest

from tables.tests.people_online import GAME, Person, sit_together
from tables.tests.services import Redis
from tables.tests.stage import Stage
from tables.tests.test_processes import both_listen

pytestmark = [pytest.mark.slow, pytest.mark.alone]


class Host(Person):
    """Somebody who opens tables with voice."""

    async def open_table(self, name: str = "", game: str = GAME) -> None:
        await self.look(await self.fill_in(f"/tables/new/{game}/", name=name, voice="on"))


def in_call(person: Person) -> list[str | None]:
    return [seat.get("call") for seat in person.here]


def test_a_call_over_two_processes_and_the_end_of_one(
    new_sqlite: Callable[[], str], redis: Redis, stage: Stage
) -> None:
    database, secret = new_sqlite(), "a secret that stands in no log"
    settings = {
        "REDIS_URL": redis.url,
        "TABLES_PULSE": "1",
        "TABLES_ICE": "turn:127.0.0.1:9",
        "TABLES_TURN_SECRET": secret,
    }
    sites = [stage.site(database, **settings) for _ in range(2)]

    async def scene() -> None:
        people = [Host(sites[0].url), *(Person(sites[seat % 2].url) for seat in (1, 2, 3))]
        stage.people += people
        try:
            aino, toni, *_ = await sit_together(people)
            both_listen(redis)
            await aino.say(type="call", do="join", id="a")
            await toni.say(type="call", do="join", id="b")
            for person in people:
                await person.until(
                    lambda one=person: in_call(one) == ["a", "b", None, None],  # type: ignore[misc]
                    "both are in the call",
                )
            offer = {"kind": "offer", "text": "v=0\r\n" + "a=x\r\n" * 1000}
            await aino.say(type="call", do="signal", to=1, id="b", **offer)
            await toni.until(
                lambda: [one for one in toni.heard if one.get("do") == "signal"], "the offer"
            )
            passed = next(one for one in toni.heard if one.get("do") == "signal")
            assert passed == {"type": "call", "do": "signal", "from": 0, "id": "a"} | offer
            for person in (*people[2:], aino):
                assert not [one for one in person.heard if one.get("do") == "signal"]
            # The server of one stops and comes back: its page says again who it is.
            sites[1].stop()
            await aino.until(lambda: in_call(aino) == ["a", None, None, None], "one has gone")
            sites[1].start()
            await toni.connect_again()
            await toni.say(type="call", do="join", id="b")
            await aino.until(lambda: in_call(aino)[1] == "b", "it is back")
            # Off is off in both.
            await aino.say(type="call", do="off")
            await toni.until(lambda: not toni.snapshot["voice"], "voice is off")
            await toni.until(lambda: in_call(toni) == [None] * 4, "nobody is in the call")
            told = json.dumps(list(aino.heard))
            assert '"credential"' in told
            assert secret not in told
        finally:
            await asyncio.gather(*(person.leave_site() for person in people))

    asyncio.run(scene())
    assert not [site for site in sites if secret in site.log.read_text()]
