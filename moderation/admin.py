"""Tables, reports and bans in Django's admin.

Nothing is edited here as a row. A moderator acts; each act is one call of `tables.lobby`, in one
transaction with its entry in Django's log. Lists allow the lookups they name and no others: a free
one would reach, through relations, what lies in a pack.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from game import archive, records
from game.engine.registry import newest
from game.models import Match
from moderation import forms
from tables import lobby
from tables.models import Ban, Line, Presence, Report, Seat, Table
from tables.reading import HOST
from tables.words import REFUSALS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Promise

    TableBase = admin.ModelAdmin[Table]
    ReportBase = admin.ModelAdmin[Report]
    BanBase = admin.ModelAdmin[Ban]
else:
    TableBase = ReportBase = BanBase = admin.ModelAdmin


CHAT = 200
"""Lines of chat on one page: somebody may have said thousands to keep moderators from reading."""


@dataclass(frozen=True)
class Act:
    """Something a moderator can do: its words, its form, and the call that does it."""

    label: Promise
    form: type[forms.ActForm]
    do: Callable[[HttpRequest, Any, dict[str, Any]], object]


class Acting:
    """A page of one row at which one acts, and a list that is asked only what it names."""

    acts: dict[str, Act] = {}
    may_act = ""
    lookups: frozenset[str] = frozenset()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in self.lookups

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def allows_acts(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(self.may_act))

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"  # type: ignore[attr-defined]
        view = self.admin_site.admin_view(self.act)  # type: ignore[attr-defined]
        urls: list[URLPattern] = super().get_urls()  # type: ignore[misc]
        return [path("<int:pk>/act/<slug:act>/", view, name=name), *urls]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        row = self.get_object(request, object_id)  # type: ignore[attr-defined]
        may = self.allows_acts(request)
        words = self.page(request, row, may) if row else {}
        context = {"row": row, "may_act": may, "words": words}
        context |= {"title": str(row), "subtitle": None} if row else {}
        answer: HttpResponse = super().change_view(  # type: ignore[misc]
            request, object_id, form_url, context | (extra_context or {})
        )
        return answer

    def page(self, request: HttpRequest, row: Any, may_act: bool) -> dict[str, Any]:
        """What the page of a row shows beside its fields."""
        return {}

    def form_of(self, row: Any, act: str, **initial: Any) -> dict[str, Any]:
        """An act's form as a page shows it."""
        ids = "-".join([act, *map(str, initial.values())])
        form = self.acts[act].form(initial=initial, auto_id=f"{ids}-%s", label_suffix="")
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_act"  # type: ignore[attr-defined]
        return {
            "label": self.acts[act].label,
            "form": form,
            "to": reverse(name, args=[row.pk, act]),
        }

    def act(self, request: HttpRequest, pk: int, act: str) -> HttpResponse:
        """Do it and log it, or say why not; then the page again."""
        opts = self.opts  # type: ignore[attr-defined]
        if not self.allows_acts(request):
            raise PermissionDenied
        row = self.get_object(request, str(pk))  # type: ignore[attr-defined]
        known = self.acts.get(act)
        if row is None or known is None or request.method != "POST":
            raise Http404
        form = known.form(request.POST)
        back = HttpResponseRedirect(
            reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[pk])
        )
        if not form.is_valid():
            told = [str(error) for errors in form.errors.values() for error in errors]
            messages.error(request, f"{known.label}: {' '.join(told)}")
            return back
        try:
            with transaction.atomic():
                known.do(request, row, form.cleaned_data)
                self.log_change(request, row, _logged(known, form.cleaned_data))  # type: ignore[attr-defined]
        except lobby.Refused as refused:
            messages.error(request, f"{known.label}: {REFUSALS[refused.code]}")
        else:
            messages.success(request, _("Done: %(act)s.") % {"act": known.label})
        return back


def _logged(act: Act, asked: dict[str, Any]) -> str:
    """The log's words. What was said at the table does not go there."""
    about = [f"{name} {asked[name]}" for name in ("seat", "line", "name", "days") if name in asked]
    return f"{' · '.join([str(act.label), *about])}: {asked['reason']}"


NOTICES = {
    "taken": _("has sat down"),
    "conceded": _("owns up to signalling for their side"),
    "closed": _("A moderator has closed this table. %(words)s"),
    "muted": _("muted by a moderator"),
    "unmuted": _("may write again"),
    "renamed": _("renamed by a moderator"),
    "reissued": _("the seat was given up"),
}
"""What lines tell that nobody has said."""


