"""One mail a day about what waits, and nothing of what was said in it."""

from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command

from tables import lobby
from tables.models import Report
from tables.tests.seats import BROWSERS, full_table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _to(settings: Any) -> None:
    settings.MODERATION_MAIL = ["moderators@example.org"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def test_what_waits_is_mailed_without_what_was_said(settings: Any) -> None:
    table = full_table()
    table.say(1, "Terrible words")
    lobby.report(table.code, BROWSERS[0], 1, 1, "insult", "So rude")
    lobby.report(table.code, BROWSERS[2], 3, None, "spam", "")
    call_command("report_mail")
    (sent,) = mail.outbox
    assert sent.to == ["moderators@example.org"]
    assert "2 reports are waiting" in sent.subject
    assert "1 × Insults" in sent.body
    assert f"{settings.ORIGINS[0]}/admin/tables/report/" in sent.body
    assert not any(word in sent.body for word in ("Terrible", "rude", "Väinö", table.code))


def test_a_site_without_admin_mails_too(settings: Any) -> None:
    settings.ROOT_URLCONF = "tables.urls"
    lobby.report(full_table().code, BROWSERS[0], 1, None, "insult", "")
    call_command("report_mail")
    assert "1 × Insults" in mail.outbox[0].body


def test_nothing_is_mailed_when_nothing_waits_or_nobody_is_named(settings: Any) -> None:
    call_command("report_mail")
    table = full_table()
    lobby.report(table.code, BROWSERS[0], 1, None, "insult", "")
    settings.MODERATION_MAIL = []
    call_command("report_mail")
    settings.MODERATION_MAIL = ["moderators@example.org"]
    Report.objects.get()
    lobby.resolve_report(Report.objects.get().pk, "me", "done")
    call_command("report_mail")
    assert not mail.outbox
