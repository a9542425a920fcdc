"""Tables, seats, what is said at them. Written by `tables.lobby`, presence by `tables.presence`;
what is too old is erased by `tables.retention`."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from game.models import Match


class Table(models.Model):
    """Where friends sit. ``code`` is its public name in addresses; it opens nothing by itself.

    ``match`` is the one now played or last played: the row that every change here takes first.
    ``language`` is the one its host read when opening it: what guests read who ask for none.
    ``closed`` says since when a moderator has closed it: nothing more is said or played there.
    """

    code = models.CharField(max_length=16, unique=True)
    match = models.OneToOneField(Match, on_delete=models.PROTECT)
    voice = models.BooleanField(default=False)
    language = models.CharField(max_length=16, blank=True, default="")
    opened = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("moderate_table", "Can act on tables, seats and lines")]

    def __str__(self) -> str:
        return self.code


class Sitting(models.Model):
    """A match at a table: "again" adds one, and nothing of the earlier ones is lost."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="sittings")
    number = models.PositiveSmallIntegerField()
    match = models.OneToOneField(Match, on_delete=models.PROTECT)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="sitting_once_a_table", fields=["table", "number"]),
        ]

    def __str__(self) -> str:
        return f"sitting {self.number}"


class Seat(models.Model):
    """A place at a table. Seat 0 is the host's.

    ``holder`` is a keyed hash of the browser that holds it (empty: nobody does), ``turnover`` how
    often it has changed hands: raising it makes invites and holders of before worthless. ``person``
    is the how-manieth person it has, which a return link does not change. ``agrees`` is what its
    holder says yes to (`tables.lobby.agree`), ``pause`` that he is back in a minute.
    By moderators: ``muted`` says nothing and keeps its name, ``banned`` until then opens no table.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=24, blank=True)
    holder = models.CharField(max_length=64, blank=True)
    turnover = models.PositiveIntegerField(default=0)
    person = models.PositiveIntegerField(default=0)
    agrees = models.CharField(max_length=16, blank=True)
    pause = models.BooleanField(default=False)
    muted = models.BooleanField(default=False)
    banned = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="seat_once_a_table", fields=["table", "index"]),
            models.CheckConstraint(name="seat_named_is_held", condition=Q(name="") | ~Q(holder="")),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} seat {self.index}"


class Presence(models.Model):
    """A seat's sockets in one process: whether it has any, and when that was last so. ``call`` is
    what a page there calls its part in the voice call; empty while none takes part."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="presences")
    process = models.CharField(max_length=32)
    live = models.BooleanField()
    seen = models.DateTimeField()
    call = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(name="presence_once_a_process", fields=["seat", "process"]),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id} in {self.process}"


class Line(models.Model):
    """A line of chat: what somebody said, or a notice of what happened (``kind``, ``facts``).

    ``number`` is its place among the table's lines, ``changed`` the number of its last change;
    ``name`` its speaker's as it stood; ``client`` what the speaker's page calls it.
    """

    SAID = "said"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveBigIntegerField()
    changed = models.PositiveBigIntegerField()
    seat = models.PositiveSmallIntegerField()
    person = models.PositiveIntegerField(default=0)
    name = models.CharField(max_length=24, blank=True)
    kind = models.CharField(max_length=16, default=SAID)
    text = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(default=dict)
    client = models.CharField(max_length=40)
    hidden = models.BooleanField(default=False)
    created = models.DateTimeField(db_default=Now())  # clocks of processes may differ

    class Meta:
        constraints = [
            models.UniqueConstraint(name="line_once_a_number", fields=["table", "number"]),
            models.UniqueConstraint(name="line_once_a_client", fields=["table", "seat", "client"]),
        ]
        indexes = [models.Index(name="line_changed", fields=["table", "changed"])]

    def __str__(self) -> str:
        return f"line {self.number}"


# ---- for moderators ------------------------------------------------------------------------------


class Trace(models.Model):
    """By what a seat's browser could be banned: keyed hashes (`tables.marks`) of its token and of
    the address it sat down from. `prune` erases the address after a day."""

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="trace")
    browser = models.CharField(max_length=64, db_index=True)
    address = models.CharField(max_length=64, blank=True, db_index=True)
    seen = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"trace of {self.seat_id}"


class Ban(models.Model):
    """A browser or an address that sits down nowhere until a moment."""

    class Kind(models.TextChoices):
        BROWSER = "browser", _("a browser")
        ADDRESS = "address", _("an address")

    kind = models.CharField(_("what"), max_length=8, choices=Kind)
    mark = models.CharField(max_length=64, db_index=True)
    whom = models.CharField(_("who it was"), max_length=64, blank=True)
    reason = models.CharField(_("why"), max_length=200)
    made = models.DateTimeField(pgettext_lazy("a ban", "made"), auto_now_add=True)
    until = models.DateTimeField(_("until"))

    class Meta:
        default_permissions = ("view", "change")
        verbose_name = _("ban")
        verbose_name_plural = _("bans")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.whom})"


class Report(models.Model):
    """What a seat tells the moderators of a line or a person.

    ``lines`` keeps what stood around as it was, whatever becomes of the table; ``browser`` is the
    mark of the seat it is about.
    """

    class Reason(models.TextChoices):
        INSULT = "insult", _("Insults or threatens somebody")
        HATE = "hate", _("Hatred against a group of people")
        SEXUAL = "sexual", _("Sexual or disgusting")
        SPAM = "spam", _("Advertising, or the same again and again")
        UNFAIR = "unfair", _("Spoils the match on purpose")
        OTHER = "other", _("Something else")

    table = models.ForeignKey(Table, null=True, on_delete=models.SET_NULL, related_name="reports")
    code = models.CharField(_("table"), max_length=16)
    by = models.PositiveSmallIntegerField()
    by_name = models.CharField(pgettext_lazy("who reports", "from"), max_length=24, blank=True)
    seat = models.PositiveSmallIntegerField()
    name = models.CharField(_("about"), max_length=24, blank=True)
    browser = models.CharField(max_length=64, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    reason = models.CharField(_("reason"), max_length=8, choices=Reason)
    words = models.CharField(_("in their words"), max_length=300, blank=True)
    lines = models.JSONField(default=list)
    made = models.DateTimeField(pgettext_lazy("a report", "made"), auto_now_add=True)
    resolved = models.DateTimeField(_("resolved"), null=True)
    resolved_by = models.CharField(_("resolved by"), max_length=150, blank=True)
    resolution = models.CharField(_("what was done"), max_length=300, blank=True)

    class Meta:
        default_permissions = ("view", "change")
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        indexes = [models.Index(name="report_queue", fields=["resolved", "made"])]

    def __str__(self) -> str:
        return f"report {self.pk}"
