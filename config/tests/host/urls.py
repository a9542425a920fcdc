"""The other site's addresses: its own front page, and ours under /cards/."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path


def front(request: HttpRequest) -> HttpResponse:
    """The other site's own page."""
    return render(request, "host/base.html")


urlpatterns = [
    path("", front, name="front"),
    path("office/", admin.site.urls),
    path("cards/", include("tables.urls")),
    path("cards/computer/", include("bots.urls")),
    path("cards/", include("game.urls")),
]
