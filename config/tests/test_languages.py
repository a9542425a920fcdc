"""Which language a page speaks: its address's, one's choice, the browser's, the inviter's."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.test import Client, RequestFactory
from django.utils.translation import get_language, override

from game.language import otherwise
from tables.models import Table
from tables.tests.seats import Table as Seats
from tables.tests.seats import open_table

pytestmark = pytest.mark.django_db

FINNISH, BRAZILIAN, GERMAN = "fi-FI,fi;q=0.9,en;q=0.5", "pt", "de-DE,de;q=0.9"


def language(client: Client, address: str, accept: str = "", status: int = 200) -> str:
    answer = client.get(address, headers={"Accept-Language": accept} if accept else {})
    assert answer.status_code == status
    spoken = re.search(r'<html lang="([^"]+)"', answer.content.decode())
    assert spoken
    assert answer.headers["Content-Language"] == spoken[1]
    return spoken[1]


def choose(client: Client, chosen: str, back: str = "/") -> str:
    answer = client.post("/language/", {"language": chosen, "next": back})
    assert answer.status_code == 302
    return answer.headers["Location"]


@pytest.mark.parametrize("accept", ["", FINNISH, BRAZILIAN, GERMAN])
def test_public_pages_speak_the_language_of_their_address(client: Client, accept: str) -> None:
    for rest in ("", "games/ristikontra/", "fairness/", "statistics/"):
        assert language(client, f"/{rest}", accept) == "en"
        assert language(client, f"/fi/{rest}", accept) == "fi"
        assert language(client, f"/pt-br/{rest}", accept) == "pt-br"


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/computer/ristikontra/", 200),
        ("/tables/new/ristikontra/", 200),
        ("/tables/nowhere/", 404),
        ("/invites/nowhere/1/x/", 404),
        ("/privacy/", 200),
        ("/records/", 200),
        ("/admin/login/", 200),
        ("/no/such/page/", 404),
    ],
)
def test_other_pages_go_by_choice_then_browser_then_english(
    client: Client, address: str, status: int
) -> None:
    assert language(client, address, "", status) == "en"
    assert language(client, address, GERMAN, status) == "en"
    assert language(client, address, FINNISH, status) == "fi"
    assert language(client, address, BRAZILIAN, status) == "pt-br"
    assert choose(client, "pt-br", address) == address
    assert language(client, address, FINNISH, status) == "pt-br"
    choose(client, "en")
    assert language(client, address, FINNISH, status) == "en"


def test_error_pages_speak_the_language_of_their_address(client: Client) -> None:
    assert language(client, "/fi/no/such/page/", BRAZILIAN, 404) == "fi"


def test_an_address_without_its_last_slash_is_found_in_any_language(client: Client) -> None:
    answer = client.get("/games/ristikontra", headers={"Accept-Language": FINNISH})
    assert answer.headers["Location"] == "/games/ristikontra/"


def test_guests_without_a_wish_read_the_inviters_language(client: Client) -> None:
    table = open_table()
    Table.objects.update(language="pt-br")
    invite = f"/invites/{table.code}/1/{table.invite(1)}/"
    assert language(client, invite) == "pt-br"
    assert language(client, invite, GERMAN) == "pt-br"
    assert language(client, invite, FINNISH) == "fi"
    choose(client, "en", invite)
    assert language(client, invite, FINNISH) == "en"
    Table.objects.update(language="sv")  # no language of this site any more
    assert language(Client(), invite) == "en"


def test_another_site_decides_for_itself(rf: RequestFactory) -> None:
    """Without our middleware an inviter's language changes nothing."""
    with override("pt-br"):
        otherwise(rf.get("/"), "fi")
        assert get_language() == "pt-br"


def test_a_table_keeps_the_language_it_was_opened_in(client: Client) -> None:
    client.post("/tables/new/ristikontra/", {"name": "Aino"}, headers={"Accept-Language": FINNISH})
    assert Table.objects.get().language == "fi"


ENGLISH = {"Accept-Language": "en-US,en;q=0.9"}


def links(page: str) -> set[str]:
    """Where a page of ours leads, but for the offer of itself in the reader's own language."""
    found = re.findall(r'<a [^>]*href="([^"#?][^"#]*)(?:#[^"]*)?"(?![^>]*hreflang)', page)
    data = re.search(r'<script id="kp-page" type="application/json">(.*?)</script>', page)
    values = json.loads(data[1]).values() if data else ()
    given = [one for one in values if isinstance(one, str) and one.endswith(("/", "language=fi"))]
    addresses = {unescape(one) for one in found} | set(given)
    return {
        one for one in addresses if one.startswith("/") and not one.startswith(("/static/", "//"))
    }


