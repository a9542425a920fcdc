"""The pages of shared tables: open, sit down, the table itself, and what the host does before play.

Parse, one call of `tables.lobby`, answer. GET never changes anything.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import get_language
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from game.engine.base import Illegal
from game.engine.registry import AnyGame, find, offered
from game.language import onward, otherwise
from game.models import Match
from game.words import page_words, rules_line
from tables import ice, lobby, people, protocol
from tables.conf import setting
from tables.forms import NameForm, OpenForm
from tables.headers import microphone, private
from tables.limits import limited
from tables.marks import origin
from tables.models import Report
from tables.people import Link
from tables.reading import HOST, At, at
from tables.words import REFUSALS


def known(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """While a release is installed, tables of games or engines that only the next one knows also
    come to processes of this one: they say so."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Illegal:
            return _kind(request, "newer", 409)

    return wrapped


@require_http_methods(["GET", "HEAD", "POST"])
@private
def new(request: HttpRequest, key: str) -> HttpResponse:
    """Open a table: a form, then the table."""
    game = _game(key)
    form = OpenForm(game, request.POST or None)
    if request.method == "POST" and form.is_valid():
        if limited(request, "open", setting("TABLES_OPEN_RATE")):
            return _kind(request, "too-fast", 429, key=game.key)
        browser = people.make_browser(request.session)
        try:
            code = lobby.open_table(
                game.key,
                *form.chosen(),
                browser,
                form.cleaned_data["name"],
                form.cleaned_data["voice"],
                origin(request, browser),
                get_language() or "",
            )
        except lobby.Refused as refused:
            return _kind(request, refused.code, 403, key=game.key)
        return redirect("tables:table", code=code)
    many = request.GET.get("seats")  # the front page knows how many they are
    if many in [str(number) for number in game.seats]:
        form.initial["seats"] = many
    return render(request, "korttipoyta/tables/new.html", {"game": game, "form": form})


@csrf_exempt  # it changes nothing, and front pages that lead here set no cookie
@require_http_methods(["GET", "HEAD", "POST"])
@private
def join(request: HttpRequest) -> HttpResponse:
    """From a pasted invite, alone or with words around it, to its address, if it is one of ours.

    It comes by POST, since addresses that open seats do not belong into another address.
    """
    for word in request.POST.get("link", "").split():
        address = _own_link(request, word)
        if address:
            return redirect(address)
    context = {"unknown": request.method == "POST"}
    return render(request, "korttipoyta/tables/join.html", context)


def _own_link(request: HttpRequest, word: str) -> str | None:
    """The address on this site that a pasted word means; None for whatever else it is."""
    try:
        parts = urlsplit(word.strip("<>()[]\"'“”.,;"))
        host = parts.hostname and parts.netloc.lower()
        if host not in (None, request.get_host().lower()) or parts.scheme not in (
            ("http", "https") if host else ("",)
        ):
            return None
        found = resolve(parts.path)
        ours = found.view_name in ("tables:invite", "tables:return", "tables:table")
        return reverse(found.view_name, kwargs=found.kwargs) if ours else None
    except (ValueError, Resolver404):
        return None


