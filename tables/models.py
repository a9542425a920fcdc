"""Tables, seats, what is said at them. Written by `tables.lobby`, presence by `tables.presence`."""

from django.db import models
from django.db.models import Q

from game.models import Match


class Table(models.Model):
    """Where friends sit. ``code`` is its public name in addresses; it opens nothing by itself.

    ``match`` is the one now played or last played: the row that every change here takes first.
    """

    code = models.CharField(max_length=16, unique=True)
    match = models.OneToOneField(Match, on_delete=models.PROTECT)
    voice = models.BooleanField(default=False)
    opened = models.DateTimeField(auto_now_add=True)

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
    often it has changed hands: raising it makes invites and holders of before worthless. ``agrees``
    is what its holder says yes to (`tables.lobby.agree`), ``pause`` that he is back in a minute.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=24, blank=True)
    holder = models.CharField(max_length=64, blank=True)
    turnover = models.PositiveIntegerField(default=0)
    agrees = models.CharField(max_length=16, blank=True)
    pause = models.BooleanField(default=False)

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
    name = models.CharField(max_length=24, blank=True)
    kind = models.CharField(max_length=16, default=SAID)
    text = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(default=dict)
    client = models.CharField(max_length=40)
    hidden = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="line_once_a_number", fields=["table", "number"]),
            models.UniqueConstraint(name="line_once_a_client", fields=["table", "seat", "client"]),
        ]
        indexes = [models.Index(name="line_changed", fields=["table", "changed"])]

    def __str__(self) -> str:
        return f"line {self.number}"
