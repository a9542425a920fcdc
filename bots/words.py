"""Words of the computer table: who sits there, and what only it refuses."""

from django.utils.translation import gettext_lazy as _

REFUSALS = {
    "your-turn": _("It is your turn."),
    "not-your-turn": _("It is not your turn."),
    "ticket-broken": _("This match cannot be read any more. Please start a new one."),
    "request": _("The server did not understand this page. Please reload it."),
}

NAMES = {
    2: (_("North"),),
    3: (_("West"), _("East")),
    4: (_("West"), _("North"), _("East")),
}
"""The computers clockwise from the person, by number of seats."""
