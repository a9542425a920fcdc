"""The pages of records: of a match that is over, for its seats and by link, and of any file.

Watching is the same everywhere: the page has the record's text and asks `frames` to play a deal of
it again. That answer rests on the text alone and nothing of it is kept.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from game import archive, replays
from game.engine.registry import find
from game.records import LIMIT, WrongRecord, dumps, parse, play
from game.words import page_words
from tables import people
from tables.conf import setting
from tables.headers import private
from tables.limits import limited
from tables.models import Sitting
from tables.views import _kind as refused_page
from tables.views import look

COSTLY = 16 * 1024
"""Each so many bytes of a record count as one more request; a match of ten deals has half."""


@require_safe
@private
def seat(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """The record of a match at a table, for those who sit there; they may share it."""
    now = look(request, code)
    sitting = Sitting.objects.filter(table__code=code, number=number).first()
    if now is None or sitting is None:
        return refused_page(request, "gone" if now is None else "no-record", 404, now)
    you = now.seat_of(people.browser_of(request.session))
    if you is None:
        return refused_page(request, "not-seated", 403, now)
    try:
        kept = archive.export(sitting.match_id)
    except archive.NoRecord as none:
        return refused_page(request, none.code, 409, now)
    more = {
        "you": you,
        "promises": f"{code}.{number}",
        "links": [_link(request, sitting.match_id, names) for names in (True, False)],
    }
    return _page(request, kept, more, {"table": code})


@require_safe
@private
def shared(request: HttpRequest, match: int, signature: str) -> HttpResponse:
    """The record of a match, for anybody who was given the link."""
    kept, names, refusal = _linked(match, signature)
    if kept is None:
        return refused_page(request, refusal, 410 if refusal == "expired" else 404)
    return _page(request, kept, {"links": [_link(request, match, names)]}, {})


@require_safe
@private
def file(request: HttpRequest, match: int, signature: str) -> HttpResponse:
    """The record as a file, by the same link."""
    kept, _, refusal = _linked(match, signature)
    if kept is None:
        return refused_page(request, refusal, 410 if refusal == "expired" else 404)
    name = f"{kept.record.game}-{kept.ended:%Y-%m-%d}.json"
    return HttpResponse(
        dumps(kept.record) + "\n",
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
def watch(request: HttpRequest) -> HttpResponse:
    """The page on which any record file can be dropped."""
    return render(request, "korttipoyta/records/watch.html", _context({}))


@csrf_exempt
@require_POST
@private
def frames(request: HttpRequest) -> JsonResponse:
    """A record's text to what it tells, and the frames of the deal that the query names (from 1).

    As `bots.views` it reads no cookie. A wrong record is answered as ``manage.py replay`` does;
    413: longer than a record may be, 429: asked too often.
    """
    length = request.headers.get("Content-Length", "")
    if not length.isdecimal() or len(length) > len(str(LIMIT)) or int(length) > LIMIT:
        return JsonResponse({}, status=413)
    # The longest takes a second of a processor, all of which a page plays again for every deal.
    cost = 1 + int(length) // COSTLY
    if limited(request, "replay", setting("TABLES_REPLAY_RATE"), cost):
        return JsonResponse({}, status=429)
    try:
        with override("en"):  # as the command does: whoever has made the file wants these words
            played = play(parse(request.body))
    except WrongRecord as wrong:
        return JsonResponse({"ok": False, "error": str(wrong)})
    told = replays.told(played)
    number = request.GET.get("deal", "")
    deal = int(number) if number.isdecimal() and len(number) < 6 else 1
    shown = replays.frames(played, deal - 1) if 1 <= deal <= len(played.states) else []
    board = played.game.board and static(played.game.board)
    return JsonResponse({**told, "board": board, "deal": deal, "frames": shown})


# ---- parts ---------------------------------------------------------------------------------------


def _linked(match: int, signature: str) -> tuple[archive.Kept | None, bool, str]:
    """The record that a link opens, and whether with names; or why it does not."""
    names = people.signed_record(signature, match)
    if names is None:
        return None, False, "no-record"
    try:
        kept = archive.export(match, names)
    except archive.NoRecord as none:
        # The link was good once: what is not there any more has gone with its time.
        return None, names, "expired" if none.code == "no-record" else none.code
    if timezone.now() >= _until(kept.ended):
        return None, names, "expired"
    return kept, names, ""


def _until(ended: datetime) -> datetime:
    return ended + timedelta(days=setting("TABLES_RECORD_DAYS"))


def _link(request: HttpRequest, match: int, names: bool) -> dict[str, str]:
    secret = people.sign_record(match, names)
    page = reverse("tables:shared-record", args=[match, secret])
    return {
        "page": request.build_absolute_uri(page),
        "file": reverse("tables:record-file", args=[match, secret]),
    }


def _page(
    request: HttpRequest, kept: archive.Kept, more: dict[str, Any], context: dict[str, Any]
) -> HttpResponse:
    page = {"record": dumps(kept.record), **more}
    last = _until(kept.ended)
    until = date_format(timezone.localtime(last), "DATE_FORMAT") if timezone.now() < last else None
    context = {"game": find(kept.record.game), "ended": kept.ended, "until": until, **context}
    return render(request, "korttipoyta/records/record.html", _context(page) | context)


def _context(page: dict[str, Any]) -> dict[str, Any]:
    common = {
        "frames": reverse("tables:frames"),
        "fairness": reverse("game:fairness"),
        "sprite": static("korttipoyta/img/cards.svg"),
        "limit": LIMIT,
    }
    return {"page": {**common, **page}, "words": page_words()}
