"""Tables and seats. Written by `tables.lobby` and nobody else."""

from django.db import models
from django.db.models import Q

from game.models import Match


class Table(models.Model):
    """Where friends sit. ``code`` is its public name in addresses; it opens nothing by itself."""

    code = models.CharField(max_length=16, unique=True)
    match = models.OneToOneField(Match, on_delete=models.PROTECT)
    voice = models.BooleanField(default=False)
    opened = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.code


class Seat(models.Model):
    """A place at a table. Seat 0 is the host's.

    ``holder`` is a keyed hash of the browser that holds it (empty: nobody does), ``turnover`` how
    often it has changed hands: raising it makes invites and holders of before worthless.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=24, blank=True)
    holder = models.CharField(max_length=64, blank=True)
    turnover = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="seat_once_a_table", fields=["table", "index"]),
            models.CheckConstraint(name="seat_named_is_held", condition=Q(name="") | ~Q(holder="")),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} seat {self.index}"
