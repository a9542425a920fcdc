"""What is too old to be kept, and its erasing. Run hourly by the command ``prune``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from game import matches
from game.models import Match
from tables import live
from tables.conf import setting
from tables.models import Ban, Line, Presence, Report, Sitting, Table, Trace

DAY = timedelta(days=1)


def prune(dry: bool = False) -> dict[str, int]:
    """Erase what is too old, or with ``dry`` only count it; how much of what."""
    now = timezone.now()
    steps: dict[str, Callable[[datetime, bool], int]] = {
        "tables": _tables,
        "records": _records,
        "lines": _lines,
        "addresses": _addresses,
        "presences": _presences,
        "bans": _bans,
        "reports": _reports,
        "sessions": _sessions,
    }
    return {what: step(now, dry) for what, step in steps.items()}


def idle_tables(before: datetime) -> QuerySet[Table]:
    """Tables at which nobody has been since. An open page counts as being there."""
    mine = Q(table=OuterRef("pk"))
    at_seat = Q(seat__table=OuterRef("pk"))
    return Table.objects.filter(opened__lt=before, match__opened__lt=before).exclude(
        Exists(Line.objects.filter(mine, created__gte=before))
        | Exists(Presence.objects.filter(at_seat, seen__gte=before))
        | Exists(Trace.objects.filter(at_seat, seen__gte=before))
    )


def idle_records(now: datetime) -> QuerySet[Match]:
    """Matches whose table is gone, and to whose records the links have run out."""
    return Match.objects.filter(
        ended__lt=now - timedelta(days=setting("TABLES_RECORD_DAYS")), table=None, sitting=None
    )


def _records(now: datetime, dry: bool) -> int:
    old = list(idle_records(now).values_list("pk", flat=True))
    if not dry:
        matches.erase(old)
    return len(old)


def _tables(now: datetime, dry: bool) -> int:
    before = now - timedelta(days=setting("TABLES_KEEP_TABLES"))
    idle = idle_tables(before)
    if dry:
        return idle.count()
    return sum(_erase(pk, before) for pk in list(idle.values_list("pk", flat=True)))


@transaction.atomic
def _erase(pk: int, before: datetime) -> bool:
    """Erase a table with its matches, unless somebody has come meanwhile. A match to whose record
    links may still lead is kept without the table."""
    table = Table.objects.filter(pk=pk).first()
    if table is None or not matches.touch(table.match_id, Q()):
        return False
    if not idle_tables(before).filter(pk=pk, match=table.match_id).exists():
        return False
    played = {table.match_id, *Sitting.objects.filter(table=pk).values_list("match", flat=True)}
    table.delete()
    shared = timezone.now() - timedelta(days=setting("TABLES_RECORD_DAYS"))
    kept = Match.objects.filter(pk__in=played, ended__gte=shared, deals__isnull=False)
    matches.erase(played.difference(kept.values_list("pk", flat=True)))
    transaction.on_commit(lambda: live.ring(table.code))
    return True


def _lines(now: datetime, dry: bool) -> int:
    """Chat whose match is over long enough. Said before the table's newest match was opened it
    belongs to an earlier one, all of which are over."""
    before = now - timedelta(hours=setting("TABLES_KEEP_CHAT"))
    over = Q(table__match__status=Match.Status.OVER)
    ended = over & (Q(table__match__ended__lt=before) | Q(table__match__ended=None))
    earlier = Q(created__lt=F("table__match__opened"), table__match__opened__lt=before)
    waiting = Report.objects.filter(table=OuterRef("table"), resolved=None)
    old = Line.objects.filter(ended | earlier, created__lt=before).exclude(Exists(waiting))
    return _delete(old, dry)


def _addresses(now: datetime, dry: bool) -> int:
    before = now - timedelta(hours=setting("TABLES_KEEP_ADDRESSES"))
    banned = Ban.objects.filter(mark=OuterRef("address"), until__gt=now)
    old = Trace.objects.filter(seen__lt=before).exclude(address="").exclude(Exists(banned))
    return old.count() if dry else old.update(address="")


def _presences(now: datetime, dry: bool) -> int:
    """What processes of before have left behind; the newest row of each seat tells since when it
    is away."""
    newer = Presence.objects.filter(seat=OuterRef("seat"), seen__gt=OuterRef("seen"))
    return _delete(Presence.objects.filter(Exists(newer), seen__lt=now - DAY), dry)


def _bans(now: datetime, dry: bool) -> int:
    return _delete(Ban.objects.filter(until__lt=now), dry)


def _reports(now: datetime, dry: bool) -> int:
    before = now - timedelta(days=setting("TABLES_KEEP_REPORTS"))
    return _delete(Report.objects.filter(resolved__lt=before), dry)


def _sessions(now: datetime, dry: bool) -> int:
    if "sessions.backends.db" not in settings.SESSION_ENGINE:
        return 0  # kept elsewhere, and forgotten there
    old = Session.objects.filter(expire_date__lt=now).count()
    if not dry:
        import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return old


def _delete(
    rows: QuerySet[Line] | QuerySet[Presence] | QuerySet[Ban] | QuerySet[Report], dry: bool
) -> int:
    return rows.count() if dry else rows.delete()[0]
