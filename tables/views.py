"""The pages of shared tables: open, sit down, the table itself, and what the host does before play.

Parse, one call of `tables.lobby`, answer. GET never changes anything.
"""

from typing import Any

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.engine.base import Illegal
from game.engine.registry import AnyGame, find
from game.models import Match
from game.words import page_words
from tables import lobby, people, protocol
from tables.conf import setting
from tables.forms import NameForm, OpenForm
from tables.headers import private
from tables.limits import limited
from tables.reading import HOST, At, at
from tables.words import REFUSALS


@require_http_methods(["GET", "HEAD", "POST"])
@private
def new(request: HttpRequest, key: str) -> HttpResponse:
    """Open a table: a form, then the table."""
    game = _game(key)
    form = OpenForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        if limited(request, "open", setting("TABLES_OPEN_RATE")):
            return _kind(request, "too-fast", 429, game)
        code = lobby.open_table(
            game.key,
            game.seats[-1],
            {},
            people.make_browser(request.session),
            form.cleaned_data["name"],
            form.cleaned_data["voice"],
        )
        return redirect("tables:table", code=code)
    return render(request, "korttipoyta/tables/new.html", {"game": game, "form": form})


@require_safe
@private
def table(request: HttpRequest, code: str) -> HttpResponse:
    """The table, for those who sit at it; for others a page that says so, and never a hand."""
    now = at(code)
    if now is None:
        return _kind(request, "gone", 404)
    seat = now.seat_of(people.browser_of(request.session))
    game = find(now.game)
    if seat is None:
        return _kind(request, "not-seated", 403, game)
    words = page_words()
    words["refusals"] |= {name: str(word) for name, word in REFUSALS.items()}
    page = {
        "board": static(game.board),
        "sprite": static("korttipoyta/img/cards.svg"),
        "socket": f"{reverse('tables:table', args=[code])}socket/?v={protocol.VERSION}",
        "code": code,
        "csrf": get_token(request),
        "sides": game.sides,
        "home": reverse("game:home"),
        "fresh": reverse("tables:new", args=[game.key]),
        "leave": reverse("tables:leave", args=[code]),
        "seats": [
            {
                "invite": reverse("tables:invite", args=[code, one.index, "SIGNATURE"]),
                "qr": reverse("tables:qr", args=[code, one.index]),
                "renew": reverse("tables:renew", args=[code, one.index]),
            }
            for one in now.seats
        ],
    }
    context = {"game": game, "page": page, "words": words, "table": now, "seat": seat}
    return render(request, "korttipoyta/tables/table.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@private
def invite(request: HttpRequest, code: str, index: int, signature: str) -> HttpResponse:
    """An invite: who asks you to which seat. Looking at it claims nothing; the button does."""
    now = at(code)
    if now is None or index >= len(now.seats):
        return _kind(request, "gone", 404)
    game = find(now.game)
    browser = people.browser_of(request.session)
    if now.seat_of(browser) is not None:
        return redirect("tables:table", code=code)
    refusal = _unwelcome(now, index, signature)
    if refusal:
        return _kind(request, refusal, 410, game)
    form = NameForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        if limited(request, "claim", setting("TABLES_CLAIM_RATE")):
            return _kind(request, "too-fast", 429, game)
        try:
            browser = people.make_browser(request.session)
            lobby.claim(code, index, signature, browser, form.cleaned_data["name"])
        except lobby.Refused as refused:
            if refused.code == "name":
                form.add_error("name", REFUSALS["name"])
            else:
                return _kind(request, refused.code, 409, game)
        else:
            return redirect("tables:table", code=code)
    context = {
        "game": game,
        "form": form,
        "table": now,
        "index": index,
        "host": now.seats[HOST],
        "partner": now.seats[(index + 2) % len(now.seats)],
    }
    return render(request, "korttipoyta/tables/invite.html", context)


@require_safe
@private
def qr(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """The invite of a seat as a QR code, for the host alone: the secret is not in this address."""
    now = at(code)
    if (
        now is None
        or now.seat_of(people.browser_of(request.session)) != HOST
        or index >= len(now.seats)
        or now.seats[index].holder
    ):
        raise Http404
    secret = people.invite(code, index, now.seats[index].turnover)
    address = request.build_absolute_uri(reverse("tables:invite", args=[code, index, secret]))
    picture = segno.make(address, error="m").svg_inline(scale=4, border=3, light="#fff")
    picture = picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return HttpResponse(picture, content_type="image/svg+xml")


@require_POST
@private
def renew(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """The host renews an invite, or frees a seat; both make the old link worthless."""
    try:
        lobby.turn_over(code, people.browser_of(request.session) or "", index)
    except lobby.Refused as refused:
        return _kind(request, refused.code, 409)
    return redirect("tables:table", code=code)


@require_POST
@private
def leave(request: HttpRequest, code: str) -> HttpResponse:
    """Leave the table; what came of it is told on the next page."""
    try:
        outcome = lobby.leave(code, people.browser_of(request.session) or "")
    except lobby.Refused as refused:
        return _kind(request, refused.code, 409)
    now = at(code)
    game = find(now.game) if now else None
    return render(request, "korttipoyta/tables/left.html", {"outcome": outcome, "game": game})


def _game(key: str) -> AnyGame:
    try:
        game = find(key)
    except Illegal as illegal:
        raise Http404 from illegal
    if not game.board:
        raise Http404
    return game


def _unwelcome(now: At, index: int, signature: str) -> str | None:
    """Why this invite seats nobody any more; None while it does."""
    seat = now.seats[index]
    if now.status == Match.Status.OVER:
        return "over"
    if seat.holder:
        return "taken"
    if not people.invites(signature, now.code, index, seat.turnover):
        return "renewed"
    return None


def _kind(
    request: HttpRequest, code: str, status: int, game: AnyGame | None = None
) -> HttpResponse:
    """A page that says why not, kindly, and offers a new table."""
    context: dict[str, Any] = {"words": REFUSALS[code], "game": game}
    return render(request, "korttipoyta/tables/refused.html", context, status=status)
