"""Everything that happens at a shared table, each as one function and one transaction.

The only writer of tables, seats and lines. Each change takes the match row first, then rings; a
refusal is a `Refused` with a code from `tables.words.REFUSALS`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import BooleanField, Exists, Max, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from django.utils import timezone

from game import matches
from game.engine.base import Illegal, Options
from game.engine.registry import find
from game.models import Match
from tables import database, live, people, presence
from tables.marks import Origin
from tables.models import Ban, Line, Report, Seat, Sitting, Table, Trace
from tables.people import Link
from tables.protocol import Signal
from tables.reading import HOST, At, at
from tables.words import unnamed

WAITING, PLAYING, OVER = Match.Status.WAITING, Match.Status.PLAYING, Match.Status.OVER
AGAIN = "again"
REISSUE = "reissue:"
"""What seats agree on: another match, or, followed by an index, a new invite for a lost seat."""
LINES, SECONDS = 8, 10
"""How many lines a seat may say in how many seconds."""
REPORTS, EVIDENCE = 20, 10
"""How many reports of a seat may wait, and how many lines before and after one are kept."""
NOWHERE = Origin()


class Refused(Exception):
    """A command that is not carried out: a ``code`` and its ``facts``."""

    def __init__(self, code: str, /, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Place:
    """From where a command of a seated page comes: what it took its seat by."""

    code: str
    match: int
    seat: int
    holder: str


# ---- before the first deal -----------------------------------------------------------------------


@transaction.atomic
def open_table(
    key: str,
    seats: int,
    options: Options,
    browser: str,
    name: str,
    voice: bool,
    origin: Origin = NOWHERE,
    language: str = "",
) -> str:
    """A new table with its host seated, who reads ``language``; its code.

    Illegal: what the game says of the options. Refused: ``banned``.
    """
    _check_bans(origin)
    match = matches.open_match(find(key), seats, options)
    code = secrets.token_hex(5)
    table = Table.objects.create(code=code, match=match, voice=voice, language=language)
    Sitting.objects.create(table=table, number=1, match=match)
    holder = people.holders(browser, code, HOST, 0)[0]
    Seat.objects.bulk_create(
        Seat(
            table=table,
            index=index,
            holder=holder if index == HOST else "",
            name=people.clean_name(name) if index == HOST else "",
        )
        for index in range(seats)
    )
    _trace(Seat.objects.get(table=table, index=HOST), origin)
    return code


@transaction.atomic
def claim(
    code: str, index: int, signature: str, browser: str, name: str, origin: Origin = NOWHERE
) -> None:
    """Sit down. The last claim deals the first deal.

    Refused: ``gone``, ``over``, ``taken``, ``renewed``, ``seated``, ``name``, ``banned``.
    """
    _check_bans(origin)
    table = Table.objects.select_related("match").filter(code=code).first()
    if table is None:
        raise Refused("gone")
    waits = matches.touch(table.match_id, Q(status=WAITING))
    if not waits and not matches.touch(table.match_id, Q(status=PLAYING)):
        raise Refused("over")
    seats = {seat.index: seat for seat in Seat.objects.filter(table=table)}
    seat = seats.get(index)
    if seat is None:
        raise Refused("gone")
    if any(
        people.holds(one.holder, browser, code, one.index, one.turnover) for one in seats.values()
    ):
        raise Refused("seated")
    if seat.holder:
        raise Refused("taken")
    if not people.signed(Link.INVITE, signature, code, index, seat.turnover):
        raise Refused("renewed")
    seat.name = people.clean_name(name)
    _check_name(seat.name, [one.name for one in seats.values() if one is not seat])
    seat.holder = people.holders(browser, code, index, seat.turnover)[0]
    seat.save(update_fields=["holder", "name"])
    _trace(seat, origin)
    if not waits:
        _notice(table, seat, "taken")
    elif all(one.holder for one in seats.values()):
        _begin(table)
    _ring(code)


@transaction.atomic
def turn_over(code: str, browser: str, index: int, turnover: int, taken: bool) -> None:
    """Make a seat's invite anew: an empty seat's, or a claimed one's, which is freed by it.

    Before the first deal the keeper of the invites may (`At.keeper`), during a match for an empty
    seat; when the match is over anybody may free a seat whose holder is away, so that the others
    can play again. ``turnover`` and ``taken`` are the seat's as the page showed it: what has been
    claimed or renewed since stays as it is.

    Refused: ``gone``, ``not-host``, ``started``, ``host-seat``, ``present``, ``changed``,
    ``banned``.
    """
    now, mine = _seated(code, browser)
    if index >= len(now.seats):
        raise Refused("gone")
    if index == mine:
        raise Refused("host-seat")
    if now.status != OVER and mine != now.keeper:
        raise Refused("not-host")
    if not matches.touch(now.match, _held_by(now, mine) & Q(status=now.status)):
        raise Refused("started")
    _still_at(now)
    seat = _seats(code)[index]
    held = bool(seat.holder)
    if seat.turnover != turnover or held != taken:
        raise Refused("changed")
    if now.status == PLAYING and held:
        raise Refused("started")
    if now.status == OVER and (not held or presence.here(code, [index])):
        raise Refused("present")
    _free(code, index)
    if now.status == OVER:
        _again_if_all_agree(code)
    _ring(code)


@transaction.atomic
def leave(code: str, browser: str, shown: str) -> str:
    """Leave by the table's own button (R14); what came of it.

    ``shown`` is the match's status when its holder was told what leaving would do: it does that or
    nothing.

    ``freed``: a guest before the first deal. ``closed``: the host then, or the last to wait for
    another match. ``drawn``: during a match. ``over``: the match had ended, and nothing changed.
    Refused: ``gone``, ``not-seated``, ``changed``, ``banned``.
    """
    now, index = _seated(code, browser)
    if now.status != shown:
        raise Refused("changed")
    mine = _held_by(now, index)
    if shown == WAITING and matches.touch(now.match, mine & Q(status=WAITING)):
        others = any(seat.holder for seat in _seats(code).values() if seat.index != index)
        closes = index == HOST if now.sitting == 1 else not others
        if closes:
            outcome = {"outcome": "closed", "reason": "host", "seat": index}
            matches.end(now.match, Q(), outcome)
        else:
            _free(code, index)
        _ring(code)
        return "closed" if closes else "freed"
    if shown == PLAYING and matches.touch(now.match, mine & Q(status=PLAYING)):
        # Read only now that nobody else can play: a last play of a deal may have come before.
        score = _score(now.match)
        outcome = {"outcome": "draw", "reason": "left", "score": score, "seat": index}
        matches.end(now.match, Q(), outcome)
        _keep_names(code, now.match)
        _ring(code)
        return "drawn"
    if shown == OVER:
        return "over"
    raise Refused("changed")


# ---- the match -----------------------------------------------------------------------------------


def play(place: Place, ply: int, card: str) -> None:
    """Play for a seat. Refused: ``stale``, or what the game says."""

    def move(guard: Q) -> None:
        if matches.play(place.match, place.seat, ply, card, guard):
            _keep_names(place.code, place.match)

    _move(place, move)


def next_deal(place: Place, ply: int) -> None:
    """Deal the next deal, whoever asks. Refused: ``stale``, ``unfinished``."""
    _move(place, lambda guard: matches.next_deal(place.match, ply, guard))


def _move(place: Place, move: Callable[[Q], None]) -> None:
    try:
        with transaction.atomic():
            move(_holds(place))
            _ring(place.code)
    except matches.Stale:
        raise Refused("stale") from None
    except Illegal as illegal:
        raise Refused(illegal.reason, **illegal.facts) from None


def concede(place: Place, ply: int) -> None:
    """Own up to signalling in the deal just counted (H4); everybody reads it in the chat.

    Refused: ``stale``, and what the game says.
    """

    def move(guard: Q) -> None:
        matches.concede(place.match, place.seat, ply, guard)
        table = Table.objects.get(code=place.code)
        _notice(table, _seats(place.code)[place.seat], "conceded")

    _move(place, move)


# ---- the people ----------------------------------------------------------------------------------


@transaction.atomic
def say(place: Place, client: str, text: str) -> None:
    """Say a line, once however often it is sent: the page names it by ``client``.

    Refused: ``stale``, ``empty``, ``too-long``, ``chat-too-fast``, ``muted``, ``closed``.
    """
    text = people.clean_line(text)
    if not text:
        raise Refused("empty")
    if len(text) > people.LINE_LENGTH:
        raise Refused("too-long", most=people.LINE_LENGTH)
    seat, number = _take_line(place)
    _check_moderation(seat)
    mine = Line.objects.filter(table=seat.table, seat=place.seat)
    if mine.filter(client=client).exists():
        transaction.set_rollback(True)  # its number was not needed
        return
    lately = Now() - timedelta(seconds=SECONDS)
    if mine.filter(created__gt=lately, kind=Line.SAID).count() >= LINES:
        raise Refused("chat-too-fast", seconds=SECONDS)
    Line.objects.create(
        table=seat.table,
        number=number,
        changed=number,
        seat=place.seat,
        person=seat.person,
        name=seat.name,
        text=text,
        client=client,
    )
    _ring(place.code)


@transaction.atomic
def rename(place: Place, name: str) -> None:
    """Take another name, at any time. Refused: ``stale``, ``name``, ``muted``, ``closed``."""
    if not matches.touch(place.match, _holds(place)):
        raise Refused("stale")
    _check_moderation(_still_mine(place))
    name = people.clean_name(name)
    seats = _seats(place.code)
    _check_name(name, [seat.name for seat in seats.values() if seat.index != place.seat])
    Seat.objects.filter(table__code=place.code, index=place.seat).update(name=name)
    _ring(place.code)


def pause(place: Place, on: bool) -> None:
    """Say that one is back in a minute, or is back."""
    mine = Seat.objects.filter(table__code=place.code, index=place.seat, holder=place.holder)
    if mine.update(pause=on):
        live.stir(place.code)


@transaction.atomic
def agree(place: Place, to: str) -> None:
    """Say yes to another match (`AGAIN`), or to a new invite for a seat that is lost (`REISSUE`
    and its index), or take one's word back (empty).

    Another match opens when every held seat has said yes. A seat is given up during a match when
    every other seat that is here has, and they are two at least: nobody alone gets at a hand. That
    may come true later too, when somebody goes: see `give_up_lost`.
    Refused: ``stale``, ``present``, ``two-seats``, ``closed``.
    """
    status = OVER if to == AGAIN else PLAYING
    guard = _holds(place) & (Q(status=status) if to else Q())
    if not matches.touch(place.match, guard):
        raise Refused("stale")
    # Read after the row was taken: see `_still_mine`.
    now = at(place.code)
    if now is None or (now.match, now.seats[place.seat].holder) != (place.match, place.holder):
        raise Refused("stale")
    if to == AGAIN and now.closed:
        raise Refused("closed")
    if to.startswith(REISSUE):
        lost = int(to.removeprefix(REISSUE))
        if len(now.seats) < 3:
            raise Refused("two-seats")
        if lost >= len(now.seats) or lost == place.seat or not now.seats[lost].holder:
            raise Refused("stale")
        if presence.here(place.code, [lost]):
            raise Refused("present")
    elif now.outcome and now.outcome["outcome"] == "closed":
        raise Refused("over")
    Seat.objects.filter(table__code=place.code, index=place.seat).update(agrees=to)
    if to == AGAIN:
        _again_if_all_agree(place.code)
    elif to:
        _reissue_if_all_agree(place.code, lost)
    _ring(place.code)


def give_up_lost(codes: list[str]) -> None:
    """Give up the lost seats of these tables about which all that are here agree by now, whoever
    did not having gone."""
    asked = Seat.objects.filter(table__code__in=codes, agrees__startswith=REISSUE)
    for code, match, to in set(asked.values_list("table__code", "table__match", "agrees")):
        lost = int(to.removeprefix(REISSUE))
        if not _all_agree(code, _seats(code), lost):
            continue
        with transaction.atomic():
            if matches.touch(match, Q(status=PLAYING)):
                _reissue_if_all_agree(code, lost)
                _ring(code)


live.when_away(give_up_lost)


# ---- the voice call ------------------------------------------------------------------------------


def join_call(process: str, place: Place, call: str) -> None:
    """Be in the call with a page of this process, which calls its part in it ``call``. Joining
    again under the same name changes nothing.

    Refused: ``stale``, ``voice-off``.
    """
    seats = Seat.objects.filter(table__code=place.code, index=place.seat, holder=place.holder)
    voice = seats.values_list("table__voice", flat=True).first()
    if voice is None:
        raise Refused("stale")
    if not voice:
        raise Refused("voice-off")
    presence.join_call(process, place.code, place.seat, call)
    live.stir(place.code)


def leave_call(process: str, place: Place, call: str) -> None:
    """Be in the call no more."""
    presence.leave_call(process, place.code, place.seat, call)
    live.stir(place.code)


def pass_on(place: Place, call: str, signal: Signal) -> None:
    """Pass on what one page in the call says to another. Refused: ``not-in-call``."""
    callers = presence.callers([place.code]).get(place.code, {})
    other = callers.get(signal.to)
    mine = callers.get(place.seat) == presence.Caller(call, place.holder)
    if not mine or other is None or other.call != signal.id or signal.to == place.seat:
        raise Refused("not-in-call")
    message = {"from": place.seat, "id": call, "kind": signal.kind, "text": signal.text}
    live.relay(place.code, signal.to, signal.id, message)


@transaction.atomic
def switch_voice_off(place: Place) -> None:
    """Switch voice off at this table, for good; the keeper of the invites may (`At.keeper`).

    Refused: ``stale``, ``not-host``.
    """
    if not matches.touch(place.match, _holds(place)):
        raise Refused("stale")
    seat = _still_mine(place)
    now = at(place.code)
    if now is None or now.keeper != place.seat:
        raise Refused("not-host")
    _end_voice(seat.table)
    _ring(place.code)


# ---- coming, and going elsewhere -----------------------------------------------------------------


def arrive(process: str, place: Place) -> None:
    """A seat's page is there. What was agreed about the seat as lost is void."""
    presence.arrive(process, place.code, place.seat)
    to = f"{REISSUE}{place.seat}"
    if _agreeing(place.code, to):
        with transaction.atomic():
            matches.touch(place.match, Q())
            Seat.objects.filter(table__code=place.code, agrees=to).update(agrees="")
            _ring(place.code)


