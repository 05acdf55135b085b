"""The one rating of each bot on a ladder, and its history. Both follow from the ladder's last fits."""

from django.db import models
from django.db.models import F, Q


class Rating(models.Model):
    """A bot's rating on a ladder: that of its version that plays there, in the last fit of all games."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="ratings", db_index=False,
                               help_text="Ladder.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="ratings", help_text="Bot.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="ratings",
                                help_text="Version that is rated: the one that plays there, or the bot's newest with "
                                          "a rated game.")
    value = models.FloatField(help_text="Rating in Elo.")
    low = models.FloatField(help_text="Lower end of the rating's 95 % interval.")
    high = models.FloatField(help_text="Upper end of the rating's 95 % interval.")
    error = models.FloatField(help_text="Standard error of the rating in Elo.")
    games = models.PositiveIntegerField(help_text="Rated games of this version.")
    wins = models.PositiveIntegerField(help_text="Rated games won.")
    draws = models.PositiveIntegerField(help_text="Rated games drawn.")
    losses = models.PositiveIntegerField(help_text="Rated games lost.")
    rank = models.PositiveIntegerField(help_text="Rank among the bots from 1, unique on the ladder.")

    class Meta:
        ordering = ["ladder", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "bot"], name="a_bot_has_one_rating_on_a_ladder"),
            # Also the index of the standings.
            models.UniqueConstraint(fields=["ladder", "rank"], name="a_ladder_has_each_rank_of_a_bot_once"),
            models.CheckConstraint(condition=Q(games=F("wins") + F("draws") + F("losses")), name="a_rating_adds_up"),
            models.CheckConstraint(condition=Q(low__lte=F("value"), high__gte=F("value")),
                                   name="a_rating_is_within_its_interval"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} {self.value:.0f}"

    @property
    def plus_minus(self) -> float:
        """Half of the 95 % interval, in Elo."""
        return (self.high - self.low) / 2


class RatingPoint(models.Model):
    """A bot's rating on a ladder after a fit that had new games of it. Long histories are thinned."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="+", db_index=False,
                               help_text="Ladder.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="+", db_index=False, help_text="Bot.")
    at = models.DateTimeField(help_text="Time of the fit.")
    version = models.PositiveIntegerField(help_text="Number of the version that was rated.")
    value = models.FloatField(help_text="Rating in Elo.")
    low = models.FloatField(help_text="Lower end of the rating's 95 % interval.")
    high = models.FloatField(help_text="Upper end of the rating's 95 % interval.")

    class Meta:
        ordering = ["ladder", "bot", "at"]
        constraints = [models.UniqueConstraint(fields=["bot", "ladder", "at"], name="a_rating_has_one_point_at_a_time")]

    def __str__(self) -> str:
        return f"{self.bot} {self.value:.0f}"