@require_safe
@private
@known
def table(request: HttpRequest, code: str) -> HttpResponse:
    """The table, for those who sit at it; for others a page that says so, and never a hand."""
    now = look(request, code)
    if now is None:
        return _kind(request, "gone", 404)
    seat = now.seat_of(people.browser_of(request.session))
    game = find(now.game)
    if seat is None:
        return _kind(request, "not-seated", 403, now)
    if now.seats[seat].shut_out:
        return _kind(request, "banned", 403)
    words = page_words()
    words["refusals"] |= {name: str(word) for name, word in REFUSALS.items()}
    page = {
        "board": static(game.board),
        "sprite": static("korttipoyta/img/cards.svg"),
        "socket": f"{reverse('tables:table', args=[code])}socket/?v={protocol.VERSION}",
        "code": code,
        "csrf": get_token(request),
        "sides": game.sides,
        "rules": rules_line(game, now.options),
        "rulesShort": rules_line(game, now.options, short=True),
        "home": reverse("game:home"),
        "fresh": onward(request, "tables:new", game.key),
        "leave": onward(request, "tables:leave", code),
        "record": onward(request, "tables:record", code, 0),
        "report": onward(request, "tables:report", code),
        "reasons": dict(Report.Reason.choices),
        "lineLength": people.LINE_LENGTH,
        "nameLength": people.NAME_LENGTH,
        "comeBack": request.build_absolute_uri(_way_back(now, seat)),
        "comeBackCode": reverse("tables:return-qr", args=[code, seat]),
        "seats": [
            {
                "invite": reverse("tables:invite", args=[code, one.index, "SIGNATURE"]),
                "qr": reverse("tables:qr", args=[code, one.index]),
                "renew": onward(request, "tables:renew", code, one.index),
            }
            for one in now.seats
        ],
    }
    if now.voice:
        page["voice"] = {
            "module": static("korttipoyta/js/voice.js"),
            "style": static("korttipoyta/css/voice.css"),
            "relay": ice.relay(),
        }
    inside_app = people.inside_app(request.headers.get("User-Agent", ""))
    context = {"game": game, "page": page, "words": words, "inside_app": inside_app}
    response = render(request, "korttipoyta/tables/table.html", context)
    return microphone(response, allowed=now.voice)


@require_http_methods(["GET", "HEAD", "POST"])
@private
@known
def invite(request: HttpRequest, code: str, index: int, signature: str) -> HttpResponse:
    """An invite: who asks you to which seat. Looking at it claims nothing; the button does."""
    now = look(request, code)
    if now is None or index >= len(now.seats):
        return _kind(request, "gone", 404)
    game = find(now.game)
    browser = people.browser_of(request.session)
    if now.seat_of(browser) is not None:
        return redirect("tables:table", code=code)
    refusal = _unwelcome(now, index, signature)
    if refusal:
        return _kind(request, refusal, 410, now)
    form = NameForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        if limited(request, "claim", setting("TABLES_CLAIM_RATE")):
            return _kind(request, "too-fast", 429, now)
        try:
            browser = people.make_browser(request.session)
            name, where = form.cleaned_data["name"], origin(request, browser)
            lobby.claim(code, index, signature, browser, name, where)
        except lobby.Refused as refused:
            if refused.code == "name":
                form.add_error("name", REFUSALS["name"])
                form.fields["name"].widget.attrs["autofocus"] = True
            else:
                return _kind(request, refused.code, 409, now)
        else:
            return redirect("tables:table", code=code)
    context = {
        "game": game,
        "form": form,
        "index": index,
        "host": now.seats[HOST],
        "rules": rules_line(game, now.options),
        "partner": now.seats[(index + 2) % len(now.seats)],
        "inside_app": people.inside_app(request.headers.get("User-Agent", "")),
    }
    return render(request, "korttipoyta/tables/invite.html", context)