@database.prepared
def _agreeing(code: Any, to: Any) -> QuerySet[Seat, Any]:
    return Seat.objects.filter(table__code=code, agrees=to).values_list("pk")


@transaction.atomic
def move(code: str, index: int, signature: str, browser: str, origin: Origin = NOWHERE) -> None:
    """Take one's own seat to this browser by its return link; the old page is told.

    Refused: ``gone``, ``returned``, ``seated``, ``banned``.
    """
    _check_bans(origin)
    now = at(code)
    if now is None or index >= len(now.seats) or not matches.touch(now.match, Q()):
        raise Refused("gone")
    _still_at(now)
    mine = now.seat_of(browser)
    if mine is not None:
        raise Refused("seated")
    seat = _seats(code)[index]
    if not seat.holder or not people.signed(Link.RETURN, signature, code, index, seat.turnover):
        raise Refused("returned")
    seat.turnover += 1
    seat.holder = people.holders(browser, code, index, seat.turnover)[0]
    seat.pause = False  # whoever comes is back
    seat.save(update_fields=["holder", "turnover", "pause"])
    _trace(seat, origin)
    presence.end_calls(code, index)
    _ring(code)


@transaction.atomic
def report(code: str, browser: str, about: int, line: int | None, reason: str, words: str) -> None:
    """Tell the moderators of a person, or of a line that one has said. Twice is once.

    What was said around it is kept with the report. Refused: ``gone``, ``not-seated``,
    ``too-many``, ``banned``.
    """
    now, mine = _seated(code, browser)
    table = Table.objects.get(code=code)
    said = None
    if line is not None:
        said = Line.objects.filter(table=table, seat=about, number=line, kind=Line.SAID).first()
    if about not in range(len(now.seats)) or about == mine or (line is not None and said is None):
        raise Refused("gone")
    # The row orders two reports of one seat; no page need hear of it.
    matches.touch(now.match, Q())
    open_ones = Report.objects.filter(table=table, by=mine, resolved=None)
    if open_ones.filter(seat=about, line=line, reason=reason).exists():
        return
    if open_ones.count() >= REPORTS:
        raise Refused("too-many")
    around = Line.objects.filter(table=table)
    before = around.filter(number__lte=line) if line is not None else around
    kept = [*reversed(before.order_by("-number")[:EVIDENCE])]
    if line is not None:
        kept += around.filter(number__gt=line).order_by("number")[:EVIDENCE]
    trace = Trace.objects.filter(seat__table=table, seat__index=about).first()
    # Whoever sits there now has not said what somebody before has.
    same = said is None or said.person == _seats(code)[about].person
    Report.objects.create(
        table=table,
        code=code,
        by=mine,
        by_name=now.seats[mine].name,
        seat=about,
        name=said.name if said else now.seats[about].name,
        browser=trace.browser if trace and same else "",
        line=line,
        reason=reason,
        words=people.clean_line(words)[: people.LINE_LENGTH],
        lines=[evidence(one) for one in kept],
    )


