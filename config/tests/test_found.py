"""How the site is found: addresses, languages, what pages are, what must not be listed, icons."""

from __future__ import annotations

import json
import re
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from bots.lessons import LESSONS
from game.engine.registry import offered
from game.questions import QUESTIONS
from tables import lobby

pytestmark = pytest.mark.django_db
HOST = "http://testserver"
IN_EACH_LANGUAGE = [
    reverse("game:home"),
    *(reverse("game:rules", args=[key]) for key in offered()),
    reverse("game:fairness"),
    reverse("game:statistics"),
]
PLAIN = [
    *(reverse("bots:lesson", args=[key]) for key in LESSONS),
    reverse("tables:watch"),
    reverse("tables:privacy"),
]
PREFIXES = {"en": "", "fi": "/fi", "pt-br": "/pt-br"}
LOCALES = defaultdict(lambda: "en_US", {"fi": "fi_FI", "pt-br": "pt_BR"})
LISTED = [*PLAIN, *(before + page for before in PREFIXES.values() for page in IN_EACH_LANGUAGE)]
SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def linked(page: str) -> Any:
    """The data a page has for search engines."""
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    assert not {"<", ">", "&"} & set(found)
    return json.loads(found)["@graph"]


@pytest.mark.parametrize("address", LISTED)
def test_a_listed_page_says_where_it_is(client: Client, address: str) -> None:
    page = text(client, f"{address}?players=3&x=1")
    assert f'<link rel="canonical" href="{HOST}{address}">' in page
    links = dict(re.findall('<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', page))
    bare = re.sub("^/(fi|pt-br)/", "/", address)
    pages = {code: f"{HOST}{before}{bare}" for code, before in PREFIXES.items()}
    assert links == ({} if address in PLAIN else {**pages, "x-default": pages["en"]})
    assert "noindex" not in page
    assert page.count('<meta name="description"') == 1
    (picture,) = re.findall('<meta property="og:image" content="([^"]+)">', page)
    assert picture.startswith(f"{HOST}/static/korttipoyta/img/share.")
    (locale,) = re.findall('<meta property="og:locale" content="([^"]+)">', page)
    assert locale == LOCALES[address.split("/")[1]]


def test_every_listed_page_is_in_the_sitemap_and_nothing_else(client: Client) -> None:
    tree = ElementTree.fromstring(text(client, reverse("sitemap")))
    found = [one.text for one in tree.iter(f"{SPACE}loc")]
    assert sorted(str(one) for one in found) == sorted(HOST + one for one in LISTED)


def test_robots_names_the_sitemap_and_bars_nothing(client: Client) -> None:
    """A page that must not be listed says so itself; to be barred it could not be asked."""
    assert text(client, "/robots.txt") == (
        f"User-agent: *\nDisallow:\n\nSitemap: {HOST}/sitemap.xml\n"
    )


def invite() -> str:
    browser = "somebody"
    code = lobby.open_table("ristikontra", 4, {}, browser, "Aino", voice=False)
    return reverse("tables:invite", args=[code, 1, "signature"])


def test_what_is_somebodys_own_is_not_listed(client: Client) -> None:
    pages = [
        reverse("bots:table", args=["ristikontra"]),
        reverse("tables:table", args=["nothing"]),
        reverse("tables:new", args=["ristikontra"]),
        reverse("tables:join"),
        reverse("tables:return", args=["nothing", 0, "x"]),
        invite(),
    ]
    for address in pages:
        answer: Any = client.get(address)
        barred = '<meta name="robots" content="noindex">' in answer.content.decode()
        assert barred or answer.headers.get("X-Robots-Tag") == "noindex", address
        assert b'rel="canonical"' not in answer.content


@pytest.mark.parametrize("key", offered())
def test_a_rules_page_tells_search_engines_what_it_is(client: Client, key: str) -> None:
    page = text(client, reverse("game:rules", args=[key]))
    game, trail, questions = linked(page)
    seats = offered()[key].seats
    assert (game["@type"], game["isAccessibleForFree"]) == ("Game", True)
    assert game["numberOfPlayers"]["minValue"] == min(seats)
    assert game["numberOfPlayers"]["maxValue"] == max(seats)
    assert game["url"] == HOST + reverse("game:rules", args=[key])
    assert [one["position"] for one in trail["itemListElement"]] == [1, 2]
    asked = [(one["name"], one["acceptedAnswer"]["text"]) for one in questions["mainEntity"]]
    assert asked == [(str(one.asked), str(one.answer)) for one in QUESTIONS[key]]


@pytest.mark.parametrize("key", offered())
def test_a_rules_page_is_complete(client: Client, key: str) -> None:
    """Every section is reached from the list at the top, and cards are drawn by the component."""
    page = text(client, reverse("game:rules", args=[key]))
    (contents,) = re.findall('<nav class="kp-contents".*?</nav>', page, re.DOTALL)
    reached = re.findall('href="#([^"]+)"', contents)
    assert reached == re.findall('<h2 id="([^"]+)"', page)
    assert len(set(reached)) == len(reached)
    wanted = {"kp-r-goal", "kp-r-minute", "kp-r-score", "kp-r-out", "kp-r-sources"}
    assert wanted | {"kp-r-computer", "kp-r-asked", "kp-r-friends"} <= set(reached)
    assert page.count('class="kp-example-cards"') >= 2
    assert "kp-card--winning" in page
    assert (reverse("bots:lesson", args=["ristikontra"]) in page) == (key == "ristikontra")


@pytest.mark.parametrize("key", offered())
def test_a_rules_page_needs_no_script_that_this_site_would_forbid(client: Client, key: str) -> None:
    page = text(client, reverse("game:rules", args=[key]))
    for script in re.findall("<script[^>]*>", page):
        assert ' src="/' in script or 'type="application/ld+json"' in script
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)


# --- Icons ------------------------------------------------------------------------------------


def size(name: str) -> tuple[int, int]:
    """Width and height of a picture of ours."""
    data = picture(name)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def picture(name: str) -> bytes:
    found = finders.find(f"korttipoyta/img/{name}")
    assert found
    return Path(found).read_bytes()


def test_the_manifest_puts_it_among_the_apps(client: Client) -> None:
    answer = client.get(reverse("manifest"))
    assert isinstance(answer, HttpResponse)
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = json.loads(answer.content)
    assert manifest["display"] == "standalone"
    assert manifest["start_url"] == reverse("game:home")
    for icon in manifest["icons"]:
        assert re.fullmatch(r"/static/korttipoyta/img/icon[a-z0-9.-]+\.(png|svg)", icon["src"])
    assert {icon["purpose"] for icon in manifest["icons"] if "purpose" in icon} == {
        "any",
        "maskable",
    }
    assert f'<link rel="manifest" href="{reverse("manifest")}">' in text(client, "/")


def test_icons_are_as_large_as_they_say() -> None:
    assert size("icon-192.png") == (192, 192)
    assert size("icon-512.png") == size("icon-maskable.png") == (512, 512)
    assert size("apple-touch-icon.png") == (180, 180)
    assert size("share.png") == (1200, 630)
    assert len(picture("share.png")) < 150_000


def test_a_favicon_is_where_everybody_looks(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert re.fullmatch(r"/static/korttipoyta/img/favicon\.\w+\.ico", answer["Location"])
    assert picture("favicon.ico").startswith(b"\0\0\1\0\3\0")
