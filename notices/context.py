"""Notices for the templates of public pages."""

import logging
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.translation import get_language

from notices.models import Notice, shown

log = logging.getLogger(__name__)


def notices(request: HttpRequest) -> dict[str, Any]:
    """``kp_notices``: those that are shown now. Asked only by the pages that have a place for
    them, which work without a database too."""
    return {"kp_notices": _read(get_language() or "")}


def _read(language: str) -> Callable[[], list[Notice]]:
    def read() -> list[Notice]:
        try:
            return list(shown(language))
        except DatabaseError as error:
            log.error("notices could not be read: %s", type(error).__name__)
            return []

    return read