# ---- the moderators ------------------------------------------------------------------------------


@transaction.atomic
def close_table(code: str, words: str) -> None:
    """Close a table: its match ends as a draw, and nothing more is said there, aloud or written.
    ``words`` tell its people why. Refused: ``gone``, ``closed``."""
    now, table = _take(code)
    if table.closed:
        raise Refused("closed")
    if now.status == PLAYING:
        score = _score(now.match)
        matches.end(now.match, Q(), {"outcome": "draw", "reason": "closed", "score": score})
        _keep_names(code, now.match)
    elif now.status == WAITING:
        matches.end(now.match, Q(), {"outcome": "closed", "reason": "moderator"})
    table.closed = timezone.now()
    table.save(update_fields=["closed"])
    _end_voice(table)
    Seat.objects.filter(table=table).update(agrees="")
    _notice(table, _seats(code)[HOST], "closed", words=people.clean_line(words))
    _ring(code)


@transaction.atomic
def hide_line(code: str, number: int, hidden: bool) -> None:
    """Hide a line, or show it again: on all screens at once. Refused: ``gone``, ``changed``."""
    _now, table = _take(code)
    rows = Line.objects.filter(table=table, number=number, kind=Line.SAID)
    if not rows.exists():
        raise Refused("gone")
    changed = matches.count_line(table.match_id, Q())
    if not rows.exclude(hidden=hidden).update(hidden=hidden, changed=changed):
        raise Refused("changed")
    _ring(code)


