"""By what somebody without an account is told again: keyed hashes of a browser or an address.

A mark tells that two are the same, and only to whoever has the secret key; it leads nowhere back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from tables.limits import network, seen_from


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a command that seats somebody comes from: marks by the secret key, then by former."""

    browser: list[str] = field(default_factory=list)
    address: list[str] = field(default_factory=list)


def origin(request: HttpRequest, browser: str) -> Origin:
    """Where a request comes from."""
    return Origin(of("browser", browser), of("address", network(seen_from(request))))


def of(kind: str, text: str) -> list[str]:
    """The marks of a text, by the secret key and then by former ones; none of an empty one."""
    if not text:
        return []
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    salt = f"korttipoyta.mark.{kind}"
    return [salted_hmac(salt, text, secret=key, algorithm="sha256").hexdigest() for key in keys]
