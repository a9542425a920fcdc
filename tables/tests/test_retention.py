"""What is erased when: nothing that is in use, everything that is old (CASE 42)."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from game.models import Deal, Match
from tables import limits, lobby, marks, presence, retention
from tables.models import Ban, Line, Presence, Report, Seat, Trace
from tables.models import Table as TableRow
from tables.tests.seats import BROWSERS, Table, full_table

pytestmark = pytest.mark.django_db


def ago(**time: int) -> Any:
    return timezone.now() - timedelta(**time)


def age(table: Table, **time: int) -> None:
    """Let everything that has happened at a table have happened so long ago."""
    then = ago(**time)
    TableRow.objects.filter(code=table.code).update(opened=then)
    Match.objects.filter(sitting__table__code=table.code).update(opened=then)
    Match.objects.filter(sitting__table__code=table.code).exclude(ended=None).update(ended=then)
    Line.objects.filter(table__code=table.code).update(created=then)
    Presence.objects.filter(seat__table__code=table.code).update(seen=then)
    Trace.objects.filter(seat__table__code=table.code).update(seen=then)


def prune(*arguments: str) -> str:
    out = io.StringIO()
    call_command("prune", *arguments, stdout=out)
    return out.getvalue().strip()


def everything() -> list[int]:
    models = (TableRow, Match, Deal, Seat, Line, Presence, Trace, Ban, Report, Session)
    return [model._default_manager.count() for model in models]


def test_a_table_idle_for_two_weeks_is_gone_with_all_that_was_there_case_42() -> None:
    old, new = full_table(), full_table()
    old.say(1, "Hello")
    age(old, days=15)
    age(new, days=13)
    assert prune("--dry-run").startswith("Would erase: 1 tables, ")
    assert TableRow.objects.count() == 2
    assert prune().startswith("Erased: 1 tables, ")
    assert [table.code for table in TableRow.objects.all()] == [new.code]
    assert (Match.objects.count(), Deal.objects.count(), Line.objects.count()) == (1, 1, 0)


def sits(table: Table) -> None:
    presence.arrive("process", table.code, 2)


def has_sat_down(table: Table) -> None:
    seat = Seat.objects.get(table__code=table.code, index=1)
    lobby._trace(seat, marks.Origin(["b" * 64], ["a" * 64]))


@pytest.mark.parametrize("use", [sits, has_sat_down, lambda table: table.say(1, "Hello")])
def test_a_table_in_use_never_is_case_42(use: Callable[[Table], object]) -> None:
    table = full_table()
    age(table, days=300)
    use(table)
    prune()
    assert TableRow.objects.count() == 1


def test_somebody_comes_while_it_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    table = full_table()
    age(table, days=15)
    honest = retention._erase

    def late(pk: int, before: Any) -> bool:
        sits(table)
        return honest(pk, before)

    monkeypatch.setattr(retention, "_erase", late)
    assert retention.prune()["tables"] == 0
    assert TableRow.objects.count() == 1


def test_chat_goes_a_day_after_its_match_unless_reported() -> None:
    over, running, reported = full_table(), full_table(), full_table()
    for table in (over, running, reported):
        table.say(1, "Hello")
    lobby.report(reported.code, BROWSERS[0], 1, 1, "insult", "")
    for table in (over, reported):
        table.leave(0)
    for table in (over, running, reported):
        age(table, hours=25)
    assert retention.prune(dry=True)["lines"] == 1
    prune()
    assert {line.table.code for line in Line.objects.all()} == {running.code, reported.code}
    report = Report.objects.get()
    lobby.resolve_report(report.pk, "me", "done")
    prune()
    assert {line.table.code for line in Line.objects.all()} == {running.code}
    report.refresh_from_db()
    assert report.lines[0]["text"] == "Hello"


def test_chat_of_a_match_that_has_just_ended_stays() -> None:
    table = full_table()
    table.say(1, "Hello")
    age(table, hours=30)
    table.leave(0)
    prune()
    assert Line.objects.count() == 1


def test_chat_of_an_earlier_match_goes_while_the_next_is_played() -> None:
    table = full_table()
    table.say(1, "Hello")
    table.leave(0)
    table.agree("again", 0, 1, 2, 3)
    first = Match.objects.filter(sitting__number=1)
    first.update(opened=ago(hours=60), ended=ago(hours=50))
    Match.objects.filter(sitting__number=2).update(opened=ago(hours=49))
    table.say(1, "Again")
    Line.objects.filter(text="Hello").update(created=ago(hours=55))
    prune()
    assert [line.text for line in Line.objects.all()] == ["Again"]


def test_an_address_is_kept_for_a_day_or_as_long_as_its_ban() -> None:
    table = full_table()
    for seat, address in ((1, "a" * 64), (2, "c" * 64)):
        row = Seat.objects.get(table__code=table.code, index=seat)
        lobby._trace(row, marks.Origin([f"{seat}" * 64], [address]))
    lobby.ban_seat(table.code, 2, Ban.Kind.ADDRESS, timezone.now() + timedelta(days=3), "why")
    Trace.objects.update(seen=ago(hours=25))
    assert retention.prune()["addresses"] == 1
    assert list(Trace.objects.order_by("pk").values_list("address", flat=True)) == ["", "c" * 64]
    Ban.objects.update(until=ago(minutes=1))
    told = retention.prune()
    assert (told["addresses"], told["bans"]) == (1, 1)
    assert not Trace.objects.exclude(address="").exists()


def test_the_rest_that_is_old() -> None:
    table = full_table()
    presence.arrive("old", table.code, 1)
    presence.depart("old", table.code, 1)
    Presence.objects.update(seen=ago(days=2))
    Presence.objects.create(
        seat=Seat.objects.get(table__code=table.code, index=1),
        process="new",
        live=False,
        seen=ago(days=1),
    )
    lobby.report(table.code, BROWSERS[0], 1, None, "other", "")
    Report.objects.update(resolved=ago(days=91))
    Session.objects.create(session_key="x", session_data="", expire_date=ago(days=1))
    told = retention.prune(dry=True)
    assert everything()[5] == 2
    assert {name: told[name] for name in ("presences", "reports", "sessions")} == {
        "presences": 1,
        "reports": 1,
        "sessions": 1,
    }
    assert retention.prune() == told
    assert [row.process for row in Presence.objects.all()] == ["new"]


def test_the_privacy_page_says_what_is_set(settings: Any) -> None:
    settings.TABLES_KEEP_TABLES = 21
    answer = Client().get(reverse("tables:privacy"))
    assert b"21 days after anybody was last there" in answer.content
    assert not answer.cookies
    assert reverse("tables:privacy") in Client().get(reverse("game:home")).content.decode()


@pytest.mark.parametrize(
    ("ways", "only", "words"),
    [
        ([], False, b"can learn your network address."),
        (["turn:x"], False, b"unless you choose to hide it"),
        (["turn:x"], True, b"nobody at the table learns"),
    ],
)
def test_the_privacy_page_says_who_learns_an_address_in_a_call(
    ways: list[str], only: bool, words: bytes, settings: Any
) -> None:
    settings.TABLES_ICE, settings.TABLES_RELAY_ONLY = ways, only
    assert words in Client().get(reverse("tables:privacy")).content


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_marks_of_addresses(one: str, other: str, same: bool) -> None:
    assert (limits.network(one) == limits.network(other)) == same
    assert limits.network("nonsense") == ""


def test_marks_are_of_one_key_and_kind(settings: Any) -> None:
    (mark,) = marks.of("browser", "x")
    assert mark != marks.of("address", "x")[0]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]
    assert marks.of("browser", "x")[1] == mark
