"""Moderators, observers and others, logged in, for tests."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tables.models import Table as TableRow


def user(group: str = "", **fields: Any) -> Any:
    """Somebody of the staff; a ``superuser`` when the group is so called."""
    fields = {"is_staff": True, "is_superuser": group == "superuser"} | fields
    made = get_user_model().objects.create_user(
        username=fields.pop("username", group or "nobody"), password="a long pass phrase", **fields
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