@transaction.atomic
def rename_seat(code: str, index: int, name: str) -> None:
    """Give a seat another name, also in what it has said and in the records of its matches.
    Refused: ``gone``, ``name``."""
    _now, table = _take(code)
    seat = _held_seat(code, index)
    before, name = seat.name, people.clean_name(name)
    others = [one.name for one in _seats(code).values() if one.index != index]
    _check_name(name, others)
    seat.name = name
    seat.save(update_fields=["name"])
    if before:
        changed = matches.count_line(table.match_id, Q())
        Line.objects.filter(table=table, seat=index, name=before).update(name=name, changed=changed)
        for match in Match.objects.filter(sitting__table=table):
            if match.names and match.names[index] == before:
                kept = [*match.names[:index], name, *match.names[index + 1 :]]
                matches.keep_names(match.pk, kept)
    _notice(table, seat, "renamed")
    _ring(code)


@transaction.atomic
def mute_seat(code: str, index: int, on: bool) -> None:
    """Let a seat say nothing more, or let it again; everybody is told. Refused: ``gone``,
    ``changed``."""
    _now, table = _take(code)
    seat = _held_seat(code, index)
    if seat.muted == on:
        raise Refused("changed")
    seat.muted = on
    seat.save(update_fields=["muted"])
    _notice(table, seat, "muted" if on else "unmuted")
    _ring(code)