def _said(line: dict[str, Any]) -> dict[str, Any]:
    """A line as pages show it, from one as a report keeps it."""
    words = NOTICES.get(line["kind"])
    facts = {"words": "", **line.get("facts", {})}
    return {
        "number": line["n"],
        "name": line["name"] or str(_("seat %(number)s") % {"number": line["seat"]}),
        "at": _moment(datetime.fromisoformat(line["at"])),
        "notice": line["kind"] != Line.SAID,
        "text": str(words) % facts if words else line["text"] or line["kind"],
    }


def _moment(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")


def _until(asked: dict[str, Any]) -> Any:
    return timezone.now() + timedelta(days=asked["days"])


# ---- tables --------------------------------------------------------------------------------------


class StateFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            (Match.Status.WAITING, _("waiting for guests")),
            (Match.Status.PLAYING, _("playing")),
            (Match.Status.OVER, _("over")),
            ("closed", _("closed by a moderator")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "closed":
            return queryset.filter(closed__isnull=False)
        if self.value() in Match.Status.values:
            return queryset.filter(match__status=self.value())
        return queryset


class ReportedFilter(admin.SimpleListFilter):
    title = _("reports")
    parameter_name = "reported"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("open", _("waiting")), ("any", _("any"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "open":
            return queryset.filter(reports__in=Report.objects.filter(resolved=None)).distinct()
        if self.value() == "any":
            return queryset.filter(reports__isnull=False).distinct()
        return queryset


def _latest(rows: QuerySet[Any], field: str) -> Subquery:
    return Subquery(rows.order_by().values("table").annotate(top=Max(field)).values("top"))


@admin.register(Table)
class TableAdmin(Acting, TableBase):
    """Tables: who sits there, what was said, how its matches ended. No card of a running match."""

    list_display = ("code", "game", "state", "people", "waiting_reports", "lines", "active")
    list_filter = (StateFilter, ReportedFilter)
    search_fields = ("code", "seats__name")
    ordering = ("-pk",)
    list_per_page = 50
    list_select_related = ("match",)
    show_full_result_count = False
    fields = readonly_fields = ("code", "game", "state", "opened", "active")
    change_form_template = "korttipoyta/moderation/table.html"
    lookups = frozenset({"state", "reported"})
    may_act = "tables.moderate_table"
    acts = {
        "close": Act(
            _("Close the table"),
            forms.CloseForm,
            lambda request, row, asked: lobby.close_table(row.code, asked["words"]),
        ),
        "hide": Act(
            _("Hide the line"),
            forms.LineForm,
            lambda request, row, asked: lobby.hide_line(row.code, asked["line"], True),
        ),
        "restore": Act(
            _("Show the line again"),
            forms.LineForm,
            lambda request, row, asked: lobby.hide_line(row.code, asked["line"], False),
        ),
        "rename": Act(
            _("Rename the seat"),
            forms.RenameForm,
            lambda request, row, asked: lobby.rename_seat(row.code, asked["seat"], asked["name"]),
        ),
        "mute": Act(
            _("Mute the seat"),
            forms.SeatForm,
            lambda request, row, asked: lobby.mute_seat(row.code, asked["seat"], True),
        ),
        "unmute": Act(
            _("Let the seat write again"),
            forms.SeatForm,
            lambda request, row, asked: lobby.mute_seat(row.code, asked["seat"], False),
        ),
        "ban-browser": Act(
            _("Ban this browser"),
            forms.SeatBanForm,
            lambda request, row, asked: _ban(row, Ban.Kind.BROWSER, asked),
        ),
        "ban-address": Act(
            _("Ban this address, which others may share"),
            forms.SeatBanForm,
            lambda request, row, asked: _ban(row, Ban.Kind.ADDRESS, asked),
        ),
    }

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.record)
        record = path("<int:pk>/record/<int:number>/", view, name="tables_table_record")
        return [record, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        mine = Q(table=OuterRef("pk"))
        presences = Presence.objects.filter(seat__table=OuterRef("pk")).order_by()
        seen = presences.values("seat__table").annotate(top=Max("seen")).values("top")
        lines = Line.objects.filter(mine).order_by().values("table")
        reports = Report.objects.filter(mine, resolved=None).order_by().values("table")
        return (
            super()
            .get_queryset(request)
            .annotate(
                _said=_latest(Line.objects.filter(mine), "created"),
                _seen=Subquery(seen),
                _lines=Subquery(lines.annotate(count=Count("pk")).values("count")),
                _reports=Subquery(reports.annotate(count=Count("pk")).values("count")),
            )
            .prefetch_related("seats")
        )

    @admin.display(description=_("table"), ordering="pk")
    def code(self, table: Table) -> str:
        return table.code

    @admin.display(description=_("game"))
    def game(self, table: Table) -> str:
        known = newest().get(table.match.game)
        return str(known.title) if known else table.match.game

    @admin.display(description=_("state"))
    def state(self, table: Table) -> str:
        if table.closed:
            return str(_("closed by a moderator"))
        names = {
            Match.Status.WAITING: _("waiting for guests"),
            Match.Status.PLAYING: _("playing"),
            Match.Status.OVER: _("over"),
        }
        return str(names[Match.Status(table.match.status)])

    @admin.display(description=_("seats"))
    def people(self, table: Table) -> str:
        return ", ".join(_called(seat) for seat in _in_order(table) if seat.holder)

    @admin.display(description=_("last activity"))
    def active(self, table: Any) -> str:
        known = [table.opened, table.match.opened, table.match.ended, table._said, table._seen]
        return _moment(max(moment for moment in known if moment))

    @admin.display(description=_("lines"))
    def lines(self, table: Any) -> int:
        return table._lines or 0

    @admin.display(description=_("reports"))
    def waiting_reports(self, table: Any) -> int:
        return table._reports or 0

    def page(self, request: HttpRequest, row: Table, may_act: bool) -> dict[str, Any]:
        asked = request.GET.get("before", "")
        before = int(asked) if asked.isdecimal() and len(asked) < 16 else None
        older = row.lines.filter(number__lt=before) if before is not None else row.lines.all()
        lines = list(older.order_by("-number")[: CHAT + 1])
        return {
            "seats": [self._seat(row, seat, may_act) for seat in _in_order(row)],
            "lines": [self._line(row, line, may_act) for line in reversed(lines[:CHAT])],
            "earlier": lines[CHAT - 1].number if len(lines) > CHAT else None,
            "later": before is not None,
            "matches": [
                self._match(row, sitting)
                for sitting in row.sittings.select_related("match").order_by("number")
            ],
            "reports": row.reports.order_by("-pk"),
            "close": self.form_of(row, "close") if may_act and not row.closed else None,
        }

    def _seat(self, table: Table, seat: Seat, may_act: bool) -> dict[str, Any]:
        acts = []
        if may_act and seat.holder:
            trace = getattr(seat, "trace", None)
            acts = ["rename", "unmute" if seat.muted else "mute"]
            acts += ["ban-browser"] if trace else []
            acts += ["ban-address"] if trace and trace.address else []
        return {
            "seat": seat,
            "called": _called(seat),
            "here": seat.presences.aggregate(seen=Max("seen"))["seen"],
            "banned": seat.banned if seat.banned and seat.banned > timezone.now() else None,
            "acts": [self.form_of(table, act, seat=seat.index) for act in acts],
        }

    def _line(self, table: Table, line: Line, may_act: bool) -> dict[str, Any]:
        act = "restore" if line.hidden else "hide"
        may = may_act and line.kind == Line.SAID
        form = self.form_of(table, act, line=line.number) if may else None
        kept = lobby.evidence(line) | {"facts": line.facts}
        return {**_said(kept), "hidden": line.hidden, "act": form}

    def _match(self, table: Table, sitting: Any) -> dict[str, Any]:
        over = sitting.match.status == Match.Status.OVER
        outcome: dict[str, Any] = sitting.match.outcome or {}
        args = [table.pk, sitting.number]
        game = newest().get(sitting.match.game)
        sides = game.sides if game else 0
        return {
            "number": sitting.number,
            "opened": sitting.match.opened,
            "ended": sitting.match.ended,
            "result": _result(outcome, bool(sides)) if over else None,
            "record": reverse("admin:tables_table_record", args=args) if over else None,
        }

    def record(self, request: HttpRequest, pk: int, number: int) -> HttpResponse:
        """The record of a match, once it is over: until then its cards are nobody's here."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        table = self.get_object(request, str(pk))
        sitting = table.sittings.filter(number=number).first() if table else None
        if table is None or sitting is None:
            raise Http404
        try:
            kept = archive.export(sitting.match_id)
        except archive.NoRecord as none:
            raise Http404 from none
        answer = HttpResponse(records.dumps(kept.record) + "\n", content_type="application/json")
        name = f"{table.code}-{number}.json"
        answer["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer


def _ban(table: Table, kind: Ban.Kind, asked: dict[str, Any]) -> None:
    lobby.ban_seat(table.code, asked["seat"], kind, _until(asked), asked["reason"])


def _in_order(table: Table) -> list[Seat]:
    return sorted(table.seats.all(), key=lambda seat: seat.index)


def _called(seat: Seat) -> str:
    if seat.name or not seat.holder:
        return seat.name or str(_("Empty seat"))
    if seat.index == HOST:
        return str(_("Host"))
    return str(_("Guest %(number)s") % {"number": seat.index})


def _result(outcome: dict[str, Any], sides: bool) -> str:
    """How a match ended, in words."""
    score = outcome.get("score")
    points = f" ({'–'.join(map(str, score))})" if score else ""
    reasons = {
        "left": _("draw: somebody left"),
        "closed": _("draw: closed by a moderator"),
        "host": _("closed by its host before the first deal"),
        "moderator": _("closed by a moderator before the first deal"),
    }
    words = reasons.get(str(outcome.get("reason")))
    if words is None and outcome.get("outcome") == "win":
        number = {"number": int(outcome.get("winner", 0)) + 1}
        who = _("won by side %(number)s") if sides else _("won by place %(number)s")
        return str(who % number) + points
    return f"{words or json.dumps(outcome)}{points}"


# ---- reports -------------------------------------------------------------------------------------


class ResolvedFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("open", _("waiting")), ("resolved", _("resolved"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in ("open", "resolved"):
            return queryset.filter(resolved__isnull=self.value() == "open")
        return queryset


class ReasonFilter(admin.SimpleListFilter):
    title = _("reason")
    parameter_name = "why"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(Report.Reason.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(reason=self.value()) if self.value() else queryset


@admin.register(Report)
class ReportAdmin(Acting, ReportBase):
    """What people at tables have reported; the waiting ones first."""

    list_display = ("number", "about", "reason", "made", "resolved", "resolved_by", "code")
    list_filter = (ResolvedFilter, ReasonFilter)
    search_fields = ("code", "name", "by_name")
    ordering = ("-resolved", "pk")
    list_per_page = 50
    show_full_result_count = False
    fields = readonly_fields = (
        *("made", "code", "about", "reason", "words", "reporter"),
        *("resolved", "resolved_by", "resolution"),
    )
    change_form_template = "korttipoyta/moderation/report.html"
    lookups = frozenset({"state", "why"})
    may_act = "tables.change_report"
    acts = {
        "resolve": Act(
            _("Resolve the report"),
            forms.ResolveForm,
            lambda request, row, asked: lobby.resolve_report(
                row.pk, request.user.get_username(), asked["reason"]
            ),
        ),
        "ban-browser": Act(
            _("Ban the browser it is about"),
            forms.BanForm,
            lambda request, row, asked: lobby.ban(
                Ban.Kind.BROWSER, row.browser, row.name, _until(asked), asked["reason"]
            ),
        ),
    }

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        return [F("resolved").desc(nulls_first=True), "pk"]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        waiting = Report.objects.filter(resolved=None).count()
        title = _("Reports: %(count)s waiting") % {"count": waiting}
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    @admin.display(description=_("report"), ordering="pk")
    def number(self, report: Report) -> str:
        return str(report.pk)

    @admin.display(description=_("about"))
    def about(self, report: Report) -> str:
        what = _("a line by %(name)s") if report.line is not None else _("the person %(name)s")
        return what % {"name": report.name or _("seat %(number)s") % {"number": report.seat}}

    @admin.display(description=pgettext_lazy("who reports", "from"))
    def reporter(self, report: Report) -> str:
        return report.by_name or str(_("seat %(number)s") % {"number": report.by})

    def page(self, request: HttpRequest, row: Report, may_act: bool) -> dict[str, Any]:
        acts = [] if row.resolved or not may_act else ["resolve"]
        acts += ["ban-browser"] if may_act and row.browser else []
        lines = [_said(line) for line in row.lines]
        return {"lines": lines, "acts": [self.form_of(row, act) for act in acts]}


# ---- bans ----------------------------------------------------------------------------------------


@admin.register(Ban)
class BanAdmin(Acting, BanBase):
    """Who is shut out, until when. Made on the page of a table or a report."""

    list_display = ("kind", "whom", "reason", "made", "until")
    search_fields = ("whom", "reason")
    ordering = ("-until",)
    fields = readonly_fields = ("kind", "whom", "reason", "made", "until")
    change_form_template = "korttipoyta/moderation/ban.html"
    may_act = "tables.change_ban"
    acts = {
        "lift": Act(
            _("Lift the ban"),
            forms.ActForm,
            lambda request, row, asked: lobby.lift_ban(row.pk),
        )
    }

    def page(self, request: HttpRequest, row: Ban, may_act: bool) -> dict[str, Any]:
        running = row.until > timezone.now()
        return {"acts": [self.form_of(row, "lift")] if may_act and running else []}
