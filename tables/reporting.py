"""What reaches the moderators, and what anybody may read about what is kept."""

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from tables import ice, lobby, people
from tables.conf import setting
from tables.headers import private
from tables.limits import limited
from tables.models import Report
from tables.words import REFUSALS

DAY = 24 * 60 * 60


class ReportForm(forms.Form):
    """What is wrong with a line or a person."""

    seat = forms.IntegerField(min_value=0, max_value=99)
    line = forms.IntegerField(min_value=0, required=False)
    reason = forms.ChoiceField(choices=Report.Reason.choices)
    words = forms.CharField(max_length=people.LINE_LENGTH, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@private
def report(request: HttpRequest, code: str) -> HttpResponse:
    """Report a line or a person, from the table's page or by a plain form."""
    if request.method != "POST":
        return redirect("tables:table", code=code)
    form = ReportForm(request.POST)
    if not form.is_valid():
        return _answer(request, code, "request", 400)
    if limited(request, "report", setting("TABLES_REPORT_RATE")):
        return _answer(request, code, "too-fast", 429)
    asked = form.cleaned_data
    browser = people.browser_of(request.session) or ""
    try:
        lobby.report(code, browser, asked["seat"], asked["line"], asked["reason"], asked["words"])
    except lobby.Refused as refused:
        return _answer(request, code, refused.code, 403)
    return _answer(request, code, None, 200)


def _answer(request: HttpRequest, code: str, refusal: str | None, status: int) -> HttpResponse:
    """For the page's script, or as a page."""
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"refused": refusal}, status=status)
    words = REFUSALS[refusal] if refusal else None
    context = {"words": words, "code": code}
    return render(request, "korttipoyta/tables/reported.html", context, status=status)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What is kept of whom, and for how long."""
    names = ("TABLES", "CHAT", "ADDRESSES", "REPORTS")
    kept = {name.lower(): setting(f"TABLES_KEEP_{name}") for name in names}
    kept["records"] = setting("TABLES_RECORD_DAYS")
    context = {
        "kept": kept,
        "browser_days": people.AGE // DAY,
        "language_days": (settings.LANGUAGE_COOKIE_AGE or 0) // DAY,
        "relay": ice.relay(),
    }
    return render(request, "korttipoyta/privacy.html", context)
