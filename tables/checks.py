"""System checks: a half-set production site says what is missing and does not start."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

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
