"""Notices: on public pages only, from us only, and nothing while there is none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from notices import context
from notices.models import LARGEST, Notice, kind_of, only_https
from tables.tests.seats import open_table

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def notice(**fields: Any) -> Notice:
    made: Notice = Notice.objects.create(**{"text": "A tournament on Sunday"} | fields)
    return made


def public() -> list[str]:
    return [reverse("game:home"), reverse("game:rules", args=["ristikontra"])]


def test_nothing_is_shown_while_there_is_none() -> None:
    for address in public():
        assert b"kp-notices" not in Client().get(address).content


def test_it_is_on_public_pages_and_nowhere_else() -> None:
    notice(link="https://example.org/", paid=True)
    for address in public():
        answer = Client().get(address)
        text = answer.content.decode()
        assert "A tournament on Sunday" in text
        assert "Advertisement" in text
        assert 'rel="noopener sponsored nofollow"' in text
        assert not answer.cookies
    table = open_table()
    seated = Client()
    seated.cookies["sessionid"] = table.cookie(0)
    for address in (
        reverse("tables:table", args=[table.code]),
        reverse("tables:invite", args=[table.code, 1, table.invite(1)]),
        reverse("tables:new", args=["ristikontra"]),
        reverse("bots:table", args=["ristikontra"]),
        reverse("tables:privacy"),
    ):
        answer = (seated if "tables/" in address else Client()).get(address)
        assert answer.status_code == 200, address
        assert b"tournament" not in answer.content


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({}, True),
        ({"language": "en"}, True),
        ({"language": "fi"}, False),
        ({"since": timezone.now() + timedelta(hours=1)}, False),
        ({"until": timezone.now() - timedelta(hours=1)}, False),
        ({"until": timezone.now() + timedelta(hours=1)}, True),
    ],
)
def test_when_and_for_whom(fields: dict[str, Any], seen: bool) -> None:
    notice(**{"since": timezone.now() - timedelta(days=2)} | fields)
    assert (b"tournament" in Client().get(reverse("game:home")).content) == seen


def test_the_front_page_does_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(language: str) -> Any:
        raise OperationalError("away")

    monkeypatch.setattr(context, "shown", away)
    assert Client().get(reverse("game:home")).status_code == 200


def test_a_picture_is_ours_and_kept_for_good() -> None:
    shown = notice(picture=PNG, picture_words="A cup")
    text = Client().get(reverse("game:home")).content.decode()
    assert f'src="{shown.address}" alt="A cup"' in text
    answer = Client().get(shown.address)
    assert (answer["Content-Type"], answer.content) == ("image/png", PNG)
    assert "immutable" in answer["Cache-Control"]
    assert Client().get(shown.address[:-1] + "x").status_code == 404
    Notice.objects.update(picture=b"<svg onload=alert(1)>")
    shown.refresh_from_db()
    assert Client().get(shown.address).status_code == 404


@pytest.mark.parametrize(
    ("picture", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"<svg xmlns=", None),
        (b"<!doctype html>", None),
        (b"", None),
    ],
)
def test_what_a_picture_is(picture: bytes, kind: str | None) -> None:
    assert kind_of(picture) == kind


@pytest.mark.parametrize(
    "address", ["http://x", "javascript:alert(1)", "//evil.example", "/\\evil.example", "data:,"]
)
def test_where_a_link_may_not_lead(address: str) -> None:
    with pytest.raises(ValidationError):
        only_https(address)


# ---- in admin ------------------------------------------------------------------------------------


@pytest.fixture
def owner() -> Client:
    user = get_user_model().objects.create_superuser("owner", password="x")
    browser = Client()
    browser.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return browser


FIELDS = {"text": "Hello", "since_0": "2026-01-01", "since_1": "00:00:00"}
Post = Callable[..., Any]


def add(owner: Client, **fields: Any) -> Any:
    return owner.post(reverse("admin:notices_notice_add"), FIELDS | fields)


def test_a_notice_is_made_and_changed_in_admin(owner: Client) -> None:
    file = SimpleUploadedFile("cup.png", PNG)
    assert add(owner, upload=file, picture_words="A cup").status_code == 302
    made = Notice.objects.get()
    assert bytes(made.picture) == PNG
    change = reverse("admin:notices_notice_change", args=[made.pk])
    assert owner.get(change).status_code == 200
    assert owner.post(change, FIELDS | {"text": "Bye", "picture_words": "A cup"}).status_code == 302
    made.refresh_from_db()
    assert (made.text, bytes(made.picture)) == ("Bye", PNG)
    assert owner.post(change, FIELDS | {"without": "on"}).status_code == 302
    made.refresh_from_db()
    assert not made.picture


@pytest.mark.parametrize(
    "fields",
    [
        {"upload": SimpleUploadedFile("x.svg", b"<svg>"), "picture_words": "x"},
        {"upload": SimpleUploadedFile("x.png", PNG + b"\0" * LARGEST), "picture_words": "x"},
        {"upload": SimpleUploadedFile("x.png", PNG)},
        {"link": "http://example.org/"},
        {"language": "tlh"},
        {"until_0": "2025-01-01", "until_1": "00:00:00"},
    ],
)
def test_what_admin_does_not_take(owner: Client, fields: dict[str, Any]) -> None:
    assert add(owner, **fields).status_code == 200
    assert not Notice.objects.exists()
