"""The tests of the sockets once more, each over the network: nginx with TLS before two processes,
PostgreSQL and Redis; with every server that the site may run on.

Which tests: all of the modules below that ask nothing but what a browser can see. Those that reach
into the serving process stay where they are.
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import connection, connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker, Settings

from game import matches
from tables.tests import (
    seats,
    services,
    test_again,
    test_chat,
    test_games,
    test_presence,
    test_return,
    test_sockets,
    test_voice,
)
from tables.tests.seats import rig
from tables.tests.wires import wires

MODULES = (
    test_sockets,
    test_chat,
    test_presence,
    test_return,
    test_again,
    test_games,
    test_voice,
)
REACHES_IN = re.compile(
    r"\blive\.|\bCounter\b|\bFake\b|\.wire\b|\bquiet\b|\bsite\b|\bconsumers\.|@given"
)
"""What a test says that asks or changes something within the process."""


ONLY_HERE = {
    # Over the network its two changes are two deliveries.
    "test_a_seat_that_went_to_somebody_else_never_shows_its_hand_case_2",
}


def of_browsers(module: ModuleType) -> dict[str, Any]:
    """The module's tests that can be made over any network."""
    return {
        name: test
        for name, test in vars(module).items()
        if name.startswith("test_")
        and name not in ONLY_HERE
        and inspect.isfunction(test)
        and "run(" in (source := inspect.getsource(test))
        and not REACHES_IN.search(source)
        and set(inspect.signature(test).parameters) <= set(parameters(test))
    }


def parameters(test: Any) -> list[str]:
    """What a test takes that is no fixture."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    names = [mark.args[0] for mark in marks]
    split = [name.split(",") if isinstance(name, str) else name for name in names]
    return [name.strip() for some in split for name in some]


for _module in MODULES:
    globals().update(of_browsers(_module))


def test_there_are_many_and_none_hides_another() -> None:
    names = [name for module in MODULES for name in of_browsers(module)]
    assert len(names) > 40
    assert len(names) == len(set(names))


pytestmark = [
    pytest.mark.alone,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("over_the_network"),
]


@pytest.fixture(scope="module", params=list(services.SERVERS))
def cluster(
    request: pytest.FixtureRequest, postgres: services.Postgres
) -> Iterator[services.Cluster]:
    with services.cluster(
        server=request.param,
        started=postgres,
        settings={
            "SECRET_KEY": configured.SECRET_KEY,
            "TABLES_GRACE": "0.3",
            "TABLES_PULSE": "1",
        },
    ) as cluster:
        yield cluster
        for log in cluster.logs().values():
            # Between two tests the tables go from under the processes, which they tell in a line.
            assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def database(
    cluster: services.Cluster, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The cluster's database in place of the tests' own, which is made before that."""
    told = subprocess.run(
        [
            *(services.PYTHON, "-c"),
            "import json; from django.conf import settings\n"
            "print(json.dumps(settings.DATABASES['default']))",
        ],
        cwd=services.ROOT,
        env=services.environment(cluster.database),
        capture_output=True,
        check=True,
    ).stdout
    # A test that ends while a process still writes is emptied by a TRUNCATE that the process may
    # deadlock with: of two, whoever looks first gives way, so this side looks last.
    cluster_settings = json.loads(told)
    cluster_settings["OPTIONS"]["options"] += " -c deadlock_timeout=60s"
    usual = connections.settings["default"], connections["default"]
    handler = ConnectionHandler({"default": cluster_settings})
    connections.settings["default"] = handler.settings["default"]
    connections["default"] = connections.create_connection("default")
    with django_db_blocker.unblock():
        yield
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
    connections.settings["default"], connections["default"] = usual


@pytest.fixture
def over_the_network(
    cluster: services.Cluster,
    database: None,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Sockets go to the cluster, and what the test changes itself is rung there."""
    settings.ORIGINS = [cluster.url]
    layer = {"BACKEND": "channels_redis.core.RedisChannelLayer"}
    settings.CHANNEL_LAYERS = {"default": layer | {"CONFIG": {"hosts": [cluster.redis.url]}}}
    monkeypatch.setattr(seats, "new_wire", wires(cluster.url, cluster.nginx.trust))
    matches.forget()
    rig(monkeypatch, dealer=3)
    yield
    matches.forget()
