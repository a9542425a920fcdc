"""What pages of tables and invites tell browsers and search engines."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

View = Callable[..., HttpResponse]
POLICY = "Permissions-Policy"


def private(view: View) -> View:
    """Never stored, never listed: the page is one person's, its address opens a seat."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex"
        return response

    return wrapped


def microphone(response: HttpResponse, allowed: bool) -> HttpResponse:
    """Say whether this page may ask for the microphone."""
    response[POLICY] = f"microphone=({'self' if allowed else ''})"
    return response


@sync_and_async_middleware
def no_microphone(get_response: Any) -> Callable[..., Any]:
    """Middleware: no page may ask for the microphone but those that say so themselves."""

    def closed(response: HttpResponse) -> HttpResponse:
        return response if POLICY in response else microphone(response, allowed=False)

    if iscoroutinefunction(get_response):

        async def later(request: HttpRequest) -> HttpResponse:
            return closed(await get_response(request))

        return later

    def at_once(request: HttpRequest) -> HttpResponse:
        return closed(get_response(request))

    return at_once
