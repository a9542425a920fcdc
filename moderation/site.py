"""The admin site of moderators: logins that do not last, and a second factor if the site wants."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tables.models import Report


def _base() -> Any:
    if getattr(settings, "MODERATION_SECOND_FACTOR", False):
        from django_otp.admin import OTPAdminSite

        return OTPAdminSite
    return AdminSite


Base: Any = _base()


class Site(Base):
    """Django's admin. Reports that wait are counted beside their name, on every page."""

    site_title = _("Korttipöytä")
    site_header = _("Korttipöytä: for moderators")
    index_title = _("What there is to look after")

    def has_permission(self, request: HttpRequest) -> bool:
        """As Django's, for some hours after logging in: a browser's session lasts half a year."""
        last: Any = getattr(request.user, "last_login", None)
        hours = getattr(settings, "MODERATION_HOURS", 12)
        fresh = last is not None and last > timezone.now() - timedelta(hours=hours)
        return fresh and bool(super().has_permission(request))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        apps = super().get_app_list(request, app_label)
        for model in (model for app in apps for model in app["models"]):
            if model["model"] is Report and (
                waiting := Report.objects.filter(resolved=None).count()
            ):
                model["name"] = f"{model['name']} ({waiting})"
        return apps
