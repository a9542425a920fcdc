"""The other site as an ASGI application."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.tests.host.settings")
pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402  (Django comes first)
from channels.security.websocket import OriginValidator  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import path  # noqa: E402

from tables import sockets  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": OriginValidator(
            URLRouter([path("cards/", URLRouter(sockets.urlpatterns))]),
            settings.ORIGINS,
        ),
    }
)
