"""The moderators' part of a site, which may do without it.

``moderation`` has the pages; ``moderation.apps.SiteConfig`` stands in for ``django.contrib.admin``
where the site has no admin of its own.
"""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.utils.translation import gettext_lazy as _


class ModerationConfig(AppConfig):
    name = "moderation"
    verbose_name = _("Moderation")
    default = True


class SiteConfig(admin_apps.AdminConfig):
    default_site = "moderation.site.Site"
    default = False
