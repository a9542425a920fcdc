"""The site as an ASGI application: pages, and the tables' sockets for our own origins only."""

import os
from io import StringIO

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402  (Django comes first)
from channels.security.websocket import OriginValidator  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from tables import sockets  # noqa: E402

routes = [*sockets.urlpatterns, *sockets.nowhere]
application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": OriginValidator(
            URLRouter(routes),
            settings.ORIGINS,
        ),
    }
)

if settings.PRODUCTION:
    # A server that is started directly would otherwise never run the checks.
    call_command("check", stdout=StringIO())  # that all is well is no line of the log
