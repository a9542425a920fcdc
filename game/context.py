"""What the frame of our pages needs in every template."""

from django.conf import settings
from django.http import HttpRequest


def frame(request: HttpRequest) -> dict[str, str]:
    """``kp_base``: the host site's base template, by the setting ``KORTTIPOYTA_BASE``."""
    return {"kp_base": getattr(settings, "KORTTIPOYTA_BASE", "")}
