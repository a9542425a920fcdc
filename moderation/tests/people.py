"""Moderators, observers and others, logged in, for tests."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tables import lobby, marks
from tables.models import Seat
from tables.models import Table as TableRow
from tables.tests.seats import BROWSERS, Table, full_table

PASSWORD = "a long pass phrase"


def user(group: str = "", **fields: Any) -> Any:
    """Somebody of the staff; a ``superuser`` when the group is so called."""
    fields = {"is_staff": True, "is_superuser": group == "superuser"} | fields
    made = get_user_model().objects.create_user(
        username=fields.pop("username", group or "nobody"), password=PASSWORD, **fields
    )
    if group and group != "superuser":
        made.groups.add(Group.objects.get(name=group))
    return made


def client(group: str = "", **fields: Any) -> Client:
    """A browser in which such a one has logged in."""
    browser = Client()
    browser.force_login(user(group, **fields), "django.contrib.auth.backends.ModelBackend")
    return browser


def row(code: str) -> int:
    return TableRow.objects.get(code=code).pk


def page(code: str) -> str:
    return reverse("admin:tables_table_change", args=[row(code)])


def act(browser: Client, code: str, what: str, reason: str = "because", **fields: Any) -> Any:
    """Act on a table, as its page does; the page it leads to."""
    address = reverse("admin:tables_table_act", args=[row(code), what])
    return browser.post(address, {"reason": reason, **fields}, follow=True)


def traced(table: Table, seat: int, address: str = "192.0.2.7") -> marks.Origin:
    """Let a seat's trace be known, as if it had sat down by its page."""
    origin = marks.Origin(marks.of("browser", table.browsers[seat]), marks.of("address", address))
    lobby._trace(Seat.objects.get(table__code=table.code, index=seat), origin)
    return origin


def log() -> list[str]:
    return [entry.change_message for entry in LogEntry.objects.order_by("pk")]


def ready_table() -> Table:
    """A table at which every act can be done."""
    table = full_table()
    table.say(1, "Hello")
    table.say(1, "Bad words")
    lobby.hide_line(table.code, 2, True)
    lobby.mute_seat(table.code, 2, True)
    traced(table, 1)
    lobby.report(table.code, BROWSERS[0], 1, 2, "insult", "")
    return table
