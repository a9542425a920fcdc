"""Scratch services as fixtures, started when the first test asks for one."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tables.tests import services
from tables.tests.stage import Stage


@pytest.fixture(autouse=True)
def _patience(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a command takes longer than its page would wait before it is told so; and
    nobody waits for others who come and go."""
    settings.TABLES_DEADLINE = 60.0
    monkeypatch.setattr("tables.live.TOGETHER", 0.0)


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seeded dice, seat 3 dealing first, and a process that has just started."""
    from game import matches  # only now: this file may be read before Django is set up
    from tables.tests.seats import rig

    matches.forget()
    rig(monkeypatch, dealer=3)
    yield
    matches.forget()


@pytest.fixture(scope="session")
def postgres() -> Iterator[services.Postgres]:
    """A PostgreSQL of these tests' own; ``database()`` gives a new database in it."""
    with services.postgres() as service:
        yield service


@pytest.fixture
def redis() -> Iterator[services.Redis]:
    """A Redis of this test's own."""
    with services.redis() as service:
        yield service


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the site's tables in it, all empty: to be copied."""
    file = tmp_path_factory.mktemp("blank") / "db.sqlite3"
    services.migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def new_sqlite(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """Gives the address of a new SQLite database, all empty, each time it is called."""

    def new() -> str:
        return f"sqlite:///{shutil.copy(blank, tmp_path_factory.mktemp('sqlite') / 'db.sqlite3')}"

    return new


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.close()
    stage.check()
