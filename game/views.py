"""The public pages. They read the registry and nothing else, and set no cookie."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from game import examples
from game.engine.base import Illegal
from game.engine.registry import find, newest


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The games of the site."""
    games = [game for game in newest().values() if game.board]
    return render(request, "korttipoyta/home.html", {"games": games})


@require_safe
def rules(request: HttpRequest, key: str) -> HttpResponse:
    """One game: what it is, how it goes, where to play it."""
    try:
        game = find(key)
    except Illegal as illegal:
        raise Http404 from illegal
    if not game.board:
        raise Http404
    context = {"game": game, "examples": examples.TRICKS}
    return render(request, f"korttipoyta/rules/{game.key}.html", context)
