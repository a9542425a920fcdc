"""Why a table refuses, in words. The one list of these codes: the page gets it from here."""

from functools import cache

from django.conf import settings
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

REFUSALS = {
    "not-your-turn": _("It is not your turn."),
    "stale": _("The table has moved on. This is how it stands now."),
    "request": _("The server did not understand this page. Please reload it."),
    "too-fast": _("That was too fast. Please wait a moment."),
    "fault": _("Something broke on our side. Please try again."),
    "gone": _("This table is gone."),
    "newer": _("The site is just being renewed. Please try again in a minute."),
    "over": _("The match at this table is over."),
    "taken": _("This seat is taken."),
    "renewed": _("This invite has been replaced by a newer one. Ask the host for it."),
    "seated": _("You already have a seat at this table."),
    "name": _("Somebody at this table has a name that looks the same. Please choose another."),
    "not-host": _("Only the host can do that."),
    "host-seat": _("The host's own seat cannot be freed."),
    "started": _("The match has begun: seats stay as they are."),
    "not-seated": _("You do not have a seat at this table."),
    "changed": _("The table has changed meanwhile. Look, and do it again if you still want to."),
    "moved": _("This seat is held by another browser now."),
    "returned": _("This return link has been used, or its table is gone."),
    "empty": _("There is nothing to say in that."),
    "too-long": _("A line has %(most)s characters at most."),
    "chat-too-fast": _("You are writing very fast. Wait a few seconds and send it again."),
    "no-record": _("There is no such record."),
    "running": _("The record of a match opens when the match has ended."),
    "no-cards": _("No cards were dealt in this match: it has no record."),
    "expired": _("This link to a record has run out."),
    "present": _("That person is here: the seat stays with them."),
    "voice-off": _("Voice is switched off at this table."),
    "not-in-call": _("That person is not in the call any more."),
    "muted": _("A moderator has muted you: you cannot write or rename yourself here."),
    "closed": _("A moderator has closed this table."),
    "banned": _("A moderator has shut you out for some time. You cannot sit down until then."),
    "too-many": _("You have reported a lot already. The moderators will look at it."),
    "forgotten": _("It is not known any more by what this seat could be banned."),
    "two-seats": _("At a table of two nobody else can give a seat away."),
}


@cache
def unnamed() -> tuple[str, ...]:
    """What seats without a name are called in any of the site's languages: nobody's name."""
    found = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            found += [gettext("Host"), gettext("You"), gettext("Empty seat")]
            found += [gettext("Guest %(number)s") % {"number": number} for number in range(1, 8)]
    return tuple(found)
