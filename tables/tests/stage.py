"""The processes and people of a test, and what must hold when it is over."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import psycopg

from tables.tests.people_online import Person, sit_together
from tables.tests.services import Site

DYING = """
import os, pathlib, signal
import django
django.setup()
from tables import fast_path, live, lobby
def dies(module, name, trap, done=False):
    whole = getattr(module, name)
    def die():
        if pathlib.Path(trap).exists():
            os.kill(os.getpid(), signal.SIGKILL)
    def die_or_go_on(*arguments):
        if not done:
            die()
        came = whole(*arguments)
        die()
        return came
    setattr(module, name, die_or_go_on)
def dies_before_a_commit(trap):
    dies(lobby, "_ring", trap)
    dies(fast_path, "_append", trap, done=True)
def dies_after_a_commit(trap):
    dies(live, "ring", trap)
    dies(live, "show", trap)
"""
"""What makes a process die as soon as the file ``trap`` is there, by either way of a play."""
LONG_WAY = "fast_path.plan = lambda *arguments: None\n"
"""What makes it have all plays go the long way."""


def deadly(moment: str, trap: Path, more: str = "") -> str:
    """A start of a process that dies at its next commit, ``before`` or ``after`` it."""
    return f"{DYING}\ndies_{moment}_a_commit({str(trap)!r})\n{more}"


CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


class Stage:
    """The processes and people of one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.troubled = False
        """Whether the test brings about faults that belong in the log."""
        self.sites: list[Site] = []
        self.people: list[Person] = []

    def site(self, database: str, first: str = "", **settings: str) -> Site:
        """One more process of the site, serving."""
        self.sites.append(Site(self.folder, database, first, LOG_LEVEL="INFO", **settings))
        self.sites[-1].start()
        return self.sites[-1]

    @asynccontextmanager
    async def four(self, *sites: Site) -> AsyncIterator[list[Person]]:
        """Four people at a table in the order of their seats, spread over the sites in turn."""
        people = [Person(sites[seat % len(sites)].url) for seat in range(4)]
        self.people += people
        try:
            yield await sit_together(people)
        finally:
            await asyncio.gather(*(person.leave_site() for person in people))

    @asynccontextmanager
    async def some(self, site: Site, number: int = 4) -> AsyncIterator[list[Person]]:
        """People at no table yet."""
        people = [Person(site.url) for _ in range(number)]
        self.people += people
        try:
            yield people
        finally:
            await asyncio.gather(*(person.leave_site() for person in people))

    def close(self) -> None:
        for site in self.sites:
            site.stop()

    def check(self) -> None:
        assert [fault for person in self.people for fault in person.faults] == []
        secret = {word for person in self.people for word in person.secrets if len(word) > 8}
        for site in self.sites:
            log = site.log.read_text()
            assert "Traceback" not in log, log
            assert self.troubled or "ERROR" not in log, log
            assert not CARD.search(log), log
            assert not [word for word in secret if word in log], log


def stored(database: str) -> list[tuple[Any, ...]]:
    """The deals of all tables: their packs, and their plays."""
    return rows(database, "SELECT pack, plays FROM game_deal ORDER BY match_id, number")


def rows(database: str, query: str) -> list[tuple[Any, ...]]:
    """What a query finds in a database of a site."""
    if database.startswith("sqlite"):
        with closing(sqlite3.connect(file_of(database))) as connection:
            return connection.execute(query).fetchall()
    with psycopg.connect(database) as server:
        return server.execute(query.encode()).fetchall()


def file_of(database: str) -> str:
    return database.removeprefix("sqlite:///")


async def all_cut_off(people: list[Person]) -> None:
    for person in people:
        await person.until(lambda one=person: one.close_code, "the connection ends")  # type: ignore[misc]
