"""What stands in a page's head for search engines and for those who share its address."""

import json
from typing import Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, to_locale

from game import found as finding

register = template.Library()

ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}
"""As in Django's ``json_script``: nothing can end the element."""

LOCALES = {"en": "en_US", "fi": "fi_FI"}
"""Open Graph wants a country, also where a language names none."""


@register.inclusion_tag("korttipoyta/found.html", takes_context=True)
def found(context: dict[str, Any], title: str = "") -> dict[str, Any]:
    """For a page that search engines may list: where it is, in which languages, its picture."""
    request = context["request"]
    language = get_language() or settings.LANGUAGE_CODE
    return {
        "title": title,
        "canonical": finding.canonical(request),
        "alternates": finding.alternates(request),
        "picture": share_image(context),
        "locale": LOCALES.get(language) or to_locale(language),
    }


@register.simple_tag(takes_context=True)
def share_image(context: dict[str, Any]) -> str:
    """The whole address of the picture that stands for the site."""
    address: str = context["request"].build_absolute_uri(static(finding.SHARE_IMAGE))
    return address


@register.filter
def linked_data(data: dict[str, Any]) -> str:
    """JSON-LD: a script element that holds data and is never run."""
    text = json.dumps(data, ensure_ascii=False).translate(ESCAPES)
    return format_html(
        '<script type="application/ld+json">{}</script>',
        mark_safe(text),  # noqa: S308 (escaped above)
    )
