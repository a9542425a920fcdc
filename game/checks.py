"""System checks: every game that pages offer has the files that show it."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, register
from django.template.exceptions import TemplateDoesNotExist
from django.template.loader import get_template

from game.engine.registry import offered


@register()
def files(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> Sequence[CheckMessage]:
    errors = []
    for key, game in offered().items():
        if finders.find(game.board) is None:
            errors.append(
                Error(
                    f"The board of the game {key!r} is not among the static files: {game.board}",
                    hint="Its app belongs into INSTALLED_APPS, with the module below static/.",
                    id="game.E001",
                )
            )
        page = f"korttipoyta/rules/{key}.html"
        try:
            get_template(page)
        except TemplateDoesNotExist:
            errors.append(
                Error(
                    f"The game {key!r} has no rules page.",
                    hint=f"Its app belongs into INSTALLED_APPS, with templates/{page}.",
                    id="game.E002",
                )
            )
    return errors
