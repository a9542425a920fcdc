"""Who may do what as a moderator, and what comes of it (CASES 27, 30)."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test import Client as Browser
from django.urls import reverse
from django.utils import timezone

from game import archive
from game.records import check, parse
from moderation import admin as moderation_admin
from moderation.tests.people import PASSWORD, act, client, log, page, ready_table, row, traced, user
from tables import lobby, marks
from tables.models import Ban, Line, Report, Seat
from tables.tests.seats import (
    BROWSERS,
    NAMES,
    full_table,
    open_table,
    won_table,
)

pytestmark = pytest.mark.django_db


# ---- the groups ----------------------------------------------------------------------------------


def test_the_groups_have_exactly_their_permissions() -> None:
    told = {
        group.name: sorted(
            f"{p.content_type.app_label}.{p.codename}" for p in group.permissions.all()
        )
        for group in Group.objects.all()
    }
    seeing = ["tables.view_ban", "tables.view_report", "tables.view_table"]
    acting = ["tables.change_ban", "tables.change_report", "tables.moderate_table"]
    assert told == {"Moderator": sorted(seeing + acting), "Observer": seeing}


ACTS: dict[str, dict[str, Any]] = {
    "close": {"words": "Good night"},
    "hide": {"line": 1},
    "restore": {"line": 2},
    "rename": {"seat": 1, "name": "Someone"},
    "mute": {"seat": 1},
    "unmute": {"seat": 2},
    "ban-browser": {"seat": 1, "days": 7},
    "ban-address": {"seat": 1, "days": 7},
}


@pytest.mark.parametrize("what", [*ACTS, "resolve", "report-ban", "lift"])
@pytest.mark.parametrize("group", ["Moderator", "Observer", "", "superuser", "anonymous"])
def test_who_may_act_case_30(group: str, what: str) -> None:
    table = ready_table()
    browser = Browser() if group == "anonymous" else client(group)
    report = Report.objects.get()
    lobby.ban(Ban.Kind.BROWSER, "f" * 64, "X", timezone.now() + timedelta(days=1), "why")
    places = {
        "resolve": reverse("admin:tables_report_act", args=[report.pk, "resolve"]),
        "report-ban": reverse("admin:tables_report_act", args=[report.pk, "ban-browser"]),
        "lift": reverse("admin:tables_ban_act", args=[Ban.objects.get().pk, "lift"]),
    }
    place = places.get(what) or reverse("admin:tables_table_act", args=[row(table.code), what])
    answer = browser.post(place, {"reason": "because", "days": 1} | ACTS.get(what, {}))
    if group in ("Moderator", "superuser"):
        assert answer.status_code == 302
        assert [
            message.level_tag for message in browser.get(answer["Location"]).context["messages"]
        ] == ["success"]
        assert len(log()) == 1
        assert log()[0].endswith(": because")
    else:
        # Django's admin sends who is logged in and may not to the login page, too.
        assert answer.status_code in (302, 403)
        assert answer.status_code == 403 or "/login/" in answer["Location"]
        assert not log()
    assert browser.get(place).status_code in (302, 403, 404)  # nothing is done by looking


@pytest.mark.parametrize("group", ["Moderator", "Observer", ""])
def test_who_may_see(group: str) -> None:
    table = ready_table()
    browser = client(group)
    names = ["tables_table", "tables_report", "tables_ban"]
    lists = [reverse(f"admin:{name}_changelist") for name in names]
    report = reverse("admin:tables_report_change", args=[Report.objects.get().pk])
    for address in [*lists, page(table.code), report]:
        answer = browser.get(address)
        assert answer.status_code == (200 if group else 403), address
        acts = b'name="reason"' in answer.content
        assert acts == (group == "Moderator" and address not in lists)
    for name in ("auth_user", "auth_group"):
        assert browser.get(reverse(f"admin:{name}_changelist")).status_code == 403
    for name in names:
        assert browser.get(reverse(f"admin:{name}_add")).status_code == 403
    assert (
        browser.post(reverse("admin:tables_table_delete", args=[row(table.code)])).status_code
        == 403
    )


def test_the_page_shows_chat_in_order_and_no_secrets(moderator: Browser) -> None:
    table = ready_table()
    text = moderator.get(page(table.code)).content.decode()
    assert text.index("Hello") < text.index("Bad words")
    assert all(name in text for name in NAMES)
    for seat in table.at().seats:
        assert seat.holder not in text
    for secret in (*BROWSERS, table.back_link(1), marks.of("browser", BROWSERS[1])[0]):
        assert secret not in text


def test_a_long_chat_comes_page_by_page(
    moderator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation_admin, "CHAT", 3)
    table = full_table()
    for number in range(1, 8):
        table.say(number % 4, f"line {number}")

    def shown(query: str) -> list[str]:
        return re.findall(r"line \d", moderator.get(page(table.code) + query).content.decode())

    assert shown("") == ["line 5", "line 6", "line 7"]
    assert "?before=5#chat" in moderator.get(page(table.code)).content.decode()
    assert shown("?before=5") == ["line 2", "line 3", "line 4"]
    assert shown("?before=2") == ["line 1"]
    for nonsense in ("?before=x", f"?before={'9' * 5000}", "?before=-1"):
        assert shown(nonsense) == shown("")


# ---- what comes of it ----------------------------------------------------------------------------


def test_closing_before_the_first_deal_and_after_the_match(moderator: Browser) -> None:
    table = open_table()
    act(moderator, table.code, "close")
    assert table.at().outcome == {"outcome": "closed", "reason": "moderator"}
    won = won_table()
    before = won.at().outcome
    act(moderator, won.code, "close")
    assert won.at().outcome == before  # CASE 20: a finished match never becomes a draw
    with pytest.raises(lobby.Refused, match="closed"):
        won.agree("again", 0)
    answer = act(moderator, won.code, "close")
    assert [message.level_tag for message in answer.context["messages"]] == ["error"]


def test_what_moderators_write_and_do_stands_in_the_chat_in_words(moderator: Browser) -> None:
    table = full_table()
    act(moderator, table.code, "mute", seat=1)
    lobby.report(table.code, BROWSERS[0], 1, None, "other", "")
    act(moderator, table.code, "close", words="Good <b>night</b>.")
    text = moderator.get(page(table.code)).content.decode()
    assert "muted by a moderator" in text
    assert "A moderator has closed this table. Good &lt;b&gt;night&lt;/b&gt;." in text
    report = reverse("admin:tables_report_change", args=[Report.objects.get().pk])
    assert "muted by a moderator" in moderator.get(report).content.decode()


def test_a_renamed_seat_is_renamed_in_what_it_said(moderator: Browser) -> None:
    table = full_table()
    table.say(1, "one")
    table.say(2, "two")
    act(moderator, table.code, "rename", seat=1, name="Nicer")
    assert table.at().seats[1].name == "Nicer"
    names = {line["n"]: line["name"] for line in table.lines()}
    assert names[1] == "Nicer"
    assert names[2] == NAMES[2]
    assert {line["n"] for line in table.lines(since=2)} == {1, 4}
    won = won_table()
    act(moderator, won.code, "rename", seat=1, name="Nicer")
    kept = archive.export(won.match).record.names
    assert kept == (NAMES[0], "Nicer", *NAMES[2:])
    answer = act(moderator, table.code, "rename", seat=1, name=NAMES[2])  # looks like another
    assert [message.level_tag for message in answer.context["messages"]] == ["error"]


def test_a_banned_address_sits_down_nowhere_in_any_browser(moderator: Browser) -> None:
    table = full_table()
    traced(table, 1)
    act(moderator, table.code, "ban-address", seat=1, days=1)
    other = Browser(REMOTE_ADDR="192.0.2.7")
    answer = other.post(reverse("tables:new", args=["ristikontra"]), {"name": "Me"})
    assert answer.status_code == 403
    assert b"shut you out" in answer.content
    elsewhere = Browser(REMOTE_ADDR="192.0.2.8")
    answer = elsewhere.post(reverse("tables:new", args=["ristikontra"]), {"name": "Me"})
    assert answer.status_code == 302


def test_a_page_that_seats_somebody_leaves_a_trace_but_no_address() -> None:
    browser = Browser(REMOTE_ADDR="2001:db8:1:2:3:4:5:6")
    browser.post(reverse("tables:new", args=["ristikontra"]), {"name": "Me"})
    trace = Seat.objects.get(index=0).trace
    assert trace.address == marks.of("address", "2001:db8:1:2::/64")[0]
    assert "2001" not in trace.address


def test_who_is_banned_does_nothing_by_forms_and_is_offered_no_table(moderator: Browser) -> None:
    table = full_table()
    traced(table, 0)
    act(moderator, table.code, "ban-browser", seat=0, days=7)
    browser = Browser()
    browser.cookies["sessionid"] = table.cookie(0)
    report = browser.post(
        reverse("tables:report", args=[table.code]),
        {"seat": 1, "reason": "spam"},
        headers={"Accept": "application/json"},
    )
    assert (report.status_code, report.json()) == (403, {"refused": "banned"})
    leave = browser.post(reverse("tables:leave", args=[table.code]), {"shown": "playing"})
    renew = browser.post(reverse("tables:renew", args=[table.code, 1]), {"turnover": "0"})
    shown = browser.get(reverse("tables:table", args=[table.code]))
    for answer in (leave, renew, shown):
        assert b"shut you out" in answer.content
        assert reverse("tables:new", args=["ristikontra"]).encode() not in answer.content
    assert table.at().status == "playing"


def test_of_two_bans_the_longer_counts_and_each_is_lifted_by_itself(moderator: Browser) -> None:
    table = full_table()
    traced(table, 1)

    def lift(kind: Ban.Kind) -> None:
        ban = Ban.objects.get(kind=kind)
        moderator.post(reverse("admin:tables_ban_act", args=[ban.pk, "lift"]), {"reason": "over"})

    act(moderator, table.code, "ban-browser", seat=1, days=30)
    act(moderator, table.code, "ban-address", seat=1, days=1)
    until = table.at().seats[1].banned
    assert until is not None
    assert until > timezone.now() + timedelta(days=29)
    lift(Ban.Kind.BROWSER)
    assert table.at().seats[1].shut_out
    lift(Ban.Kind.ADDRESS)
    assert not table.at().seats[1].shut_out


def test_an_ended_ban_bans_nobody() -> None:
    table = full_table()
    origin = traced(table, 1)
    lobby.ban_seat(table.code, 1, Ban.Kind.BROWSER, timezone.now() - timedelta(1), "long ago")
    assert not table.at().seats[1].shut_out
    lobby.open_table("ristikontra", 4, {}, BROWSERS[1], "", False, origin)


def test_an_act_without_a_reason_is_not_done(moderator: Browser) -> None:
    table = ready_table()
    act(moderator, table.code, "hide", reason="", line=1)
    assert not Line.objects.get(number=1).hidden
    assert not log()


def test_the_record_is_there_once_the_match_is_over(moderator: Browser) -> None:
    table = full_table()
    address = reverse("admin:tables_table_record", args=[row(table.code), 1])
    assert moderator.get(address).status_code == 404
    assert address not in moderator.get(page(table.code)).content.decode()
    table.play_random(random.Random(1), 6)
    table.leave(1)
    assert address in moderator.get(page(table.code)).content.decode()
    answer = moderator.get(address)
    told = check(parse(answer.content))
    assert not told["finished"]
    assert json.loads(answer.content)["names"] == list(NAMES)


# ---- reports -------------------------------------------------------------------------------------


def test_a_report_keeps_the_lines_around_it_case_30(moderator: Browser) -> None:
    table = full_table()
    for number in range(3):
        table.say(number, f"line {number}")
    lobby.report(table.code, BROWSERS[0], 1, 2, "insult", "He is rude.")
    lobby.report(table.code, BROWSERS[0], 1, 2, "insult", "He is rude!")  # twice is once
    report = Report.objects.get()
    assert [line["text"] for line in report.lines] == ["line 0", "line 1", "line 2"]
    Line.objects.all().delete()
    address = reverse("admin:tables_report_change", args=[report.pk])
    text = moderator.get(address).content.decode()
    assert "line 1" in text
    assert "He is rude." in text
    assert "Reports (1)" in text
    moderator.post(
        reverse("admin:tables_report_act", args=[report.pk, "resolve"]), {"reason": "Muted him."}
    )
    report.refresh_from_db()
    assert (report.resolved_by, report.resolution) == ("Moderator", "Muted him.")
    assert "Reports (1)" not in moderator.get(address).content.decode()


@pytest.mark.parametrize(
    ("seat", "line", "browser", "code"),
    [
        (0, None, BROWSERS[0], "gone"),  # oneself
        (7, None, BROWSERS[0], "gone"),
        (2, 1, BROWSERS[0], "gone"),  # another's line
        (1, 9, BROWSERS[0], "gone"),
        (1, 1, "a stranger", "not-seated"),
    ],
)
def test_what_is_not_reported(seat: int, line: int | None, browser: str, code: str) -> None:
    table = full_table()
    table.say(1, "Hello")
    with pytest.raises(lobby.Refused, match=code):
        lobby.report(table.code, browser, seat, line, "insult", "")
    assert not Report.objects.exists()


def test_a_line_of_somebody_before_bans_nobody_who_sits_there_now(moderator: Browser) -> None:
    table = full_table()
    table.say(1, "Bad words")
    lobby._free(table.code, 1)
    table.browsers[1] = "another browser"
    table.claim(1, "Another")
    traced(table, 1)
    lobby.report(table.code, BROWSERS[0], 1, 1, "insult", "")
    lobby.report(table.code, BROWSERS[0], 1, None, "insult", "")
    line, person = Report.objects.order_by("pk")
    assert (line.name, line.browser) == (NAMES[1], "")
    assert person.browser == marks.of("browser", "another browser")[0]
    address = reverse("admin:tables_report_change", args=[line.pk])
    assert "Ban the browser" not in moderator.get(address).content.decode()
    moderator.post(
        reverse("admin:tables_report_act", args=[line.pk, "ban-browser"]),
        {"reason": "insult", "days": 7},
    )
    assert not Ban.objects.exists()


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "x", "\0", ""])
def test_a_form_that_was_forged_is_refused_and_breaks_nothing(number: str) -> None:
    table = full_table()
    browser = Browser()
    browser.cookies["sessionid"] = table.cookie(0)
    renew = reverse("tables:renew", args=[table.code, 1])
    assert browser.post(renew, {"turnover": number, "taken": "1"}).status_code == 409
    report = reverse("tables:report", args=[table.code])
    for field in ("seat", "line", "reason", "words"):
        form = {"seat": "1", "line": "1", "reason": "spam", "words": "", field: number}
        assert browser.post(report, form).status_code in (200, 400, 403)


def test_so_many_reports_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "REPORTS", 2)
    table = full_table()
    for seat in (1, 2):
        lobby.report(table.code, BROWSERS[0], seat, None, "other", "")
    with pytest.raises(lobby.Refused, match="too-many"):
        lobby.report(table.code, BROWSERS[0], 3, None, "other", "")


def test_a_report_by_form(settings: Any) -> None:
    table = full_table()
    browser = Browser()
    browser.cookies["sessionid"] = table.cookie(0)
    address = reverse("tables:report", args=[table.code])
    assert browser.get(address).status_code == 302
    answer = browser.post(address, {"seat": 1, "reason": "spam"})
    assert (answer.status_code, Report.objects.count()) == (200, 1)
    assert b"Thank you" in answer.content
    json_answer = browser.post(
        address, {"seat": 1, "reason": "nope"}, headers={"Accept": "application/json"}
    )
    assert (json_answer.status_code, json_answer.json()) == (400, {"refused": "request"})
    settings.TABLES_REPORT_RATE = 0
    assert browser.post(address, {"seat": 2, "reason": "spam"}).status_code == 429


NASTY = '<img src=x onerror="alert(1)">\u202e'


def test_nothing_said_or_called_is_html_in_admin_case_27(moderator: Browser) -> None:
    table = full_table()
    lobby.rename(table.place(1), "<b>x</b>")
    table.say(1, NASTY)
    lobby.report(table.code, BROWSERS[0], 1, 1, "insult", NASTY)
    for address in (
        page(table.code),
        reverse("admin:tables_report_change", args=[Report.objects.get().pk]),
        reverse("admin:tables_report_changelist"),
        reverse("admin:tables_table_changelist"),
    ):
        text = moderator.get(address).content.decode()
        assert "<img src=x" not in text
        assert "<b>x</b>" not in text
        assert "\u202e" not in text


# ---- logging in ----------------------------------------------------------------------------------


def test_the_login_is_throttled_by_address(settings: Any) -> None:
    cache.clear()
    user("Moderator")
    login = reverse("admin:login")
    enemy = Browser(REMOTE_ADDR="192.0.2.66")
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = enemy.post(login, {"username": "Moderator", "password": "guess"})
    assert answer.status_code == 429
    right = {"username": "Moderator", "password": PASSWORD}
    assert enemy.post(login, right).status_code == 429
    assert Browser(REMOTE_ADDR="192.0.2.67").post(login, right).status_code == 302
    cache.clear()


def test_the_login_is_throttled_by_the_network_of_a_home(settings: Any) -> None:
    """Of IPv6 everybody has more addresses than there are passwords."""
    cache.clear()
    user("Moderator")
    login = reverse("admin:login")
    wrong = {"username": "Moderator", "password": "guess"}
    for number in range(settings.AXES_FAILURE_LIMIT):
        enemy = Browser(REMOTE_ADDR=f"2001:db8::{number + 1:x}")
        answer = enemy.post(login, wrong)
    assert answer.status_code == 429
    assert Browser(REMOTE_ADDR="2001:db8:0:1::1").post(login, wrong).status_code == 200
    cache.clear()


def test_a_login_does_not_last_as_long_as_a_seat(settings: Any) -> None:
    somebody = user("Moderator")
    browser = Browser()
    browser.force_login(somebody, "django.contrib.auth.backends.ModelBackend")
    assert browser.get(reverse("admin:index")).status_code == 200
    somebody.last_login = timezone.now() - timedelta(hours=settings.MODERATION_HOURS + 1)
    somebody.save()
    assert browser.get(reverse("admin:index")).status_code == 302
