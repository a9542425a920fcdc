"""A moderator to act, and rigged dice."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _fresh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seeded dice, a process that has just started, quick passwords, and the groups: tests that
    empty the database take with them what migrations have put there."""
    from django.apps import apps
    from django.contrib.auth.models import Group
    from django.db import connection

    from game import matches
    from tables.tests.seats import rig

    matches.forget()
    rig(monkeypatch, dealer=3)
    if mark := request.node.get_closest_marker("django_db"):
        request.getfixturevalue("transactional_db" if mark.kwargs.get("transaction") else "db")
        settings: Any = request.getfixturevalue("settings")
        settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
        if not Group.objects.exists():
            migration = import_module("moderation.migrations.0001_groups")
            with connection.schema_editor(atomic=False) as editor:
                migration.make(apps, editor)
    yield
    matches.forget()


@pytest.fixture
def moderator() -> Any:
    """A browser in which a moderator has logged in."""
    from moderation.tests.people import client

    return client("Moderator")
