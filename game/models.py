"""Matches and their deals as they are kept. Written by `game.matches` and nobody else."""

from django.db import models
from django.db.models import Q


class Match(models.Model):
    """One match. The row is the lock and the stale check of every change at its table.

    ``version`` grows with every change, ``ply`` with every play and deal, ``said`` with every line
    of chat; none ever falls, and a table's next match goes on from the last's. ``sheet`` is the
    score between two deals; there is none before the first. ``ended`` is when it was over, and
    ``names`` what the seats were called then (empty for a seat without a name).
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        PLAYING = "playing"
        OVER = "over"

    game = models.CharField(max_length=40)
    engine = models.PositiveIntegerField()
    seats = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    sheet = models.JSONField(null=True)
    version = models.PositiveBigIntegerField(default=1)
    ply = models.PositiveBigIntegerField(default=0)
    said = models.PositiveBigIntegerField(default=0)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    outcome = models.JSONField(null=True)
    opened = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True)
    names = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="match_over_has_outcome",
                condition=Q(status="over", outcome__isnull=False, ended__isnull=False)
                | Q(status__in=["waiting", "playing"], outcome__isnull=True, ended__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"


class Deal(models.Model):
    """One deal: the pack as it lay and the plays made with it, from which all else follows.

    Never registered in the admin, in no form: a filter on ``pack`` would tell what lies where.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="deals")
    number = models.PositiveIntegerField()
    sheet = models.JSONField()
    pack = models.CharField(max_length=155)
    salt = models.CharField(max_length=64)
    commitment = models.CharField(max_length=64)
    plays = models.TextField(default="", blank=True)
    conceded = models.JSONField(default=list)
    count = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="deal_once_a_match", fields=["match", "number"]),
        ]

    def __str__(self) -> str:
        return f"deal {self.number}"


class Tally(models.Model):
    """What is counted of all matches of a game at shared tables, and of nobody who played them.

    ``matches`` are those that have ended after a deal; ``broken_off`` of them had no winner because
    somebody left or the table was closed. ``deals`` are all finished ones of them, ``halves`` those
    whose card points were shared evenly, ``alls`` those in which one side had all.
    """

    game = models.CharField(max_length=40, unique=True)
    matches = models.PositiveBigIntegerField(default=0)
    broken_off = models.PositiveBigIntegerField(default=0)
    deals = models.PositiveBigIntegerField(default=0)
    halves = models.PositiveBigIntegerField(default=0)
    alls = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return self.game
