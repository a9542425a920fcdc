import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()

if settings.PRODUCTION:
    # A server that is started directly would otherwise never run the checks.
    call_command("check")