def ban_seat(code: str, index: int, kind: Ban.Kind, until: datetime, reason: str) -> None:
    """Ban who holds a seat. Refused: ``gone``, ``forgotten``: its mark is not known any more."""
    trace = Trace.objects.filter(seat__table__code=code, seat__index=index).first()
    seat = _seats(code).get(index)
    if seat is None or not seat.holder:
        raise Refused("gone")
    mark = (trace.browser if kind == Ban.Kind.BROWSER else trace.address) if trace else ""
    ban(kind, mark, seat.name, until, reason)


@transaction.atomic
def ban(kind: Ban.Kind, mark: str, whom: str, until: datetime, reason: str) -> None:
    """Ban a mark: where it sits its pages close, and it sits down nowhere. Refused:
    ``forgotten``."""
    if not mark:
        raise Refused("forgotten")
    Ban.objects.create(kind=kind, mark=mark, whom=whom, reason=reason, until=until)
    _shut_out(kind, mark)


@transaction.atomic
def lift_ban(ban: int) -> None:
    """End a ban now. Refused: ``gone``."""
    row = Ban.objects.filter(pk=ban, until__gt=timezone.now()).first()
    if row is None:
        raise Refused("gone")
    row.until = timezone.now()
    row.save(update_fields=["until"])
    _shut_out(Ban.Kind(row.kind), row.mark)


