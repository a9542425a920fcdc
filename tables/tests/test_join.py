"""Joining by a pasted link: to our own tables, and nowhere else."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

JOIN = reverse("tables:join")
INVITE = reverse("tables:invite", args=["abc", 1, "x:y"])
HOST = "http://testserver"


def sent_to(client: Client, link: str, **options: str) -> str | None:
    """Where a pasted text leads; None when the page says that it is no link of ours."""
    answer = client.post(JOIN, {"link": link}, headers=options)
    assert not answer.cookies
    assert "no-store" in answer["Cache-Control"]
    if answer.status_code == 302:
        return str(answer["Location"])
    assert answer.status_code == 200
    assert "There is no link to a table of this site in that." in answer.content.decode()
    return None


@pytest.mark.parametrize(
    "address",
    [
        INVITE,
        reverse("tables:return", args=["abc", 0, "x:y"]),
        reverse("tables:table", args=["abc"]),
    ],
)
@pytest.mark.parametrize(
    "text", ["{}", "  {}\n", "Tule pelaamaan! {} t. Aino", "<{}>", "({}).", "{}?x=1#y"]
)
def test_a_link_of_ours_leads_there(client: Client, address: str, text: str) -> None:
    assert sent_to(client, text.format(HOST + address)) == address


def test_the_address_without_its_host_will_do(client: Client) -> None:
    assert sent_to(client, INVITE) == INVITE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "https://evil.example" + INVITE,
        "//evil.example" + INVITE,
        "http:" + INVITE,
        "javascript:alert(1)",
        "data:text/html,hi",
        "http://testserver@evil.example" + INVITE,
        "http://evil.example\\@testserver" + INVITE,
        "http://testserver:99999999" + INVITE,
        "http://[" + INVITE,
        HOST + reverse("game:home"),
        HOST + reverse("tables:new", args=["ristikontra"]),
        HOST + reverse("tables:leave", args=["abc"]),
        HOST + "/no/such/page/",
        "ftp://testserver" + INVITE,
    ],
)
def test_anything_else_is_answered_in_words(client: Client, text: str) -> None:
    assert sent_to(client, text) is None


def test_a_site_is_asked_for_by_its_own_name_only(client: Client) -> None:
    assert sent_to(client, HOST + INVITE, host="localhost") is None
    assert sent_to(client, "http://localhost" + INVITE, host="localhost") == INVITE


def test_it_needs_no_token_and_changes_nothing() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert sent_to(strict, HOST + INVITE) == INVITE
    assert strict.get(JOIN).status_code == 200
    assert strict.get(JOIN, {"link": HOST + INVITE}).status_code == 200