@pytest.mark.parametrize("code", ["fi", "pt-br"])
def test_a_page_leads_on_in_its_own_language(client: Client, code: str) -> None:
    """Every address that can be reached from a front page, in a browser that asks for English."""
    left, seen = {f"/{code}/"}, set[str]()
    while left:
        address = left.pop()
        seen.add(address)
        answer = client.get(address, headers=ENGLISH)
        if answer.status_code == 405:  # the lesson's and the computer table's own questions
            continue
        assert answer.status_code == 200, address
        page = answer.content.decode()
        assert f'<html lang="{code}"' in page, address
        assert f'src="/{code}/words.js"' in page or "words.js" not in page
        left |= links(page) - seen
    paths = {urlsplit(one).path for one in seen}
    assert paths >= {
        f"/{code}/games/ristiseiska/",
        "/computer/ristikontra/",
        "/computer/ristikontra/lesson/",
        "/tables/new/cleaning/",
        "/privacy/",
        "/records/",
    }


def test_forms_and_redirects_carry_a_language_on(client: Client) -> None:
    """A table opened from a Finnish page is a Finnish table, to its end; its invites carry none."""
    page = client.get("/fi/?players=2", headers=ENGLISH).content.decode()
    (address,) = (one for one in links(page) if one.startswith("/tables/new/ristiseiska/"))
    assert address == "/tables/new/ristiseiska/?seats=2&language=fi"
    answer = client.post(address, {"seats": "5"}, headers=ENGLISH)
    assert '<html lang="fi"' in answer.content.decode()  # the form comes back
    opened = client.post(
        address, {"seats": "2", "deals": "1", "pantti": "21", "tie": "draw"}, headers=ENGLISH
    )
    code = Table.objects.get().code
    assert Table.objects.get().language == "fi"
    assert opened.headers["Location"] == f"/tables/{code}/?language=fi"
    page = client.get(opened.headers["Location"], headers=ENGLISH).content.decode()
    assert '<html lang="fi"' in page
    data = re.search(r'<script id="kp-page" type="application/json">(.*?)</script>', page)
    assert data
    given = json.loads(data[1])
    assert given["home"] == "/fi/"
    assert given["leave"] == f"/tables/{code}/leave/?language=fi"
    assert given["fresh"] == "/tables/new/ristiseiska/?language=fi"
    assert "language" not in given["socket"] + given["comeBack"] + given["seats"][1]["invite"]
    home = client.get("/fi/", headers=ENGLISH).content.decode()
    (join,) = re.findall(r'class="kp-join-form" method="post" action="([^"]+)"', home)
    invite = f"/invites/{code}/1/{Seats(code).invite(1)}/"
    joined = Client().post(join, {"link": invite}, headers=ENGLISH)
    assert joined.headers["Location"] == f"{invite}?language=fi"
    leaving = client.post(given["leave"], {"shown": "waiting"}, headers=ENGLISH)
    assert leaving.headers["Location"].endswith("?language=fi")


def test_a_choice_of_seats_keeps_the_language(client: Client) -> None:
    page = client.get("/computer/ristiseiska/?language=fi", headers=ENGLISH).content.decode()
    assert '<input type="hidden" name="language" value="fi">' in page
    address = "/computer/ristiseiska/?language=fi&seats=3"
    page = client.get(address, headers=ENGLISH).content.decode()
    assert '<html lang="fi"' in page
    assert "korttipoyta/js/computer" in page


def test_only_what_the_next_page_would_not_speak_itself_is_carried_on(client: Client) -> None:
    def carrying(address: str, accept: str) -> bool:
        page = client.get(address, headers={"Accept-Language": accept}).content.decode()
        return any("language=" in one for one in links(page))

    assert carrying("/fi/", "en")
    assert carrying("/fi/", GERMAN)
    assert carrying("/privacy/?language=fi", "en")
    assert not carrying("/fi/", FINNISH)
    assert not carrying("/", FINNISH)
    assert not carrying("/", GERMAN)
    assert not carrying("/?language=fi", "en")
    assert not carrying("/privacy/?language=sv", "en")
    choose(client, "en")
    assert not carrying("/fi/", "en")
    assert language(client, "/privacy/?language=fi", FINNISH) == "en"
    assert choose(client, "fi", "/join/?language=pt-br&a=1") == "/join/?a=1"


