"""The public pages. They read the registry and nothing else, and set no cookie."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from game import examples
from game.engine.registry import offered


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The games of the site."""
    return render(request, "korttipoyta/home.html", {"games": list(offered().values())})


@require_safe
def rules(request: HttpRequest, key: str) -> HttpResponse:
    """One game: what it is, how it goes, where to play it."""
    game = offered().get(key)
    if game is None:
        raise Http404
    context = {"game": game, "examples": examples.EXAMPLES.get(key, ())}
    return render(request, f"korttipoyta/rules/{game.key}.html", context)
