"""The languages of the site on its pages: the chooser, and the offer of one's own."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.formats import number_format
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext, override

from game import language as speaking
from game.language import address_in, wish_of

register = template.Library()

PAIR = re.compile(r"(<[^>]*>)|\d+–\d+")
"""A tag, which stays as it is, or two numbers with a dash."""


@register.filter
def number(value: int) -> str:
    """A number with its thousands apart, as the language has it."""
    return str(number_format(value, use_l10n=True, force_grouping=True))


@register.filter(is_safe=True)
def unbroken(page: str) -> str:
    """A page's markup in which no line breaks within two numbers and their dash (60–60)."""
    parts = PAIR.sub(lambda one: one[1] or f'<span class="kp-whole">{one[0]}</span>', page)
    return mark_safe(parts)  # noqa: S308 (markup before as after)


@register.simple_tag(takes_context=True)
def onward(context: Context, name: str, *args: object, **asked: object) -> str:
    """As ``url``, for pages whose address names no language: they go on in this page's. Keyword
    arguments go into the query."""
    request = context.get("request")  # the page of a server's fault has none
    return speaking.onward(request, name, *args, **asked) if request else reverse(name, args=args)


@register.simple_tag(takes_context=True)
def carried(context: Context) -> str:
    """The language that a form of method ``get`` has to carry on in a field ``language``; as a
    rule there is none."""
    return speaking.carried(context["request"]) or ""


@register.inclusion_tag("korttipoyta/languages.html", takes_context=True)
def languages(context: Context) -> dict[str, Any]:
    """The chooser; nothing on another site, which has its own, and where there is no choice."""
    try:
        action = reverse("korttipoyta-language")
    except NoReverseMatch:
        return {}
    request = context.get("request")  # the page of a server's fault has none
    return {
        "action": action,
        "languages": settings.LANGUAGES if len(settings.LANGUAGES) > 1 else (),
        "language": get_language(),
        "next": request.get_full_path() if request else "/",
    }


@register.simple_tag
def has_chooser() -> bool:
    """Whether `languages` shows anything."""
    return bool(languages(Context()).get("languages"))


@register.inclusion_tag("korttipoyta/offer.html", takes_context=True)
def offer(context: Context) -> dict[str, Any]:
    """This page in the language the reader wishes, where its address has decided on another."""
    request = context.get("request")
    wish = wish_of(request) if request else None
    if request is None or wish is None or wish == get_language():
        return {}
    address = request.get_full_path()
    there = address_in(address, wish)
    if there == address:
        return {}
    with override(wish):
        return {"address": there, "language": wish, "words": gettext("This page in English")}
