"""What moderators fill in: an act, whom or what it is about, and always a reason."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from tables.people import LINE_LENGTH, NAME_LENGTH

DAYS = [(1, _("a day")), (7, _("a week")), (30, _("a month")), (365, _("a year"))]


class ActForm(forms.Form):
    """An act with its reason, which is kept in the log and shown to nobody else."""

    reason = forms.CharField(
        label=_("Reason, for the log"), max_length=200, widget=forms.TextInput(attrs={"size": 60})
    )


class SeatForm(ActForm):
    """About a seat."""

    seat = forms.IntegerField(min_value=0, max_value=99, widget=forms.HiddenInput)


class LineForm(ActForm):
    """About a line of chat."""

    line = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class CloseForm(ActForm):
    """Close the table."""

    words = forms.CharField(
        label=_("To the people at the table, if you like"),
        max_length=LINE_LENGTH,
        required=False,
        widget=forms.TextInput(attrs={"size": 60}),
    )


class RenameForm(SeatForm):
    """Another name for a seat."""

    name = forms.CharField(label=_("New name"), max_length=NAME_LENGTH, required=False)


class BanForm(ActForm):
    """For how long."""

    days = forms.TypedChoiceField(label=_("For"), choices=DAYS, coerce=int, initial=7)


class SeatBanForm(SeatForm, BanForm):
    """Who holds a seat, for how long."""


class ResolveForm(ActForm):
    """What was done about a report."""
