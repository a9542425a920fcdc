"""A page's JavaScript: its entry, and beforehand all that the entry imports, so that a browser
which opens the page for the first time asks for every module at once, not import by import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urljoin

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

IMPORT = re.compile(
    r"""^(?:import|export)\b(?:[^;"'(]*?\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE
)
"""A module that is imported at once. What ``import()`` brings later is not named beforehand."""


@register.simple_tag
def module(entry: str, *more: str) -> SafeString:
    """The script element of an entry, after a preload of each module it imports and of `more` with
    theirs: a board, which the entry is told in the page. All are names below ``static/``."""
    names = (entry, *more)
    first, *others = _addresses_now(names) if settings.DEBUG else _addresses(names)
    preloads = format_html_join(
        "\n  ", '<link rel="modulepreload" href="{}">', ([one] for one in others)
    )
    return format_html('{}\n  <script type="module" src="{}"></script>', preloads, first)


def _addresses_now(names: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of modules and of all they import, each once, as browsers are told them."""
    found: dict[str, None] = {}
    for name in names:
        for address in _reached(_served(name), staticfiles_storage.url(name), set()):
            found.setdefault(address)
    return tuple(found)


# The files do not change while a process runs.
_addresses = cache(_addresses_now)


def _reached(name: str, address: str, seen: set[str]) -> Iterator[str]:
    if name in seen:
        return
    seen.add(name)
    yield address
    # As browsers do it: what is imported stands beside who imports it.
    for other in IMPORT.findall(_text(name)):
        yield from _reached(normpath(join(dirname(name), other)), urljoin(address, other), seen)


def _served(name: str) -> str:
    """Under which name a file is served: with its hash, if the site's storage gives it one."""
    stored_name = getattr(staticfiles_storage, "stored_name", None)
    return name if settings.DEBUG or stored_name is None else str(stored_name(name))


def _text(name: str) -> str:
    """A module as it is served: its own text, or the collected one, which imports hashed names."""
    if path := finders.find(name):
        return Path(path).read_text(encoding="utf-8")
    with staticfiles_storage.open(name) as file:
        return bytes(file.read()).decode()
