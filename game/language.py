"""Which language a page speaks, on our own site; another site that includes our apps decides for
itself and leaves all of this out.

A public page has its language in its address, and none means English. Everything else goes by the
reader's wish: what he has chosen (a cookie), else the language of the page he came from, which
that page carries on in its links (``?language=``, see `onward`), else what his browser asks for;
and where none says anything by the inviter's language (`otherwise`), else English.

An address is never changed behind the reader's back because of what a browser says: a link that
friends or search engines hold shows everybody the same page, and that page offers the other
language in one line. Only the front page, which is what people type, follows what was chosen.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import is_valid_path, reverse, translate_url
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
"""The attribute of a request that holds the reader's own wish, None when he has none."""

CARRIED = "korttipoyta_carried"
"""The attribute that holds the language to carry on to pages that would speak another one."""

ASKED = "language"
"""What carries it, in the query of an address."""


class LanguageMiddleware(MiddlewareMixin):
    """In place of Django's LocaleMiddleware, which speaks English at every address without a
    language once the English pages have none."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        chosen = _chosen(request)
        wish = chosen or _asked(request)
        path = request.path_info
        here = get_language_from_path(path)
        came = here or _spoken(request.GET.get(ASKED))
        activate(here or _without(path, chosen or came or wish or settings.LANGUAGE_CODE))
        setattr(request, WISH, wish)
        needed = not chosen and came == get_language() != wish
        setattr(request, CARRIED, came if needed else None)
        if path == "/" and chosen and get_language() != chosen and request.method != "POST":
            return HttpResponseRedirect(address_in(request.get_full_path(), chosen))
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if carried(request) and response.has_header("Location"):
            response.headers["Location"] = _carrying(request, response.headers["Location"])
        if not get_language_from_path(request.path_info) or _is_page(response):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        response.headers.setdefault("Content-Language", get_language() or settings.LANGUAGE_CODE)
        return response


def wish_of(request: HttpRequest) -> str | None:
    """What the reader has chosen, else what his browser asks for; None also on another site."""
    wish: str | None = getattr(request, WISH, None)
    return wish


def carried(request: HttpRequest) -> str | None:
    """The language that this page's links and forms have to carry on; None when there is no need,
    because the pages they lead to speak it anyway."""
    language: str | None = getattr(request, CARRIED, None)
    return language


def onward(request: HttpRequest, name: str, *args: object, **asked: object) -> str:
    """The address of the page ``name``, to which a page in any language leads in its own. What is
    ``asked`` of it goes into the query, unless it is empty."""
    query = urlencode({key: value for key, value in asked.items() if value})
    address = reverse(name, args=args)
    return _carrying(request, f"{address}?{query}" if query else address)


def otherwise(request: HttpRequest, language: str) -> None:
    """Speak the inviter's language to a reader who wishes none."""
    undecided = hasattr(request, WISH) and not wish_of(request) and not carried(request)
    if undecided and language in dict(settings.LANGUAGES):
        activate(language)
        if language != settings.LANGUAGE_CODE:
            setattr(request, CARRIED, language)


def address_in(address: str, language: str) -> str:
    """The same page in another language: the same address, which carries none on, when it goes by
    the reader's wish."""
    with override(get_language_from_path(address) or settings.LANGUAGE_CODE):
        return translate_url(_asking(address, None), language)


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
    return _spoken(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME))


def _spoken(language: str | None) -> str | None:
    return language if language in dict(settings.LANGUAGES) else None


def _asked(request: HttpRequest) -> str | None:
    """The first language of the browser's list that this site speaks."""
    for language, _ in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
        try:
            return get_supported_language_variant(language)
        except LookupError:
            continue
    return None


def _carrying(request: HttpRequest, address: str) -> str:
    """An address with the language to carry on, where it is of this site and names none itself."""
    parts = urlsplit(address)
    ours = not parts.scheme and not parts.netloc
    language = carried(request)
    if language is None or not ours or get_language_from_path(parts.path):
        return address
    return _asking(address, language)


def _asking(address: str, language: str | None) -> str:
    """An address that asks for a language in its query, or no more for any."""
    parts = urlsplit(address)
    asked = parse_qsl(parts.query, keep_blank_values=True)
    rest = [(key, value) for key, value in asked if key != ASKED]
    if language is None and rest == asked:
        return address  # to the letter
    query = urlencode([*rest, *([(ASKED, language)] if language else [])])
    return urlunsplit(parts._replace(query=query))


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
