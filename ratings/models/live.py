"""Live ratings. Changes are never edited; a `Rating` is the sum of its changes and can be rebuilt from the games."""

import math

from django.db import models

from ratings import elo


class Period(models.Model):
    """A batch of games rated together with frozen ratings: the finished games of a round, or of ladder play.

    A round has one period, and another one each time that void matches of it are replayed later. The order of a
    ladder's periods is recorded data like the games: a rebuild processes them by number.
    """

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="periods", help_text="Ladder.")
    number = models.PositiveIntegerField(help_text="Number within the ladder, from 1.")
    round = models.ForeignKey("tournaments.Round", models.PROTECT, null=True, related_name="periods",
                              help_text="Round that the games belong to; empty for ladder play.")
    closed_at = models.DateTimeField(help_text="Time at which the games were rated.")

    class Meta:
        ordering = ["ladder", "number"]
        constraints = [models.UniqueConstraint(fields=["ladder", "number"], name="a_period_is_numbered_once")]

    def __str__(self) -> str:
        return f"period {self.number} of {self.ladder}"


class Rating(models.Model):
    """A bot's live Elo on a ladder."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="ratings", help_text="Ladder.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="ratings", help_text="Bot.")
    value = models.FloatField(help_text="Rating in Elo.")
    information = models.FloatField(help_text="Fisher information of its games, per Elo²; determines the interval.")
    games = models.PositiveIntegerField(help_text="Rated games.")
    wins = models.PositiveIntegerField(help_text="Rated games won.")
    draws = models.PositiveIntegerField(help_text="Rated games drawn.")
    rank = models.PositiveIntegerField(help_text="Rank, 1 for the highest rating; equal ratings share a rank.")

    class Meta:
        ordering = ["ladder", "-value", "bot"]
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="a_bot_has_one_rating_on_a_ladder")]
        indexes = [models.Index(fields=["ladder", "-value", "bot"], name="rating_standings")]

    def __str__(self) -> str:
        return f"{self.bot} {self.value:.0f}"

    @property
    def losses(self) -> int:
        """Rated games lost."""
        return self.games - self.wins - self.draws

    @property
    def plus_minus(self) -> float | None:
        """Half of the 95 % interval, in Elo; None without games."""
        half_width = elo.half_width(self.information)
        return half_width if math.isfinite(half_width) else None

    @property
    def provisional(self) -> bool:
        """Whether the interval is still too wide to rely on."""
        return elo.is_provisional(self.information)


class RatingChange(models.Model):
    """The change of a bot's rating by one game, in the period in which the game was rated."""

    period = models.ForeignKey(Period, models.CASCADE, related_name="changes", help_text="Rating period.")
    # No separate indexes for these two: other indexes start with them.
    game = models.ForeignKey("tournaments.Game", models.PROTECT, related_name="rating_changes", db_index=False,
                             help_text="Game.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="rating_changes", db_index=False,
                            help_text="Bot.")
    before = models.FloatField(help_text="Rating before the period in Elo, frozen while the period is rated.")
    change = models.FloatField(help_text="Change by the game in Elo.")

    class Meta:
        ordering = ["period", "game"]
        constraints = [models.UniqueConstraint(fields=["game", "bot"], name="a_game_is_rated_once_for_each_bot")]
        # The last two fields only make the index cover reads of a bot's history.
        indexes = [models.Index(name="rating_history", fields=["bot", "-period", "before", "change"])]

    def __str__(self) -> str:
        return f"{self.bot} {self.change:+.1f}"
