"""The computer table's page, and the two addresses it asks: start and step.

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

from bots import computer
from bots.policies import POLICIES
from bots.words import NAMES, REFUSALS
from game.engine.base import Illegal
from game.engine.registry import AnyGame, find
from game.words import page_words

LIMIT = 8_192
"""Bytes of a request. A ticket near the end of a deal is about 1,500."""


@require_safe
def table(request: HttpRequest, key: str) -> HttpResponse:
    """The page itself, the same for everybody: the match begins when it asks ``start``."""
    game = _game(key)
    words = page_words()
    words["refusals"] |= {code: str(word) for code, word in REFUSALS.items()}
    page = {
        "board": static(game.board),
        "sprite": static("korttipoyta/img/cards.svg"),
        "start": reverse("bots:start", args=[game.key]),
        "step": reverse("bots:step", args=[game.key]),
        "names": ["", *map(str, NAMES[4])],
    }
    context = {"game": game, "page": page, "words": words}
    return render(request, "korttipoyta/bots/table.html", context)


@csrf_exempt
@require_POST
@never_cache
def start(request: HttpRequest, key: str) -> JsonResponse:
    """A new match: ``{"ticket", "view"}``. No body is read."""
    game = _game(key)
    return _answer(computer.start(game, game.seats[-1], {}))


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
        return _answer(computer.step(computer.unseal(ticket, game), code))
    except Illegal as illegal:
        return _refused(illegal.reason, 409, illegal.facts)


def _game(key: str) -> AnyGame:
    try:
        game = find(key)
    except Illegal as illegal:
        raise Http404 from illegal
    if game.key not in POLICIES or not game.board:
        raise Http404
    return game


def _parse(request: HttpRequest) -> tuple[str, str | None]:
    """The ticket and the code of a step. ValueError for anything else, of any size or shape."""
    length = request.headers.get("Content-Length", "")
    if not length.isdecimal() or int(length) > LIMIT:
        raise ValueError("size")
    try:
        data = json.loads(request.body)
    except RecursionError as deep:
        raise ValueError("depth") from deep
    match data:
        case {"ticket": str(ticket), **rest} if set(rest) <= {"code"}:
            code = rest.get("code")
            if code is None or isinstance(code, str):
                return ticket, code
    raise ValueError("shape")


def _answer(ticket: computer.Ticket) -> JsonResponse:
    game, state = computer.position(ticket)
    return JsonResponse(
        {"ticket": computer.seal(ticket), "view": game.view(state, computer.PERSON)}
    )


def _refused(reason: str, status: int, facts: dict[str, Any] | None = None) -> JsonResponse:
    return JsonResponse({"refused": {"reason": reason, "facts": facts or {}}}, status=status)