def resolve_report(report: int, who: str, what: str) -> None:
    """Say of a report what was done. Refused: ``changed``: somebody has."""
    rows = Report.objects.filter(pk=report, resolved=None)
    if not rows.update(resolved=timezone.now(), resolved_by=who, resolution=what):
        raise Refused("changed")


def _take(code: str) -> tuple[At, Table]:
    """The table as it stands once its row is taken. Refused: ``gone``, ``changed``."""
    table = Table.objects.filter(code=code).first()
    if table is None or not matches.touch(table.match_id, Q()):
        raise Refused("gone")
    now = at(code)
    if now is None or now.match != table.match_id:
        raise Refused("changed")
    return now, table


def _held_seat(code: str, index: int) -> Seat:
    seat = _seats(code).get(index)
    if seat is None or not seat.holder:
        raise Refused("gone")
    return seat


def _shut_out(kind: Ban.Kind, mark: str) -> None:
    """Mark the seats of a mark as banned for as long as any ban of them runs, and let their tables
    know."""
    traces = {"trace__browser": mark} if kind == Ban.Kind.BROWSER else {"trace__address": mark}
    seats = Seat.objects.filter(**traces).exclude(holder="")
    # In one order, so that no two of these wait for each other.
    tables = Table.objects.filter(seats__in=seats).distinct().order_by("match_id")
    for code, match in list(tables.values_list("code", "match_id")):
        if matches.touch(match, Q()):
            for seat in seats.filter(table__code=code).select_related("trace"):
                running = Ban.objects.filter(_of(seat.trace), until__gt=timezone.now())
                seat.banned = running.aggregate(last=Max("until"))["last"]
                seat.save(update_fields=["banned"])
            transaction.on_commit(partial(live.ring, code))


def _of(trace: Trace) -> Q:
    """The bans of who left a trace; of an address that is not known any more there are none."""
    return Q(kind=Ban.Kind.BROWSER, mark=trace.browser) | Q(
        ~Q(mark=""), kind=Ban.Kind.ADDRESS, mark=trace.address
    )


def evidence(line: Line) -> dict[str, Any]:
    """A line as a report keeps it."""
    return {
        "n": line.number,
        "seat": line.seat,
        "name": line.name,
        "at": line.created.isoformat(timespec="seconds"),
        "text": line.text,
        "kind": line.kind,
    }


def _check_bans(origin: Origin) -> None:
    marks = [*origin.browser, *origin.address]
    if marks and Ban.objects.filter(mark__in=marks, until__gt=timezone.now()).exists():
        raise Refused("banned")


def _check_moderation(seat: Seat) -> None:
    if seat.table.closed:
        raise Refused("closed")
    if seat.muted:
        raise Refused("muted")


def _trace(seat: Seat, origin: Origin) -> None:
    """Keep by what a seat's browser could be banned."""
    if origin.browser:
        address = origin.address[0] if origin.address else ""
        marks = {"browser": origin.browser[0], "address": address}
        Trace.objects.update_or_create(seat=seat, defaults=marks)


# ---- parts ---------------------------------------------------------------------------------------


def _seated(code: str, browser: str) -> tuple[At, int]:
    """The table and which seat this browser holds. Refused: ``gone``, ``not-seated``,
    ``banned``."""
    now = at(code)
    if now is None:
        raise Refused("gone")
    index = now.seat_of(browser)
    if index is None:
        raise Refused("not-seated")
    if now.seats[index].shut_out:
        raise Refused("banned")
    return now, index


def _still_at(now: At) -> None:
    """Called after the row was taken: another match may have begun at the table before."""
    if not Table.objects.filter(code=now.code, match=now.match).exists():
        raise Refused("changed")


def _held_by(now: At, index: int) -> Q:
    holder = now.seats[index].holder
    return Q(Exists(Seat.objects.filter(table__match=now.match, index=index, holder=holder)))


HOLDS = f"""EXISTS (
    SELECT 1 FROM {Seat._meta.db_table} seat
    JOIN {Table._meta.db_table} place ON place.id = seat.table_id
    WHERE place.match_id = %s AND seat."index" = %s AND seat.holder = %s
)"""  # noqa: S608 (names of tables)


def _holds(place: Place) -> Q:
    """That this page still holds its seat, at the match that is played there now. Written by hand:
    to put it together costs Django more than all else of a play."""
    return Q(RawSQL(HOLDS, [place.match, place.seat, place.holder], BooleanField()))  # noqa: S611 (values are parameters)


