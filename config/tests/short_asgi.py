"""The site for tests whose matches are short."""

from config.asgi import application
from config.tests.short import begin_late

__all__ = ["application"]

begin_late()
