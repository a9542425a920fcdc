"""How often one address may do what costs something, counted in Django's cache."""

import ipaddress
import logging

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from tables.conf import setting

log = logging.getLogger(__name__)

WINDOW = 60
"""Seconds a count lasts."""


def seen_from(request: HttpRequest) -> str:
    """Where a request comes from: the connection's other end, or, behind as many proxies as
    ``TABLES_PROXIES`` says, what the outermost of them has seen. What a client itself writes into
    the header stands before that and is never believed."""
    proxies = setting("TABLES_PROXIES")
    seen = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if proxies else []
    if proxies and len(seen) >= proxies:
        return str(seen[-proxies]).strip()
    return str(request.META.get("REMOTE_ADDR"))


def network(address: str) -> str:
    """An address as it is told again: of IPv6 the network, in which a home, and whoever counts on
    it, moves about. Empty for what is no address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((known, 64), strict=False))
    return str(known)


def address_of(request: HttpRequest) -> str:
    """By what requests from one place are counted together."""
    seen = seen_from(request)
    return network(seen) or seen


def limited(request: HttpRequest, what: str, rate: int, cost: int = 1) -> bool:
    """Count once more, or as ``cost`` times; whether this address has done it more than ``rate``
    times a minute.

    The address is kept only as a keyed hash. While the cache is away nobody is limited: people
    can still sit down.
    """
    address = address_of(request)
    key = f"limit:{what}:{salted_hmac('korttipoyta.limit', address).hexdigest()}"
    try:
        cache.add(key, 0, WINDOW)
        return int(cache.incr(key, cost)) > rate
    except ValueError:  # it has just run out
        return False
    except Exception as error:  # of whatever cache the site has
        log.error("the cache is away: %s", type(error).__name__)
        return False