def _seats(code: str) -> dict[int, Seat]:
    return {seat.index: seat for seat in Seat.objects.filter(table__code=code)}


def _free(code: str, index: int) -> None:
    seat = _seats(code)[index]
    seat.holder = seat.name = seat.agrees = ""
    seat.pause = seat.muted = False
    seat.banned = None
    seat.person += 1
    seat.turnover += 1
    seat.save()
    Trace.objects.filter(seat=seat).delete()
    presence.end_calls(code, index)


def _end_voice(table: Table) -> None:
    Table.objects.filter(pk=table.pk).update(voice=False)
    presence.end_calls(table.code)
    transaction.on_commit(lambda: live.stir(table.code))


def _keep_names(code: str, match: int) -> None:
    seats = _seats(code)
    matches.keep_names(match, [seats[index].name for index in sorted(seats)])


def _check_name(name: str, others: list[str]) -> None:
    alike = people.likeness(name)
    if name and (alike in map(people.likeness, others) or alike in map(people.likeness, unnamed())):
        raise Refused("name")


def _begin(table: Table) -> None:
    """Deal the first deal; it moves on from the match before, if there was one (R3)."""
    earlier = Sitting.objects.filter(table=table).exclude(match=table.match_id)
    last = earlier.order_by("-number").values_list("match", flat=True).first()
    matches.begin(table.match_id, after=last)


def _again_if_all_agree(code: str) -> None:
    """Open another match when every held seat has said yes; it waits for those that are empty."""
    now = at(code)
    if now is None or not all(seat.agrees == AGAIN for seat in now.seats if seat.holder):
        return
    match = matches.open_next(now.match)
    table = Table.objects.get(code=now.code)
    table.match = match
    table.save(update_fields=["match"])
    Sitting.objects.create(table=table, number=now.sitting + 1, match=match)
    Seat.objects.filter(table=table).update(agrees="")
    if all(seat.holder for seat in now.seats):
        _begin(table)


def _reissue_if_all_agree(code: str, lost: int) -> None:
    """Give a lost seat up when all others that are here have said yes, being two at least."""
    seats = _seats(code)
    if _all_agree(code, seats, lost):
        keeper = min(index for index, seat in seats.items() if seat.holder and index != lost)
        _notice(Table.objects.get(code=code), seats[lost], "reissued", keeper=keeper)
        _free(code, lost)
        Seat.objects.filter(table__code=code).update(agrees="")


def _all_agree(code: str, seats: dict[int, Seat], lost: int) -> bool:
    """Whether all others that are here have said yes to giving up a seat that is not, being two at
    least."""
    held = {index for index, seat in seats.items() if seat.holder}
    agreed = {index for index in held if seats[index].agrees == f"{REISSUE}{lost}"}
    return lost in held and len(agreed) >= 2 and presence.here(code, held) <= agreed


def _take_line(place: Place) -> tuple[Seat, int]:
    number = matches.count_line(place.match, _holds(place))
    if number is None:
        raise Refused("stale")
    return _still_mine(place), number


def _still_mine(place: Place) -> Seat:
    """The seat of a page, read after the row was taken: before, another match may have begun at
    the table or the seat gone elsewhere, which PostgreSQL does not see in a guard that waited."""
    mine = Seat.objects.filter(table__match=place.match, index=place.seat, holder=place.holder)
    seat = mine.select_related("table").first()
    if seat is None:
        raise Refused("stale")
    return seat


def _notice(table: Table, seat: Seat, kind: str, **facts: str | int) -> None:
    """A line that tells everybody what has happened about a seat."""
    number = matches.count_line(table.match_id, Q())
    if number is not None:
        Line.objects.create(
            table=table,
            number=number,
            changed=number,
            seat=seat.index,
            name=seat.name,
            kind=kind,
            facts=facts,
            client=f"{kind}:{number}",
        )


def _score(match: int) -> list[int] | None:
    """The score between deals as the match stands; None before the first deal, and when the
    game's rules of then are gone: such a match can still be ended."""
    try:
        now = matches.position(match)
    except (matches.Stale, Illegal):
        return None
    score: list[int] = now.game.view(now.state, 0)["score"]
    return score


def _ring(code: str) -> None:
    transaction.on_commit(lambda: live.ring(code))
