from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("operating.urls")),
    path("", include("tables.urls")),
    path("", include("notices.urls")),
    *i18n_patterns(
        path("", include("game.urls")),
        path("computer/", include("bots.urls")),
        prefix_default_language=False,
    ),
]
if settings.ADMIN_PATH:
    urlpatterns.insert(0, path(f"{settings.ADMIN_PATH}/", admin.site.urls))
