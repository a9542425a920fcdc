from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path

from config import views
from config.sitemaps import SITEMAPS
from game import language

urlpatterns = [
    path("", include("operating.urls")),
    path("", include("tables.urls")),
    path("", include("notices.urls")),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon),
    path("sitemap.xml", sitemap, {"sitemaps": SITEMAPS}, name="sitemap"),
    path("computer/", include("bots.urls")),
    path("language/", language.choose, name="korttipoyta-language"),
    *i18n_patterns(
        path("site.webmanifest", views.manifest, name="manifest"),
        path("", include("game.urls")),
        prefix_default_language=False,
    ),
]
if settings.ADMIN_PATH:
    urlpatterns.insert(0, path(f"{settings.ADMIN_PATH}/", admin.site.urls))
