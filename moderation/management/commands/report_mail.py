"""``report_mail``: one word to the moderators about reports that wait. Meant to run daily."""

from collections import Counter
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.core.management.base import BaseCommand
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from tables.models import Report


class Command(BaseCommand):
    help = "Mail the moderators (MODERATION_MAIL) how many reports wait; nothing when none does."

    def handle(self, *args: Any, **options: Any) -> None:
        waiting = list(Report.objects.filter(resolved=None).order_by("made"))
        to = getattr(settings, "MODERATION_MAIL", [])
        if not waiting or not to:
            self.stdout.write("Nothing to send." if to else "MODERATION_MAIL names nobody.")
            return
        with override(getattr(settings, "MODERATION_LANGUAGE", settings.LANGUAGE_CODE)):
            subject = self._send(waiting, to)
        self.stdout.write(subject)

    def _send(self, waiting: list[Report], to: list[str]) -> str:
        subject = ngettext(
            "%(count)s report is waiting", "%(count)s reports are waiting", len(waiting)
        ) % {"count": len(waiting)}
        day = date_format(timezone.localtime(waiting[0].made))
        # What was said stays where its readers log in.
        lines = [
            _("The oldest is of %(day)s.") % {"day": day},
            "",
            *(
                f"{count} × {Report.Reason(reason).label}"
                for reason, count in Counter(one.reason for one in waiting).most_common()
            ),
            "",
            self._address(),
        ]
        send_mail(f"Korttipöytä: {subject}", "\n".join(lines), None, to)
        return subject

    def _address(self) -> str:
        """Where they are read; empty where this site has no admin."""
        origins = getattr(settings, "ORIGINS", [])
        try:
            return (origins[0] if origins else "") + reverse("admin:tables_report_changelist")
        except NoReverseMatch:
            return ""
