"""What people choose before a match: how many play, and a game's options."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from game.engine.base import Illegal
from game.engine.registry import AnyGame
from game.words import OPTIONS, refusal

FEW = 4
"""Values that are shown side by side; more of them go into a list."""


class RadioSelect(forms.RadioSelect):
    """Radio buttons of which only the chosen one takes the focus when the page opens."""

    def create_option(self, *args: Any, **more: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(*args, **more)
        if not option["selected"]:
            option["attrs"].pop("autofocus", None)
        return option


class ChoiceForm(forms.Form):
    """One field for the number of seats, where there is a choice, and one for each option."""

    def __init__(
        self, game: AnyGame, data: Mapping[str, Any] | None = None, without: tuple[str, ...] = ()
    ) -> None:
        """``without`` are options that mean nothing where the form stands."""
        super().__init__(data, label_suffix="")
        self.game = game
        if len(game.seats) > 1:
            seats = [
                (n, ngettext("%(n)s player", "%(n)s players", n) % {"n": n}) for n in game.seats
            ]
            self._offer("seats", _("How many play"), seats, int)
        for name, values in game.options.items():
            if name in without:
                continue
            option = OPTIONS[name]
            words = [(one, _worded(*_texts(option.value(one)))) for one in _in_order(values)]
            known = {str(one): one for one in values}
            self._offer(name, option.label, words, known.__getitem__)
            self.fields[name].initial = values[0]

    def _offer(
        self, name: str, label: Any, values: list[tuple[Any, Any]], read: Callable[[str], Any]
    ) -> None:
        widget = RadioSelect() if len(values) <= FEW else forms.Select(attrs={"class": "kp-input"})
        self.fields[name] = forms.TypedChoiceField(
            choices=values,
            coerce=read,
            label=label,
            widget=widget,
            initial=values[-1][0] if name == "seats" else values[0][0],
        )

    def chosen(self) -> tuple[int, dict[str, str | int]]:
        """The seats and the options of a form that is valid."""
        data = self.cleaned_data
        seats = data.get("seats", self.game.seats[-1])
        return seats, {name: data[name] for name in self.game.options if name in self.fields}

    def choices(self) -> list[forms.BoundField]:
        """The fields of this form alone, for a template."""
        return [self[name] for name in ("seats", *self.game.options) if name in self.fields]

    def clean(self) -> dict[str, Any]:
        """Whether the game is played so at all: some options exclude each other."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors:
            try:
                self.game.open(*self.chosen(), dealer=0)
            except Illegal as illegal:
                wrong = illegal.facts.get("option")
                self.add_error(wrong if wrong in self.fields else None, refusal(illegal))
        self._lead_to_error()
        return data

    def _lead_to_error(self) -> None:
        """Let the page open at the first choice that was refused, and read out why."""
        for name in list(self.errors)[:1]:
            if name in self.fields:
                why = f"{self[name].auto_id}_error"
                self.fields[name].widget.attrs |= {"autofocus": True, "aria-describedby": why}


def _in_order(values: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Numbers by size; words as the game has them, the default first."""
    numbers = [one for one in values if isinstance(one, int)]
    return tuple(sorted(numbers)) if len(numbers) == len(values) else values


def _texts(value: Any) -> tuple[str, str]:
    return str(value.label), str(value.means)


def _worded(label: str, means: str) -> str:
    return format_html('{} <span class="kp-quiet">{}</span>', label, means) if means else label
