"""The public pages: home, the games. Included under any prefix, in the namespace ``game``."""

from django.urls import path
from django.views.i18n import JavaScriptCatalog

from game import views
from game.elsewhere import app_names

app_name = "game"

urlpatterns = [
    path("", views.home, name="home"),
    path("games/<slug:key>/", views.rules, name="rules"),
    path("fairness/", views.fairness, name="fairness"),
    path("statistics/", views.statistics, name="statistics"),
    path("design/", views.design, name="design"),
    path(
        "words.js",
        JavaScriptCatalog.as_view(packages=["game", "bots", "tables", *app_names()]),
        name="words",
    ),
]
