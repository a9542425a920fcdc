"""How often one address may do what costs something, counted in Django's cache."""

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

WINDOW = 60
"""Seconds a count lasts."""


def limited(request: HttpRequest, what: str, rate: int) -> bool:
    """Count once more; whether this address has done it more than ``rate`` times a minute.

    The address is the connection's own, never a header a client could write, and is kept only as
    a keyed hash.
    """
    address = str(request.META.get("REMOTE_ADDR"))
    key = f"limit:{what}:{salted_hmac('korttipoyta.limit', address).hexdigest()}"
    cache.add(key, 0, WINDOW)
    try:
        return int(cache.incr(key)) > rate
    except ValueError:  # it has just run out
        return False
