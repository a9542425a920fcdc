"""Notices and advertisements of the site's own on its public pages: text, a picture, a link."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

LARGEST = 200_000
"""Bytes of a picture: it stands beside text on a page that loads at once."""
KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
"""Pictures by how they begin. No SVG: that can hold a script."""


def kind_of(picture: bytes) -> str | None:
    """What kind of picture this is; None for anything we do not serve."""
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for begin, kind in KINDS.items() if picture.startswith(begin)), None)


def only_https(address: str) -> None:
    # To a browser "/\" is "//", which leads to another site.
    if not address.startswith(("https://", "/")) or address[:2] in ("//", "/\\"):
        raise ValidationError(_("An address of this site (/…) or one that begins with https://"))


class Notice(models.Model):
    """Shown from one moment to another, in one language or in all; the picture is ours to serve."""

    text = models.CharField(_("text"), max_length=200)
    link = models.CharField(_("link"), max_length=300, blank=True, validators=[only_https])
    paid = models.BooleanField(_("an advertisement"), default=False)
    picture = models.BinaryField(blank=True, default=bytes)
    picture_words = models.CharField(_("the picture in words"), max_length=200, blank=True)
    language = models.CharField(
        _("language"), max_length=10, blank=True, help_text=_("Empty for every language.")
    )
    since = models.DateTimeField(pgettext_lazy("from a moment on", "from"), default=timezone.now)
    until = models.DateTimeField(pgettext_lazy("up to a moment", "to"), null=True, blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        ordering = ("since", "pk")

    def __str__(self) -> str:
        return self.text[:40]

    def clean(self) -> None:
        if self.until and self.until <= self.since:
            raise ValidationError(_("It ends before it begins."))
        if self.language and self.language not in dict(settings.LANGUAGES):
            raise ValidationError(_("This site does not speak that language."))
        if self.picture and not self.picture_words:
            raise ValidationError(_("Say the picture in words, for those who do not see it."))

    @property
    def address(self) -> str:
        """Where the picture is; another when it changes, so that it may be kept for good."""
        if not self.picture:
            return ""
        name = hashlib.sha256(bytes(self.picture)).hexdigest()[:16]
        return reverse("notices:picture", args=[self.pk, name])


def shown(language: str) -> models.QuerySet[Notice]:
    """What is shown now to readers of a language."""
    now = timezone.now()
    running = Q(since__lte=now) & (Q(until=None) | Q(until__gt=now))
    return Notice.objects.filter(running, language__in=["", language])
