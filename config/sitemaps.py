"""The pages that search engines may list, in every language."""

from typing import Any

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from bots.lessons import LESSONS
from game.engine.registry import offered

Item = tuple[str, tuple[str, ...]]
"""The name of an address and its arguments."""


class Pages(Sitemap):  # type: ignore[type-arg]  # it takes none at run time
    """Pages that have an address in each language: home, rules, fairness, numbers."""

    i18n = True
    alternates = True
    x_default = True

    def items(self) -> list[Item]:
        games = offered()
        return [
            ("game:home", ()),
            *(("game:rules", (key,)) for key in games),
            ("game:fairness", ()),
            ("game:statistics", ()),
        ]

    def location(self, item: Any) -> str:
        # With i18n the items come with their languages, and one is active here already.
        name, arguments = item
        return reverse(name, args=arguments)


class Plain(Sitemap):  # type: ignore[type-arg]
    """Pages of one address, which come in the reader's own language."""

    def items(self) -> list[Item]:
        lessons = [("bots:lesson", (key,)) for key in offered() if key in LESSONS]
        return [*lessons, ("tables:watch", ()), ("tables:privacy", ())]

    def location(self, item: Any) -> str:
        name, arguments = item
        return reverse(name, args=arguments)


SITEMAPS = {"pages": Pages, "plain": Plain}
