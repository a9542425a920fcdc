"""How pages are found: their addresses in every language, and what they are, for search engines."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse, translate_url
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from game.engine.registry import AnyGame
from game.questions import Question
from game.words import title

SHARE_IMAGE = "korttipoyta/img/share.png"


def canonical(request: HttpRequest) -> str:
    """The whole address of this page, without what was asked for in it."""
    return request.build_absolute_uri(request.path)


def alternates(request: HttpRequest) -> list[tuple[str, str]]:
    """This page in every language of the site: language and whole address, the default language
    last once more as ``x-default``. Empty where addresses do not differ by language."""
    pages = [(code, translate_url(request.path, code)) for code, _name in settings.LANGUAGES]
    if len({address for _code, address in pages}) < len(pages):
        return []
    default = translate_url(request.path, settings.LANGUAGE_CODE)
    return [
        (code, request.build_absolute_uri(address))
        for code, address in [*pages, ("x-default", default)]
    ]


def structured(request: HttpRequest, game: AnyGame, asked: tuple[Question, ...]) -> dict[str, Any]:
    """A rules page in the words of schema.org: the game, its place on the site, the questions."""
    here = canonical(request)
    named = title(game)
    home = request.build_absolute_uri(reverse("game:home"))
    graph: list[dict[str, Any]] = [
        {
            "@type": "Game",
            "@id": f"{here}#game",
            "name": named,
            "url": here,
            "image": request.build_absolute_uri(static(SHARE_IMAGE)),
            "genre": _("card game"),
            "inLanguage": get_language() or settings.LANGUAGE_CODE,
            "isAccessibleForFree": True,
            "numberOfPlayers": {
                "@type": "QuantitativeValue",
                "minValue": min(game.seats),
                "maxValue": max(game.seats),
            },
        },
        {
            "@type": "BreadcrumbList",
            "itemListElement": [
                {"@type": "ListItem", "position": 1, "name": "Korttipöytä", "item": home},
                {"@type": "ListItem", "position": 2, "name": named, "item": here},
            ],
        },
    ]
    if asked:
        graph.append(
            {
                "@type": "FAQPage",
                "mainEntity": [
                    {
                        "@type": "Question",
                        "name": str(one.asked),
                        "acceptedAnswer": {"@type": "Answer", "text": str(one.answer)},
                    }
                    for one in asked
                ],
            }
        )
    return {"@context": "https://schema.org", "@graph": graph}
