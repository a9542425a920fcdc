"""By what somebody without an account is told again: keyed hashes of a browser or an address.

A mark tells that two are the same, and only to whoever has the secret key; it leads nowhere back.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from tables.limits import address_of


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a command that seats somebody comes from: marks by the secret key, then by former."""

    browser: list[str] = field(default_factory=list)
    address: list[str] = field(default_factory=list)


def origin(request: HttpRequest, browser: str) -> Origin:
    """Where a request comes from."""
    return Origin(of("browser", browser), of("address", _place(address_of(request))))


def of(kind: str, text: str) -> list[str]:
    """The marks of a text, by the secret key and then by former ones; none of an empty one."""
    if not text:
        return []
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    salt = f"korttipoyta.mark.{kind}"
    return [salted_hmac(salt, text, secret=key, algorithm="sha256").hexdigest() for key in keys]


def _place(address: str) -> str:
    """An address as it is told again: of IPv6 the network, in which a home moves about."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((known, 64), strict=False))
    return str(known)
