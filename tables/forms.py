"""What people fill in at tables."""

from django import forms
from django.utils.translation import gettext_lazy as _

from game.forms import ChoiceForm
from tables.people import NAME_LENGTH


def name_field() -> forms.CharField:
    """Your name: never required."""
    return forms.CharField(
        label=_("Your name"),
        required=False,
        max_length=NAME_LENGTH,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "nickname",
                "class": "kp-input",
                "data-remember": "name",
                "spellcheck": "false",
            }
        ),
    )


class NameForm(forms.Form):
    """Sit down."""

    name = name_field()


class OpenForm(ChoiceForm):
    """Open a table."""

    name = name_field()
    voice = forms.BooleanField(
        label=_("Voice at the table"),
        required=False,
        help_text=_("Everybody may then talk as well as write. You can switch it off later."),
    )
