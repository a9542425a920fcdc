"""Addresses for whoever operates the site: is it alive, can it serve, what has it done.

None of them is for the public: the proxy keeps ``/metrics`` to itself, which also wants a token.
"""

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from operating import metrics as numbers
from tables import live


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. It asks nobody else: a database that is away is no reason to restart."""
    return JsonResponse({"alive": True})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether this process can serve: database and cache answer, and it is not stopping."""
    found = {"database": _database(), "cache": _cache(), "staying": not live.draining()}
    return JsonResponse(found, status=200 if all(found.values()) else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus, with ``Authorization: Bearer METRICS_TOKEN``; without the setting nowhere."""
    token = getattr(settings, "METRICS_TOKEN", "")
    given = request.headers.get("Authorization", "")
    if not token or not constant_time_compare(given.encode(), f"Bearer {token}".encode()):
        raise Http404
    return HttpResponse(numbers.text(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone())
    except Exception:
        return False


def _cache() -> bool:
    try:
        cache.set("korttipoyta.ready", 1, 5)
        return bool(cache.get("korttipoyta.ready") == 1)
    except Exception:
        return False
