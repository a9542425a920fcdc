"""Notices in Django's admin, for whoever runs the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from notices.models import LARGEST, Notice, kind_of

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Notice]
    FormBase = forms.ModelForm[Notice]
else:
    Base = admin.ModelAdmin
    FormBase = forms.ModelForm


class NoticeForm(FormBase):
    """A notice; its picture comes as a file and is kept beside it."""

    upload = forms.FileField(
        label=_("Picture"),
        required=False,
        help_text=_("PNG, JPEG or WebP, 200 kB at most. It is served by this site."),
    )
    without = forms.BooleanField(label=_("Take the picture away"), required=False)

    class Meta:
        model = Notice
        fields = ("text", "link", "paid", "picture_words", "language", "since", "until")

    def clean_upload(self) -> bytes | None:
        file = self.cleaned_data["upload"]
        if not file:
            return None
        content: bytes = file.read(LARGEST + 1)
        if len(content) > LARGEST or kind_of(content) is None:
            raise forms.ValidationError(_("PNG, JPEG or WebP, 200 kB at most."))
        return content

    def clean(self) -> dict[str, Any] | None:
        # Before the model's own look, which wants words for a picture.
        if self.cleaned_data.get("without"):
            self.instance.picture = b""
        elif self.cleaned_data.get("upload"):
            self.instance.picture = self.cleaned_data["upload"]
        return super().clean()


@admin.register(Notice)
class NoticeAdmin(Base):
    """What is shown when."""

    form = NoticeForm
    list_display = ("text", "paid", "language", "since", "until")
    search_fields = ("text",)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return False
