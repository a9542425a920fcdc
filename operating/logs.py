"""The log as one JSON object a line, for machines.

It holds no token, no card and nothing that was said: of an error its kind and its places, never its
message, and of a request the name of its view, never its address.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from pathlib import Path


class JsonFormatter(logging.Formatter):
    """One line of JSON a record."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "time": self._when(record),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
        }
        request = getattr(record, "request", None)
        if request is None:
            told["message"] = record.getMessage()
        else:  # Django's own words have the address in them
            match = getattr(request, "resolver_match", None)
            told["message"] = "a request failed"
            told["method"] = getattr(request, "method", None)
            told["view"] = getattr(match, "view_name", None)
            told["status"] = getattr(record, "status_code", None)
        if record.exc_info and record.exc_info[0]:
            told["error"] = record.exc_info[0].__name__
            places = traceback.extract_tb(record.exc_info[2])
            told["at"] = [f"{Path(one.filename).name}:{one.lineno}" for one in places]
        return json.dumps(told, ensure_ascii=False)

    def _when(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{moment}.{int(record.msecs):03d}Z"
