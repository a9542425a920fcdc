"""The computer table's page and the lesson's, and the two addresses they ask: start and step.

Neither address reads or sets a cookie: a ticket is all the authority there is, and it is worth
nothing to anybody else. That is why they need no CSRF token.
"""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from bots import computer, lessons
from bots.lessons import LESSONS
from bots.policies import POLICIES
from bots.words import NAMES, REFUSALS
from game.engine.base import Illegal
from game.engine.registry import AnyGame, offered
from game.forms import ChoiceForm
from game.language import onward
from game.words import page_words, rules_line

PEOPLE_ONLY = ("signalling",)
"""Options of a game that mean nothing with computers (H4)."""
LIMIT = 8_192
"""Bytes of a request. A ticket near the end of a deal is about 1,500."""


@require_safe
def table(request: HttpRequest, key: str) -> HttpResponse:
    """The page itself: the match begins when it asks ``start``. A game with a choice of seats or
    options asks for it first; the answer stands in the address."""
    game = _game(key)
    unbound = ChoiceForm(game, None, PEOPLE_ONLY)
    asked = {name: request.GET[name] for name in unbound.fields if name in request.GET}
    defaults = {name: field.initial for name, field in unbound.fields.items()}
    form = ChoiceForm(game, defaults | asked, PEOPLE_ONLY) if asked or not defaults else unbound
    if not form.is_valid():
        return render(request, "korttipoyta/bots/choose.html", {"game": game, "form": form})
    seats, options = form.chosen()
    page = {
        **_board(game, seats),
        "start": reverse("bots:start", args=[game.key]),
        "choice": {"seats": seats, "options": options},
        "rules": rules_line(game, options),
        "rulesShort": rules_line(game, options, short=True),
    }
    context = {"game": game, "page": page, "words": _words()}
    return render(request, "korttipoyta/bots/table.html", context)


@require_safe
@never_cache
def lesson(request: HttpRequest, key: str) -> HttpResponse:
    """The lesson of a game. Its positions come with the page, sealed as any match is, and are
    played by ``step``."""
    game = _game(key)
    if game.key not in LESSONS:
        raise Http404
    positions = []
    for one in LESSONS[game.key]:
        ticket = lessons.ticket(game.key, one)
        words = {name: str(getattr(one, name)) for name in ("title", "task", "well", "otherwise")}
        positions.append({**words, "right": one.right, **_answer(ticket)})
    page = {
        **_board(game, game.seats[-1]),
        "positions": positions,
        "play": onward(request, "bots:table", game.key),
        "open": onward(request, "tables:new", game.key),
        "rules": reverse("game:rules", args=[game.key]),
    }
    context = {"game": game, "page": page, "words": _words()}
    return render(request, "korttipoyta/bots/lesson.html", context)


@csrf_exempt
@require_POST
@never_cache
def start(request: HttpRequest, key: str) -> JsonResponse:
    """A new match: ``{"seats", "options"}`` to ``{"ticket", "view"}``; refused as a step is."""
    game = _game(key)
    try:
        seats, options = _parse_choice(request)
    except ValueError:
        return _refused("request", 400)
    if set(PEOPLE_ONLY) & {name for name, one in options.items() if one != _default(game, name)}:
        return _refused("option", 409)
    try:
        return JsonResponse(_answer(computer.start(game, seats, options)))
    except Illegal as illegal:
        return _refused(illegal.reason, 409, illegal.facts)


@csrf_exempt
@require_POST
@never_cache
def step(request: HttpRequest, key: str) -> JsonResponse:
    """One step of a match: ``{"ticket", "code"?}`` to ``{"ticket", "view"}``.

    Refused with status 400 (not a request of ours) or 409 (the rules, or the ticket, say no):
    ``{"refused": {"reason", "facts"}}``.
    """
    game = _game(key)
    try:
        ticket, code = _parse(request)
    except ValueError:
        return _refused("request", 400)
    try:
        return JsonResponse(_answer(computer.step(computer.unseal(ticket, game), code)))
    except Illegal as illegal:
        return _refused(illegal.reason, 409, illegal.facts)


def _game(key: str) -> AnyGame:
    game = offered().get(key)
    if game is None or game.key not in POLICIES:
        raise Http404
    return game


def _parse(request: HttpRequest) -> tuple[str, str | None]:
    """The ticket and the code of a step. ValueError for anything else, of any size or shape."""
    match _json(request):
        case {"ticket": str(ticket), **rest} if set(rest) <= {"code"}:
            code = rest.get("code")
            if code is None or isinstance(code, str):
                return ticket, code
    raise ValueError("shape")


def _parse_choice(request: HttpRequest) -> tuple[int, dict[str, str | int]]:
    """The seats and options of a new match. ValueError as above."""
    match _json(request):
        case {"seats": int(seats), "options": dict(options), **rest} if not rest:
            if all(isinstance(value, str | int) for value in options.values()):
                return seats, options
    raise ValueError("shape")


def _json(request: HttpRequest) -> Any:
    length = request.headers.get("Content-Length", "")
    if not length.isdecimal() or int(length) > LIMIT:
        raise ValueError("size")
    try:
        return json.loads(request.body)
    except RecursionError as deep:
        raise ValueError("depth") from deep


def _board(game: AnyGame, seats: int) -> dict[str, Any]:
    """What every page needs that has a board and computers at it."""
    return {
        "board": static(game.board),
        "sprite": static("korttipoyta/img/cards.svg"),
        "step": reverse("bots:step", args=[game.key]),
        "names": ["", *map(str, NAMES[seats])],
    }


def _words() -> dict[str, dict[str, str]]:
    words = page_words()
    words["refusals"] |= {code: str(word) for code, word in REFUSALS.items()}
    return words


def _answer(ticket: computer.Ticket) -> dict[str, Any]:
    """What the page is given of a match."""
    game, state = computer.position(ticket)
    return {"ticket": computer.seal(ticket), "view": game.view(state, computer.PERSON)}


def _refused(reason: str, status: int, facts: dict[str, Any] | None = None) -> JsonResponse:
    return JsonResponse({"refused": {"reason": reason, "facts": facts or {}}}, status=status)


def _default(game: AnyGame, name: str) -> object:
    return game.options.get(name, (None,))[0]
