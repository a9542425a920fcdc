"""The public pages. They read the registry and what is counted of all matches, nothing else, and
set no cookie."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from game import examples, gallery
from game.engine.cards import PACK, SUITS
from game.engine.registry import find, newest, offered
from game.found import structured
from game.models import Tally
from game.questions import QUESTIONS
from game.words import page_words

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


@require_safe
def design(request: HttpRequest) -> HttpResponse:
    """Every component in every state, for those who work on the looks. Nothing links here."""
    boards = [
        {
            "title": position.title,
            "board": static(find(position.key).board),
            "view": gallery.view_of(position),
        }
        for position in gallery.POSITIONS
    ]
    context = {
        "suits": [[code for code in PACK if code[1] == suit] for suit in SUITS],
        "boards": boards,
        "page": {"sprite": static("korttipoyta/img/cards.svg"), "boards": boards},
        "words": page_words(),
    }
    return render(request, "korttipoyta/design.html", context)
