"""Errors told to Sentry, by setting: where they happened, and nothing that was in the variables.

``SENTRY_DSN`` names the place; the library is the site's to install (``pip install sentry-sdk``).
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def start() -> None:
    """Begin, if the site wants it."""
    dsn = getattr(settings, "SENTRY_DSN", "")
    if not dsn:
        return
    try:
        import sentry_sdk
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN is set: install sentry-sdk") from None
    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=True,
        max_request_body_size="never",
        max_breadcrumbs=0,
        traces_sample_rate=0.0,
        before_send=scrub,
    )


def scrub(event: Any, hint: Any) -> Any:
    """Leave the kind of an error and its places. Messages may name a card, addresses may be
    invites."""
    for name in ("request", "user", "extra", "breadcrumbs", "message", "logentry", "server_name"):
        event.pop(name, None)
    for error in event.get("exception", {}).get("values", []):
        error["value"] = ""
        for frame in error.get("stacktrace", {}).get("frames", []):
            frame.pop("vars", None)
    return event
