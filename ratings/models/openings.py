"""Counts of the turns of rated games, for the explorer of openings. They can be recounted from the games."""

from django.db import models
from django.db.models import F, Q


class OpeningTurn(models.Model):
    """The games of a ladder that reached a place and continued with one turn, within a band of ratings.

    Several million rows: the key is the only index. A row changes only while the ladder's `OpeningCount` is locked.
    """

    pk = models.CompositePrimaryKey("place", "turn", "band", "ladder")
    place = models.BigIntegerField(help_text="Key of the place: a position up to symmetry, after a number of plies.")
    turn = models.TextField(help_text="Turn in the orientation of the place; empty if the games end there.")
    band = models.PositiveSmallIntegerField(help_text="Band of the mean of both ratings, 0 for the lowest.")
    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="+", db_index=False,
                               help_text="Ladder.")
    games = models.PositiveIntegerField(help_text="Number of games.")
    wins = models.PositiveIntegerField(help_text="Games that the first player won.")
    draws = models.PositiveIntegerField(help_text="Drawn games.")
    # Not a foreign key: its index would be as large as the table.
    newest = models.BigIntegerField(help_text="ID of the newest of these games.")

    class Meta:
        constraints = [models.CheckConstraint(name="wins_and_draws_are_some_of_the_games",
                                              condition=Q(games__gte=F("wins") + F("draws"), games__gt=0))]

    def __str__(self) -> str:
        return f"{self.turn or 'end'} at {self.place}"


class OpeningCount(models.Model):
    """The progress of counting a ladder's turns. Its row is locked while they change."""

    ladder = models.OneToOneField("tournaments.Ladder", models.CASCADE, related_name="opening_count",
                                  help_text="Ladder.")
    period = models.PositiveIntegerField(default=0, help_text="Number of the last counted rating period.")
    game = models.BigIntegerField(default=0, help_text="ID of the last counted game of the next period; 0 for none.")
    games = models.PositiveIntegerField(default=0, help_text="Number of counted games.")
    clearing = models.BooleanField(default=False, help_text="All counts are being deleted, before a recount.")

    class Meta:
        ordering = ["ladder"]

    def __str__(self) -> str:
        return f"openings of {self.ladder}"
