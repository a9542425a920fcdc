"""The thread in which sockets ask the database, and its connection that stays open."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import OperationalError

from tables import database
from tables.checks import sqlite
from tables.tests.seats import db, run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The looks at whether a connection still answers, with settings that ask for them."""
    looks: list[object] = []

    def look(self: BaseDatabaseWrapper) -> bool:
        looks.append(self)
        return not looks[1:]  # the first time

    monkeypatch.setattr(database, "QUIET", 3600.0)
    monkeypatch.setitem(connections["default"].settings_dict, "CONN_HEALTH_CHECKS", True)
    monkeypatch.setattr(type(connections["default"]), "is_usable", look)
    return looks


def ask() -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return connection.connection


def fail() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nothing FROM nowhere")


def test_a_connection_in_use_is_not_looked_at_before_every_call(looks: list[object]) -> None:
    """On PostgreSQL that would be a way there and back besides each query's own."""

    async def scenario() -> None:
        first = await db(ask)()
        for _ in range(10):
            assert await db(ask)() is first

    run(scenario)
    assert looks == []


def test_a_connection_that_was_quiet_is_looked_at_once(
    looks: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        first = await db(ask)()
        with monkeypatch.context() as quiet:
            quiet.setattr(database, "QUIET", -1.0)
            assert await db(ask)() is first
        assert await db(ask)() is first

    run(scenario)
    assert len(looks) == 1


def test_a_connection_that_has_failed_is_kept_only_if_it_answers(looks: list[object]) -> None:
    async def scenario() -> None:
        first = await db(ask)()
        for fails in range(2):
            with pytest.raises(OperationalError):
                await db(fail)()
            assert len(looks) == fails + 1
            assert (await db(ask)() is first) == (fails == 0)

    run(scenario)
    assert len(looks) == 2


@pytest.mark.parametrize(("version", "found"), [((3, 34, 1), ["tables.E009"]), ((3, 35, 0), [])])
def test_a_sqlite_without_returning_is_told_of(
    version: tuple[int, ...], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", version)
    assert [error.id for error in sqlite()] == found
