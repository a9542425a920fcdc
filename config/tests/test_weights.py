"""What a first visit loads stays light: few requests and bytes, in two turns. The page names all it
needs; nothing waits for a module to be read before another one is asked for."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client
from django.urls import reverse

from tables.models import Table

pytestmark = pytest.mark.django_db

ASKED = re.compile(
    r"""<link [^>]*?rel="(?P<rel>[a-z]+)"[^>]*?href="(?P<link>[^"#]+)\""""
    r"""|<(?:script|img)\b[^>]*?\bsrc="(?P<src>[^"#]+)"|<use\b[^>]*?\bhref="(?P<use>[^"#]+)"""
)
AT_ONCE = {"stylesheet", "modulepreload", "icon"}
IMPORT = re.compile(
    r"""^(?:import|export)\b(?:[^;"']*?\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE
)
HASH = re.compile(r"\.[0-9a-f]{12}(\.\w+)$")
PICTURE = re.compile(r"""url\(["']?([^"')]+)["']?\)""")
PAGES = ["home", "rules", "computer", "lesson", "shared", "shared rows"]


def compressed(content: bytes) -> int:
    return len(gzip.compress(content, 9, mtime=0))


def source(name: str) -> Path:
    path = finders.find(name)
    assert path, name
    return Path(path)


def served(name: str) -> Path:
    """The file that browsers are sent for a name below ``static/``."""
    address = staticfiles_storage.url(name).removeprefix(settings.STATIC_URL)
    return Path(settings.STATIC_ROOT) / address


def imported(name: str) -> Iterator[str]:
    """A module and those it imports at once, as its source has them."""
    yield name
    for other in IMPORT.findall(source(name).read_text(encoding="utf-8")):
        yield from imported(normpath(join(dirname(name), other)))


def shared_table(client: Client, game: str) -> str:
    form = client.get(reverse("tables:new", args=[game])).context["form"]
    chosen = {name: field.initial for name, field in form.fields.items() if field.initial}
    client.post(reverse("tables:new", args=[game]), {**chosen, "name": "Aino", "voice": "on"})
    return reverse("tables:table", args=[Table.objects.get().code])


def sent(client: Client, address: str) -> tuple[int, str]:
    """How many bytes an address is answered with, and the text they hold."""
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    packed = answer.headers.get("Content-Encoding") == "gzip"
    text = gzip.decompress(answer.content) if packed else answer.content
    return len(answer.content), text.decode()


def opened(client: Client, page: str) -> tuple[int, str, list[str]]:
    """A page: its bytes, its HTML, and the addresses of what it asks for at once, without what only
    old browsers and home screens ask for."""
    address = {
        "home": lambda: reverse("game:home"),
        "rules": lambda: reverse("game:rules", args=["ristikontra"]),
        "computer": lambda: reverse("bots:table", args=["ristikontra"]),
        "lesson": lambda: reverse("bots:lesson", args=["ristikontra"]),
        "shared": lambda: shared_table(client, "ristikontra"),
        "shared rows": lambda: shared_table(client, "ristiseiska"),
    }[page]()
    size, html = sent(client, address)
    found = []
    for tag in ASKED.finditer(html):
        if tag["rel"] in AT_ONCE and "/favicon." not in tag["link"]:
            found.append(tag["link"])
        found += filter(None, (tag["src"], tag["use"]))
    return size, html, sorted(set(found))


def name_of(address: str) -> str:
    """The name below ``static/`` of the file at an address."""
    assert address.startswith(settings.STATIC_URL), address
    return HASH.sub(r"\1", address.removeprefix(settings.STATIC_URL))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_every_module_it_needs(client: Client, page: str) -> None:
    _, html, asked = opened(client, page)
    modules = [name_of(one) for one in asked if "/js/" in one]
    entry = re.findall(r'<script type="module" src="([^"]+)"', html)
    board = re.findall(r'"board": "([^"]+)"', html)
    needed = {name for one in [*entry, *board] for name in imported(name_of(one))}
    assert len(entry) == 1
    assert sorted(modules) == sorted(needed)
    # What is named is what is asked for: an import of the same address, not of one without hash.
    for one in (one for one in asked if "/js/" in one):
        text = (Path(settings.STATIC_ROOT) / one.removeprefix(settings.STATIC_URL)).read_text()
        for other in IMPORT.findall(text):
            assert normpath(join(dirname(one), other)) in asked


@pytest.mark.parametrize(
    ("page", "requests", "kilobytes"),
    [
        ("home", 8, 20),
        ("rules", 8, 25),
        ("computer", 19, 50),
        ("lesson", 20, 55),
        ("shared", 24, 78),
        ("shared rows", 24, 78),
    ],
)
def test_a_first_visit_is_light(client: Client, page: str, requests: int, kilobytes: int) -> None:
    page_size, _, asked = opened(client, page)
    catalogue = [one for one in asked if one == reverse("game:words")]
    names = {name_of(one) for one in asked if one not in catalogue}
    for name in [name for name in names if name.endswith(".css")]:
        # Pictures of a style are asked for when the style has come, which is soon enough.
        pictures = PICTURE.findall(source(name).read_text(encoding="utf-8"))
        names |= {normpath(join(dirname(name), one)) for one in pictures}
    sizes = [compressed(served(name).read_bytes()) for name in names]
    sizes += [sent(client, one)[0] for one in catalogue]
    count, size = 1 + len(sizes), page_size + sum(sizes)
    print(f"{page}: {count} requests, {size / 1000:.1f} kB")
    assert count <= requests
    assert size <= kilobytes * 1000
