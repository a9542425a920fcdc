"""What a first visit loads stays light: the page and all it needs, compressed as it is sent."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from tables.models import Table

pytestmark = pytest.mark.django_db

IMPORT = re.compile(
    r"""^(?:import|export)\b(?:[^;"']*?\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE
)
HASH = re.compile(r"\.[0-9a-f]{12}(\.\w+)$")
VOICE = re.compile(r"korttipoyta/(js/voice\.|img/(mic|speaking))")
"""What is loaded when somebody uses the voice call, and not before."""
NOT_AT_ONCE = re.compile(
    r"""<link rel="(?:apple-touch-icon|manifest)"[^>]*>|<link [^>]*favicon\.ico[^>]*>|<meta[^>]*>"""
    r"""|<script type="application/ld\+json">.*?</script>""",
    re.DOTALL,
)
"""What only home screens, old browsers and those who share the page load."""
PICTURE = re.compile(r"""url\(["']?([^"')]+)["']?\)""")


def compressed(content: bytes) -> int:
    return len(gzip.compress(content, 9, mtime=0))


def needed(name: str) -> Iterator[str]:
    """A static file and what it asks for in turn: modules imported at once, a style's pictures."""
    path = finders.find(name)
    assert path, name
    yield name
    pattern = {".js": IMPORT, ".css": PICTURE}.get(Path(name).suffix)
    text = Path(path).read_text(encoding="utf-8") if pattern else ""
    for other in pattern.findall(text) if pattern else []:
        yield from needed(normpath(join(dirname(name), other)))


def load(client: Client, address: str) -> tuple[int, int]:
    """Requests and bytes of a page that is opened with nothing in the cache."""
    html = client.get(address).content
    text = NOT_AT_ONCE.sub("", html.decode())
    # A board is named in the page's data and imported by the entry.
    files = set(re.findall(r"""/static/(korttipoyta/[^"'#\s]+)""", text))
    files = {file for file in files if not VOICE.match(file)}
    names = {one for file in files for one in needed(HASH.sub(r"\1", file))}
    names = {name for name in names if not VOICE.match(name)}
    sizes = [compressed(Path(finders.find(name) or "").read_bytes()) for name in names]
    if reverse("game:words") in text:
        sizes.append(compressed(client.get(reverse("game:words")).content))
    return 1 + len(sizes), compressed(html) + sum(sizes)


def shared_table(client: Client) -> str:
    client.post(reverse("tables:new", args=["ristikontra"]), {"name": "Aino"})
    return reverse("tables:table", args=[Table.objects.get().code])


@pytest.mark.parametrize(
    ("page", "requests", "kilobytes"),
    [
        ("home", 14, 30),
        ("rules", 14, 30),
        ("computer", 26, 60),
        ("shared", 36, 80),
    ],
)
def test_a_first_visit_is_light(client: Client, page: str, requests: int, kilobytes: int) -> None:
    address = {
        "home": lambda: reverse("game:home"),
        "rules": lambda: reverse("game:rules", args=["ristikontra"]),
        "computer": lambda: reverse("bots:table", args=["ristikontra"]),
        "shared": lambda: shared_table(client),
    }[page]()
    asked, size = load(client, address)
    print(f"{page}: {asked} requests, {size / 1000:.1f} kB")
    assert asked <= requests
    assert size <= kilobytes * 1000
