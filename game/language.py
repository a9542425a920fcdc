"""Which language a page speaks, on our own site; another site that includes our apps decides for
itself and leaves all of this out.

A public page has its language in its address, and none means English. Everything else goes by the
reader's wish: what he has chosen (a cookie), else what his browser asks for; and where neither
says anything by the inviter's language (`otherwise`), else English.

An address is never changed behind the reader's back because of what a browser says: a link that
friends or search engines hold shows everybody the same page, and that page offers the other
language in one line. Only the front page, which is what people type, follows what was chosen.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import is_valid_path, translate_url
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import activate, get_language, get_language_from_path, override
from django.utils.translation.trans_real import (
    get_supported_language_variant,
    parse_accept_lang_header,
)
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

WISH = "korttipoyta_language"
"""The attribute of a request that holds the reader's wish, None when he has none."""


class LanguageMiddleware(MiddlewareMixin):
    """In place of Django's LocaleMiddleware, which speaks English at every address without a
    language once the English pages have none."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        chosen = _chosen(request)
        wish = chosen or _asked(request)
        setattr(request, WISH, wish)
        path = request.path_info
        activate(get_language_from_path(path) or _without(path, wish or settings.LANGUAGE_CODE))
        if path == "/" and chosen and get_language() != chosen and request.method != "POST":
            return HttpResponseRedirect(address_in(request.get_full_path(), chosen))
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not get_language_from_path(request.path_info) or _is_page(response):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        response.headers.setdefault("Content-Language", get_language() or settings.LANGUAGE_CODE)
        return response


def wish_of(request: HttpRequest) -> str | None:
    """What the reader has chosen, else what his browser asks for; None also on another site."""
    wish: str | None = getattr(request, WISH, None)
    return wish


def otherwise(request: HttpRequest, language: str) -> None:
    """Speak the inviter's language to a reader who wishes none."""
    undecided = hasattr(request, WISH) and wish_of(request) is None
    if undecided and language in dict(settings.LANGUAGES):
        activate(language)


def address_in(address: str, language: str) -> str:
    """The same page in another language: the same address when it goes by the reader's wish."""
    with override(get_language_from_path(address) or settings.LANGUAGE_CODE):
        return translate_url(address, language)


# A language is no secret and nothing follows from it, and a token would need a cookie on public
# pages, which set none.
@csrf_exempt
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Choose a ``language`` and go back to the page ``next``, in that language."""
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        return HttpResponseRedirect(back)
    response = HttpResponseRedirect(address_in(back, language))
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    return response


def _chosen(request: HttpRequest) -> str | None:
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    return chosen if chosen in dict(settings.LANGUAGES) else None


def _asked(request: HttpRequest) -> str | None:
    """The first language of the browser's list that this site speaks."""
    for language, _ in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
        try:
            return get_supported_language_variant(language)
        except LookupError:
            continue
    return None


def _without(path: str, wish: str) -> str:
    """The language at an address that names none: English where a public page is there, which in
    another language would have another address; else the reader's wish."""
    for language in (wish, settings.LANGUAGE_CODE):
        with override(language):
            # Without its last slash an address is redirected to the one with it.
            if is_valid_path(path) or is_valid_path(f"{path}/"):
                return language
    return wish


def _is_page(response: HttpResponse) -> bool:
    """Whether the answer may offer the reader his own language."""
    return response.headers.get("Content-Type", "").startswith("text/html")
