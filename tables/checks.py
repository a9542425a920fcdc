"""System checks: a half-set production site says what is missing and does not start."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connection

from tables import ice
from tables.conf import setting

SECRET_KEY_LENGTH = 50


@register(Tags.security)
def production(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> Sequence[CheckMessage]:
    if not getattr(settings, "PRODUCTION", False):
        return []
    errors = []
    if settings.DEBUG:
        errors.append(Error("DEBUG is on in production.", hint="Unset DEBUG.", id="tables.E001"))
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        errors.append(
            Error(
                "Production needs the site's own host names.",
                hint="Set ALLOWED_HOSTS, for example ALLOWED_HOSTS=cards.example.org",
                id="tables.E002",
            )
        )
    if not settings.ORIGINS or not all(o.startswith("https://") for o in settings.ORIGINS):
        errors.append(
            Error(
                "Production needs its https origins, and no others.",
                hint="Set ORIGINS, for example ORIGINS=https://cards.example.org",
                id="tables.E003",
            )
        )
    if settings.SECRET_KEY_FROM_FILE:
        errors.append(
            Error(
                "The secret key comes from a file made for a local run.",
                hint="Set SECRET_KEY in the environment.",
                id="tables.E004",
            )
        )
    if len(settings.SECRET_KEY) < SECRET_KEY_LENGTH:
        errors.append(
            Error(
                f"The secret key is shorter than {SECRET_KEY_LENGTH} characters.",
                hint="Set SECRET_KEY to a long random value.",
                id="tables.E005",
            )
        )
    return errors


@register(Tags.security)
def voice(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> Sequence[CheckMessage]:
    """Half-set relays: voice would seem to work and reach nobody."""
    errors = []
    if ice.turns() and not setting("TABLES_TURN_SECRET"):
        errors.append(
            Error(
                "TABLES_ICE names a TURN server, and there is no secret shared with it.",
                hint="Set TABLES_TURN_SECRET to the server's static-auth-secret.",
                id="tables.E006",
            )
        )
    if setting("TABLES_RELAY_ONLY") and not ice.turns():
        errors.append(
            Error(
                "Voice may only go by a relay, and there is none.",
                hint="Name a TURN server in TABLES_ICE, or unset TABLES_RELAY_ONLY.",
                id="tables.E007",
            )
        )
    for address in setting("TABLES_ICE"):
        if not address.startswith(("stun:", "stuns:", *ice.TURN)):
            errors.append(
                Error(
                    f"TABLES_ICE has {address!r}, which is no STUN or TURN address.",
                    hint="They look like turn:turn.example.org:3478",
                    id="tables.E008",
                )
            )
    return errors


@register(Tags.compatibility)
def sqlite(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> Sequence[CheckMessage]:
    """Without RETURNING every play would go the long way."""
    if connection.vendor != "sqlite" or sqlite3.sqlite_version_info >= (3, 35):
        return []
    return [
        Error(
            f"SQLite is of version {sqlite3.sqlite_version}; tables need 3.35 or newer.",
            hint="Take a newer Python or SQLite, or PostgreSQL by DATABASE_URL.",
            id="tables.E009",
        )
    ]
