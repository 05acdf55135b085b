"""Live ratings. Changes are inserted and never edited; `Rating` is their sum and can be rebuilt from the games."""

import math

from django.db import models

from ratings import elo


class Period(models.Model):
    """A batch of games rated together with frozen ratings: the finished games of a round, or of ladder play.

    A round has one, and one more whenever void matches of it were played again afterwards. The order of a ladder's
    periods is a fact like the games: rebuilding goes through them by number.
    """

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="periods", help_text="Whose games.")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the ladder.")
    round = models.ForeignKey("tournaments.Round", models.PROTECT, null=True, related_name="periods",
                              help_text="Which games; empty for matches that were played on the ladder itself.")
    closed_at = models.DateTimeField(help_text="When its games were rated.")

    class Meta:
        ordering = ["ladder", "number"]
        constraints = [models.UniqueConstraint(fields=["ladder", "number"], name="a_period_is_numbered_once")]

    def __str__(self) -> str:
        return f"period {self.number} of {self.ladder}"


class Rating(models.Model):
    """A bot's live Elo on a ladder."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="ratings", help_text="Where.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="ratings", help_text="Whose.")
    value = models.FloatField(help_text="Elo.")
    information = models.FloatField(help_text="Fisher information of its games, per Elo²; gives the interval.")
    games = models.PositiveIntegerField(help_text="Rated games.")
    wins = models.PositiveIntegerField(help_text="Of these won.")
    draws = models.PositiveIntegerField(help_text="Of these drawn.")
    rank = models.PositiveIntegerField(help_text="1 for the highest value; equal values share a rank.")

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
    """What one game did to one bot's rating, in the period in which it was rated."""

    period = models.ForeignKey(Period, models.CASCADE, related_name="changes", help_text="When.")
    # No indexes of their own for these two: others begin with them.
    game = models.ForeignKey("tournaments.Game", models.PROTECT, related_name="rating_changes", db_index=False,
                             help_text="Why.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="rating_changes", db_index=False,
                            help_text="Whose.")
    before = models.FloatField(help_text="Elo in force during the period, frozen.")
    change = models.FloatField(help_text="What the game adds to it.")

    class Meta:
        ordering = ["period", "game"]
        constraints = [models.UniqueConstraint(fields=["game", "bot"], name="a_game_is_rated_once_for_each_bot")]
        # The last two only so that a bot's history is read in the index alone.
        indexes = [models.Index(name="rating_history", fields=["bot", "-period", "before", "change"])]

    def __str__(self) -> str:
        return f"{self.bot} {self.change:+.1f}"
