"""Why a table refuses, in words. The one list of these codes: the page gets it from here."""

from django.utils.translation import gettext_lazy as _

REFUSALS = {
    "not-your-turn": _("It is not your turn."),
    "stale": _("The table has moved on. This is how it stands now."),
    "request": _("The server did not understand this page. Please reload it."),
    "too-fast": _("That was too fast. Please wait a moment."),
    "fault": _("Something broke on our side. Please try again."),
    "gone": _("This table is gone."),
    "over": _("The match at this table is over."),
    "taken": _("This seat is taken."),
    "renewed": _("This invite has been replaced by a newer one. Ask the host for it."),
    "seated": _("You already have a seat at this table."),
    "name": _("Somebody at this table has a name that looks the same. Please choose another."),
    "not-host": _("Only the host can do that."),
    "host-seat": _("The host's own seat cannot be freed."),
    "started": _("The match has begun: seats stay as they are."),
    "not-seated": _("You do not have a seat at this table."),
}