@require_safe
@private
def qr(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """The invite of a seat as a QR code, for the keeper of the invites alone: the secret is not in
    this address."""
    now = look(request, code)
    if (
        now is None
        or now.seat_of(people.browser_of(request.session)) != now.keeper
        or index >= len(now.seats)
        or now.seats[index].holder
    ):
        raise Http404
    secret = people.sign(Link.INVITE, code, index, now.seats[index].turnover)
    return _qr(request, reverse("tables:invite", args=[code, index, secret]))


@require_safe
@private
def return_qr(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """One's own return link as a QR code, for the seat's holder alone."""
    now = look(request, code)
    if now is None or now.seat_of(people.browser_of(request.session)) != index:
        raise Http404
    return _qr(request, _way_back(now, index))


@require_http_methods(["GET", "HEAD", "POST"])
@private
@known
def come_back(request: HttpRequest, code: str, index: int, signature: str) -> HttpResponse:
    """A return link: one's own seat in another browser. Looking at it moves nothing; the button
    does, and the link is spent by it."""
    now = look(request, code)
    if now is None or index >= len(now.seats):
        return _kind(request, "gone", 404)
    mine = now.seat_of(people.browser_of(request.session))
    if mine == index:
        return redirect("tables:table", code=code)
    if mine is not None:
        return _kind(request, "seated", 409, now)
    if not people.signed(Link.RETURN, signature, code, index, now.seats[index].turnover):
        return _kind(request, "returned", 410, now)
    if request.method == "POST":
        if limited(request, "claim", setting("TABLES_CLAIM_RATE")):
            return _kind(request, "too-fast", 429, now)
        try:
            browser = people.make_browser(request.session)
            lobby.move(code, index, signature, browser, origin(request, browser))
        except lobby.Refused as refused:
            return _kind(request, refused.code, 409, now)
        return redirect("tables:table", code=code)
    context = {
        "game": find(now.game),
        "seat": now.seats[index],
        "inside_app": people.inside_app(request.headers.get("User-Agent", "")),
    }
    return render(request, "korttipoyta/tables/return.html", context)


def _way_back(now: At, index: int) -> str:
    secret = people.sign(Link.RETURN, now.code, index, now.seats[index].turnover)
    return reverse("tables:return", args=[now.code, index, secret])


def _qr(request: HttpRequest, address: str) -> HttpResponse:
    full = request.build_absolute_uri(address)
    picture = segno.make(full, error="m").svg_inline(scale=4, border=3, light="#fff")
    picture = picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return HttpResponse(picture, content_type="image/svg+xml")


@require_http_methods(["GET", "HEAD", "POST"])
@private
def renew(request: HttpRequest, code: str, index: int) -> HttpResponse:
    """Make an invite anew, or free a seat; both make the old link worthless."""
    turnover = request.POST.get("turnover", "")
    if request.method == "POST":
        browser = people.browser_of(request.session) or ""
        try:
            number = int(turnover) if turnover.isdecimal() and len(turnover) < 16 else -1
            lobby.turn_over(code, browser, index, number, request.POST.get("taken") == "1")
        except lobby.Refused as refused:
            return _kind(request, refused.code, 409, look(request, code))
    return redirect("tables:table", code=code)


@require_http_methods(["GET", "HEAD", "POST"])
@private
def leave(request: HttpRequest, code: str) -> HttpResponse:
    """Leave the table; what came of it is told on the next page."""
    if request.method != "POST":
        return redirect("tables:table", code=code)
    browser = people.browser_of(request.session) or ""
    try:
        outcome = lobby.leave(code, browser, request.POST.get("shown", ""))
    except lobby.Refused as refused:
        return _kind(request, refused.code, 409, look(request, code))
    return redirect("tables:left", code=code, outcome=outcome)


@require_safe
@private
def left(request: HttpRequest, code: str, outcome: str) -> HttpResponse:
    """What came of leaving."""
    now = look(request, code)
    over = now is not None and now.status == Match.Status.OVER and now.begun
    context = {
        "outcome": outcome,
        "game": find(now.game if now else _first()),
        "table": now if over and outcome in ("drawn", "over") else None,
    }
    return render(request, "korttipoyta/tables/left.html", context)


def look(request: HttpRequest, code: str) -> At | None:
    """The table as it stands, its pages in its host's language for readers who wish none."""
    now = at(code)
    if now is not None:
        otherwise(request, now.language)
    return now


def _first() -> str:
    """The game that is offered to somebody whose table is gone."""
    return next(iter(offered()))


def _game(key: str) -> AnyGame:
    game = offered().get(key)
    if game is None:
        raise Http404
    return game


def _unwelcome(now: At, index: int, signature: str) -> str | None:
    """Why this invite seats nobody any more; None while it does."""
    seat = now.seats[index]
    if now.status == Match.Status.OVER:
        return "over"
    if seat.holder:
        return "taken"
    if not people.signed(Link.INVITE, signature, now.code, index, seat.turnover):
        return "renewed"
    return None


def _kind(
    request: HttpRequest, code: str, status: int, now: At | None = None, key: str | None = None
) -> HttpResponse:
    """A page that says why not, kindly: it leads back to the table for those who sit at it, and
    offers the others a new one, if they may open one."""
    seated = now is not None and now.seat_of(people.browser_of(request.session)) is not None
    context: dict[str, Any] = {
        "words": REFUSALS[code],
        "game": find(now.game if now else key or _first()),
        "table": now if seated else None,
        "fresh": code != "banned",
    }
    return render(request, "korttipoyta/tables/refused.html", context, status=status)
