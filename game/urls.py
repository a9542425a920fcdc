"""The public pages: home, the games. Included under any prefix, in the namespace ``game``."""

from django.urls import path
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import last_modified
from django.views.i18n import JavaScriptCatalog

from game import views
from game.elsewhere import app_names

app_name = "game"

BEGUN = timezone.now()
"""Catalogues do not change while a process runs: browsers that have one of since are told so."""
catalogue = cache_control(no_cache=True)(
    last_modified(lambda request, *args, **kwargs: BEGUN)(
        JavaScriptCatalog.as_view(packages=["game", "bots", "tables", *app_names()])
    )
)
# What is here holds no secret, so it may be sent compressed; a table's page never is (BREACH).

urlpatterns = [
    path("", gzip_page(views.home), name="home"),
    path("games/<slug:key>/", gzip_page(views.rules), name="rules"),
    path("fairness/", gzip_page(views.fairness), name="fairness"),
    path("statistics/", gzip_page(views.statistics), name="statistics"),
    path("design/", views.design, name="design"),
    path("words.js", gzip_page(catalogue), name="words"),
]
