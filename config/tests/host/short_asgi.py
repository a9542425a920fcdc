"""The other site, for tests whose matches are short: they begin at 6–6."""

from config.tests.host.asgi import application
from config.tests.short import begin_late

__all__ = ["application"]

begin_late()
