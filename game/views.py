"""The public pages. They read the registry and what is counted of all matches, nothing else, and
set no cookie."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from game import examples
from game.engine.registry import newest, offered
from game.found import structured
from game.models import Tally
from game.questions import QUESTIONS

SIZES = {1: _("One"), 2: _("Two"), 3: _("Three"), 4: _("Four")}
"""How many people may say they are; one plays against the computer."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The games of the site: all, or with ``?players=`` those that fit so many."""
    games = list(offered().values())
    asked = request.GET.get("players")
    players = next((number for number in SIZES if str(number) == asked), None)
    fitting = [game for game in games if players in (None, 1, *game.seats)]
    context = {
        "featured": games[0] if games else None,
        "games": fitting,
        "players": players,
        "sizes": SIZES.items(),
    }
    return render(request, "korttipoyta/home.html", context)


@require_safe
def rules(request: HttpRequest, key: str) -> HttpResponse:
    """One game: what it is, how it goes, where to play it."""
    game = offered().get(key)
    if game is None:
        raise Http404
    asked = QUESTIONS.get(key, ())
    context = {
        "game": game,
        "examples": examples.EXAMPLES.get(key, ()),
        "questions": asked,
        "structured": structured(request, game, asked),
    }
    return render(request, f"korttipoyta/rules/{game.key}.html", context)


@require_safe
def fairness(request: HttpRequest) -> HttpResponse:
    """How cards are shuffled, what is promised of a pack, and how anybody can check it."""
    return render(request, "korttipoyta/fairness.html")


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """What is counted of all matches at shared tables: of games, not of people."""
    tallies = {tally.game: tally for tally in Tally.objects.all()}
    rows = [
        {"game": game, "tally": tallies.get(key) or Tally(game=key)}
        for key, game in newest().items()
        if game.board or key in tallies
    ]
    return render(request, "korttipoyta/statistics.html", {"rows": rows})
