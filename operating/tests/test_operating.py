"""What operators see, and that they see no secrets in it."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created
from django.test import Client
from django.urls import reverse

from game import matches
from operating import logs, metrics, sentry
from tables import gauges, live, lobby
from tables.tests import services
from tables.tests.seats import all_connected, db, drop_all, full_table, quiet, rig, run


def test_alive_whatever_else_is_away() -> None:
    """Without a database mark: asking it would fail."""
    answer = Client().get(reverse("operating:healthz"))
    assert (answer.status_code, answer.json()) == (200, {"alive": True})
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies


@pytest.mark.django_db
def test_ready_while_the_database_answers_and_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    address = reverse("operating:readyz")
    assert Client().get(address).status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr(live._here, "draining", True)
        assert Client().get(address).json()["staying"] is False

    def away(*_: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(connection, "cursor", away)
    answer = Client().get(address)
    assert (answer.status_code, answer.json()["database"]) == (503, False)


def test_metrics_are_for_whoever_has_the_token(settings: Any) -> None:
    address = reverse("operating:metrics")
    assert Client().get(address).status_code == 404
    settings.METRICS_TOKEN = "token"
    assert Client().get(address).status_code == 404
    assert Client().get(address, headers={"Authorization": "Bearer tokem"}).status_code == 404
    answer = Client().get(address, headers={"Authorization": "Bearer token"})
    assert answer.status_code == 200
    assert b"korttipoyta_sockets" in answer.content


def numbers() -> dict[str, float]:
    """Each metric by its name and labels."""
    told = {}
    for line in metrics.text().decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            bare = re.sub(r'process="[^"]+"', "", name)
            told[bare.replace("{,", "{").replace(",}", "}")] = float(value)
    return told


@pytest.mark.django_db(transaction=True)
def test_metrics_count_what_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    matches.forget()
    rig(monkeypatch, dealer=3)
    table = full_table()
    before = numbers()

    async def scenario() -> dict[str, float]:
        clients = await all_connected(table)
        code = await db(table.legal)()
        await clients[0].play(code[0], 1)
        for one in clients:
            await one.expect("snapshot")
        await clients[1].play("7H", 1)
        await clients[1].expect("refused")
        await quiet()
        told = numbers()
        await drop_all(clients)
        return told

    told = run(scenario)
    assert told["korttipoyta_sockets{}"] == 4
    assert told["korttipoyta_tables{}"] == 1
    grown = {name: value - before.get(name, 0) for name, value in told.items()}
    assert grown['korttipoyta_plays_total{way="short"}'] == 1
    refused = {
        name: n for name, n in grown.items() if name.startswith("korttipoyta_refusals") and n
    }
    assert refused == {'korttipoyta_refusals_total{code="stale"}': 1}
    assert grown['korttipoyta_rings_total{way="here"}'] >= 1
    assert grown["korttipoyta_database_seconds_count{}"] > 5
    assert grown["korttipoyta_database_seconds_sum{}"] > 0
    text = metrics.text().decode()
    assert 'process="' in text
    assert table.code not in text
    assert not re.search(r"[A23456789TJQK][CDHS]", text)


def test_a_connection_that_is_made_anew_is_timed_once() -> None:
    """It is, for every request and every call; else each would wrap the last one's wrapping."""
    one = SimpleNamespace(execute_wrappers=[], vendor="none")
    for _ in range(3):
        connection_created.send(sender=type(one), connection=one)
    assert len(one.execute_wrappers) == 1


def test_durations_stand_in_their_buckets() -> None:
    durations = gauges.Durations()
    for seconds in (0.0001, 0.0005, 0.3, 60.0):
        durations.add(seconds)
    assert durations.buckets[0] == 2
    assert durations.buckets[-1] == 1
    assert sum(durations.buckets) == 4


# ---- the log -------------------------------------------------------------------------------------


@pytest.fixture
def written() -> Iterator[list[str]]:
    """What a site that logs JSON writes."""
    lines: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Handler()
    handler.setFormatter(logs.JsonFormatter())
    for name in ("django.request", "tables"):
        logging.getLogger(name).addHandler(handler)
    yield lines
    for name in ("django.request", "tables"):
        logging.getLogger(name).removeHandler(handler)


@pytest.mark.django_db
def test_a_failed_request_is_logged_without_its_address(
    written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the stack holds 7H")

    table = full_table()
    lobby._free(table.code, 1)
    monkeypatch.setattr(lobby, "claim", fail)
    address = reverse("tables:invite", args=[table.code, 1, table.invite(1)])
    pages = Client(raise_request_exception=False)
    assert pages.post(address, {"name": "Secret"}).status_code == 500
    (line,) = written
    told = json.loads(line)
    assert (told["view"], told["status"], told["error"]) == ("tables:invite", 500, "RuntimeError")
    assert told["at"][-1].startswith("test_operating.py:")
    assert not any(secret in line for secret in (table.invite(1), "7H", "Secret", table.code))


def test_a_line_of_our_own_stays_as_it_is(written: list[str]) -> None:
    logging.getLogger("tables.live").error("a task failed: %s", "KeyError live.py:3")
    told = json.loads(written[0])
    assert told["message"] == "a task failed: KeyError live.py:3"
    assert told["level"] == "ERROR"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told["time"])


# ---- Sentry --------------------------------------------------------------------------------------


def test_sentry_gets_no_variables_addresses_or_messages(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    started: dict[str, Any] = {}
    fake = SimpleNamespace(init=lambda **options: started.update(options))
    monkeypatch.setitem(sys.modules, "sentry_sdk", fake)
    sentry.start()
    assert not started
    settings.SENTRY_DSN = "https://key@sentry.example.org/1"
    sentry.start()
    assert started["include_local_variables"] is False
    assert started["send_default_pii"] is False
    assert started["max_request_body_size"] == "never"
    event = {
        "request": {"url": "https://x/invites/a/1/s/", "cookies": {"sessionid": "s"}},
        "breadcrumbs": {"values": ["7H"]},
        "exception": {
            "values": [
                {
                    "type": "RuntimeError",
                    "value": "7H",
                    "stacktrace": {"frames": [{"lineno": 3, "vars": {"pack": "7H"}}]},
                }
            ]
        },
    }
    told = json.dumps(started["before_send"](event, {}))
    assert "7H" not in told
    assert "invites" not in told
    assert "RuntimeError" in told
    assert '"lineno": 3' in told


# ---- without a database --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bereft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[services.Site]:
    """A site whose database is not there."""
    folder = tmp_path_factory.mktemp("bereft")
    site = services.Site(folder, "postgres://nobody@/none?host=/nonexistent", LOG_FORMAT="json")
    with services.running(site) as running:
        yield running


@pytest.mark.slow
def test_pages_without_a_database(bereft: services.Site) -> None:
    """The public ones serve; the others fail in the site's own face, and say no more than that."""
    with httpx.Client(base_url=bereft.url, trust_env=False, timeout=60) as web:
        assert web.get("/").status_code == 200
        assert web.get("/games/ristikontra/").status_code == 200
        assert web.get("/healthz").status_code == 200
        assert web.get("/readyz").status_code == 503
        for address, status in (("/nowhere/", 404), ("/tables/aabbccddee/", 500)):
            answer = web.get(address)
            assert answer.status_code == status
            assert "kp-error" in answer.text
            assert "korttipoyta/css/base" in answer.text
            assert "nonexistent" not in answer.text
    log = bereft.log.read_text()
    assert "aabbccddee" not in log
    assert '"view": "tables:table"' in log
