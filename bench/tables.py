"""Many tables in one process of the site, played by people without browsers at a human pace.

`python -m bench.tables --help` tells the options, `bench/README.md` what the figures mean. Prints
JSON; the exit status is 1 when a play was lost or doubled or anything else went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import resource
import sqlite3
import statistics
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from tables.tests import services
from tables.tests.people_online import Person, everybody_sees, sit_together

SPREAD = 0.5
"""How much a person's thinking varies: sigma of a lognormal."""
TWICE, CUT_OFF = 0.05, 0.01
"""How often a card is tapped twice, and how often the connection breaks while a play is sent."""
SEATING = 8
"""Tables whose people sit down at the same time."""
PATIENCE = 10.0
"""Seconds after which a play that is not on all four screens is an error."""


class Table:
    """Four people and what they have played."""

    def __init__(self, site: str) -> None:
        self.people = [Person(site) for _ in range(4)]
        self.deals: list[list[str]] = [[]]
        self.latencies: list[float] = []
        self.tapped_twice = self.cut_off = 0
        self.errors: list[str] = []

    async def seat(self) -> None:
        await sit_together(self.people)
        for person in self.people:
            await person.web.aclose()

    async def play(self, until: float, pace: float, rng: random.Random) -> None:
        """Play on until that moment of the event loop's clock, or the end of the match."""
        clock = asyncio.get_running_loop().time
        try:
            while self.people[0].status == "playing":
                thought = rng.lognormvariate(0, SPREAD) * pace
                if clock() + thought > until:
                    return
                await asyncio.sleep(thought)
                await self.move(rng)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    async def move(self, rng: random.Random) -> None:
        """One play by whoever is on turn, or the next deal, until it is on all four screens."""
        ply, turn = self.people[0].ply, self.people[0].turn
        if turn is None:
            await rng.choice(self.people).ask_for_deal(ply)
            self.deals.append([])
            await everybody_sees(self.people, ply + 1, PATIENCE)
            return
        mover = self.people[turn]
        code = rng.choice(mover.snapshot["view"]["legal"])
        began = time.perf_counter()
        await mover.play(ply, code)
        self.deals[-1].append(code)
        chance = rng.random()
        if chance < CUT_OFF:
            self.cut_off += 1
            await mover.drop()
            await mover.connect()
            await mover.play(ply, code)  # as the page does with what was not answered
        elif chance < CUT_OFF + TWICE:
            self.tapped_twice += 1
            await mover.play(ply, code)
        await everybody_sees(self.people, ply + 1, PATIENCE)
        if chance >= CUT_OFF:
            self.latencies.append(max(person.seen[ply + 1] for person in self.people) - began)
        for person in self.people:
            while refusals := [one for one in person.heard if one["type"] == "refused"]:
                person.heard.remove(refusals[0])
                if refusals[0]["code"] != "stale":
                    self.errors.append(f"refused: {refusals[0]['code']}")

    def check(self, stored: list[list[str]]) -> tuple[int, int]:
        """How many plays the database has lost, and how many it has too many."""
        lost = doubled = 0
        nothing: list[str] = []
        for made, kept in itertools.zip_longest(self.deals, stored, fillvalue=nothing):
            lost += (Counter(made) - Counter(kept)).total()
            doubled += (Counter(kept) - Counter(made)).total()
            if made != kept and Counter(made) == Counter(kept):
                self.errors.append("plays in another order")
        if len({(person.ply, person.snapshot["version"]) for person in self.people}) > 1:
            self.errors.append("four screens that differ")
        for person in self.people:
            self.errors += person.faults
            if person.close_code is not None:
                self.errors.append(f"closed: {person.close_code}")
        return lost, doubled


def stored_plays(file: Path) -> dict[str, list[list[str]]]:
    """The plays of every deal, by table."""
    query = (
        "SELECT tables_table.code, plays FROM tables_table"
        " JOIN game_deal ON game_deal.match_id = tables_table.match_id"
        " ORDER BY game_deal.match_id, number"
    )
    found: dict[str, list[list[str]]] = {}
    with closing(sqlite3.connect(file)) as connection:
        for code, plays in connection.execute(query):
            found.setdefault(code, []).append(plays.split())
    return found


async def measure(site: services.Site, file: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Seat everybody, let them play, and compare what they played with what is stored."""
    rng = random.Random()  # noqa: S311 (chances of a play, not secrets)
    tables = [Table(site.url) for _ in range(options.sockets // 4)]
    memory = {"empty": site.memory()["now"]}
    began = time.monotonic()
    few = asyncio.Semaphore(SEATING)

    async def seat(table: Table) -> None:
        async with few:
            await table.seat()

    await asyncio.gather(*(seat(table) for table in tables))
    seating = time.monotonic() - began
    memory["seated"] = site.memory()["now"]

    until = asyncio.get_running_loop().time() + options.seconds
    before = site.processor_seconds()
    await asyncio.gather(*(table.play(until, options.pace, rng) for table in tables))
    busy = (site.processor_seconds() - before) / options.seconds
    memory |= {"played": site.memory()["now"], "most": site.memory()["most"]}

    stored = stored_plays(file)
    checked = [table.check(stored.get(table.people[0].code, [])) for table in tables]
    await asyncio.gather(*(person.hang_up() for table in tables for person in table.people))
    errors = Counter(error for table in tables for error in table.errors)
    errors.update(line for line in site.log.read_text().splitlines() if "ERROR" in line)
    plays = sum(len(deal) for table in tables for deal in table.deals)
    return {
        "sockets": 4 * len(tables),
        "tables": len(tables),
        "seconds": options.seconds,
        "seating_seconds": round(seating, 1),
        "plays": plays,
        "plays_a_second": round(plays / options.seconds, 1),
        "tapped_twice": sum(table.tapped_twice for table in tables),
        "cut_off": sum(table.cut_off for table in tables),
        "lost": sum(lost for lost, _ in checked),
        "doubled": sum(doubled for _, doubled in checked),
        "errors": dict(errors),
        "latency_ms": percentiles([one for table in tables for one in table.latencies]),
        "server_memory_mib": memory,
        "server_processor": round(busy, 2),
    }


def percentiles(seconds: list[float]) -> dict[str, float]:
    if len(seconds) < 2:
        return {}
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    found = {f"p{at}": cuts[at - 1] for at in (50, 90, 95, 99)} | {"max": max(seconds)}
    return {name: round(1000 * value, 1) for name, value in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.tables", description=__doc__)
    parser.add_argument("--sockets", type=int, default=400, help="four a table (400)")
    parser.add_argument("--seconds", type=float, default=60, help="of playing (60)")
    parser.add_argument("--pace", type=float, default=2.5, help="median seconds of thought (2.5)")
    parser.add_argument("--server", choices=services.SERVERS, default="daphne")
    options = parser.parse_args()

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with services.scratch("bench") as folder:
        os.environ["STATIC_ROOT"] = str(folder / "static")
        file = folder / "db.sqlite3"
        database = f"sqlite:///{file}"
        services.migrate(database)
        services.manage(database, "collectstatic", "--noinput")
        with services.running(services.Site(folder, database, server=options.server)) as site:
            figures = asyncio.run(measure(site, file, options))
    print(json.dumps(figures, indent=2))
    return 1 if figures["lost"] or figures["doubled"] or figures["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