def test_guests_of_no_wish_go_on_in_the_inviters_language(client: Client) -> None:
    table = open_table()
    Table.objects.update(language="fi")
    page = client.get(f"/invites/{table.code}/1/wrong/", headers={"Accept-Language": GERMAN})
    assert "/tables/new/ristikontra/?language=fi" in links(page.content.decode())


def test_a_page_that_was_led_to_offers_itself_in_the_readers_language(client: Client) -> None:
    page = client.get("/tables/new/cleaning/?seats=2&language=fi", headers=ENGLISH)
    assert (
        '<p class="kp-offer"><a href="/tables/new/cleaning/?seats=2" lang="en"'
        in page.content.decode()
    )


def test_a_choice_leads_to_the_same_page(client: Client) -> None:
    assert choose(client, "fi", "/") == "/fi/"
    assert choose(client, "pt-br", "/fi/games/ristiseiska/?a=1") == "/pt-br/games/ristiseiska/?a=1"
    assert choose(client, "en", "/pt-br/games/ristiseiska/") == "/games/ristiseiska/"
    assert choose(client, "fi", "/tables/abc/?a=1") == "/tables/abc/?a=1"
    assert choose(client, "fi", "/no/such/page/") == "/no/such/page/"


@pytest.mark.parametrize(
    "back", ["https://elsewhere.example/", "//elsewhere.example/", "", "\\\\x"]
)
def test_a_choice_leads_to_no_other_site(client: Client, back: str) -> None:
    assert choose(client, "fi", back) == "/fi/"


def test_only_a_post_of_a_language_we_speak_chooses(client: Client) -> None:
    assert client.get("/language/?language=fi").status_code == 405
    choose(client, "sv")
    assert not client.cookies
    choose(client, "fi")
    (cookie,) = client.cookies.values()
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("fi", True, "Lax")
    assert cookie["max-age"] == 365 * 24 * 60 * 60


def test_no_token_is_needed_to_choose() -> None:
    client = Client(enforce_csrf_checks=True)
    assert choose(client, "fi") == "/fi/"


def test_the_front_page_follows_a_choice_and_nothing_else_does(client: Client) -> None:
    assert language(client, "/", FINNISH) == "en"  # what a browser says moves nobody
    choose(client, "fi")
    answer = client.get("/?a=1")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/fi/?a=1")
    assert "Cookie" in answer.headers["Vary"]
    assert language(client, "/games/ristikontra/") == "en"
    assert language(client, "/pt-br/") == "pt-br"


def test_a_page_offers_itself_in_the_readers_language(client: Client) -> None:
    def offered(address: str, accept: str) -> list[tuple[str, str]]:
        page = client.get(address, headers={"Accept-Language": accept}).content.decode()
        return re.findall(r'<p class="kp-offer"><a href="([^"]+)"[^>]*>([^<]+)<', page)

    rules = "/games/ristikontra/"
    assert offered(rules, "en") == offered(f"/fi{rules}", FINNISH) == offered(rules, GERMAN) == []
    assert offered(rules, FINNISH) == [(f"/fi{rules}", "Tämä sivu suomeksi")]
    assert offered(f"/fi{rules}", "en") == [(rules, "This page in English")]
    assert offered("/", BRAZILIAN) == [("/pt-br/", "Esta página em português")]
    assert offered("/computer/ristikontra/", FINNISH) == []
    choose(client, "en")
    assert offered(rules, FINNISH) == []


def test_the_chooser_is_on_every_page(client: Client) -> None:
    for address in ("/", "/fi/fairness/", "/computer/ristikontra/", "/privacy/", "/no/such/page/"):
        page = client.get(address).content.decode()
        assert f'name="next" value="{address}"' in page
        assert page.count('aria-current="true"') == 1
        for name in ("English", "Suomi", "Português (Brasil)"):
            assert f">{name}</button>" in page


def test_words_of_scripts_come_in_the_language_of_the_page(client: Client) -> None:
    page = client.get("/computer/ristikontra/", headers={"Accept-Language": FINNISH})
    assert 'src="/fi/words.js"' in page.content.decode()
    words = client.get("/fi/words.js", headers={"Accept-Language": "en"})
    assert words.headers["Content-Language"] == "fi"
    assert "Cookie" not in words.headers.get("Vary", "")
    since = {"If-Modified-Since": words.headers["Last-Modified"]}
    assert client.get("/fi/words.js", headers=since).status_code == 304
