"""A rated game as lists sort it, by the ratings that were stored when it was rated."""

from django.db import models
from django.db.models import Q

from ratings.score import UPSET_CHANCE


class RatedGame(models.Model):
    """The strength of a game's bots and the improbability of its result, by the ratings before it was rated."""

    game = models.OneToOneField("tournaments.Game", models.PROTECT, related_name="rated", help_text="Game.")
    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="+", db_index=False,
                               help_text="Ladder.")
    period = models.PositiveIntegerField(help_text="Number of the ladder's rating period in which it was rated.")
    rated_at = models.DateTimeField(help_text="Time at which it was rated.")
    level = models.FloatField(help_text="Mean of both ratings in Elo.")
    lead = models.FloatField(help_text="Rating of the first player minus that of the second, in Elo.")
    chance = models.FloatField(null=True, help_text="Probability that the winner wins if one of the two wins, 0 to 1; "
                                                    "empty for a draw.")

    class Meta:
        ordering = ["ladder", "period", "game"]
        constraints = [models.CheckConstraint(name="the_chance_of_a_winner_is_from_zero_to_one",
                                              condition=Q(chance__isnull=True) | Q(chance__gte=0, chance__lte=1))]
        indexes = [
            models.Index(name="rated_game_of_a_period", fields=["ladder", "period", "game"]),
            models.Index(name="rated_game_level", fields=["-level", "-game"]),
            models.Index(name="rated_game_upset", fields=["chance", "-game"], condition=Q(chance__isnull=False)),
            models.Index(name="rated_game_recent_upset", fields=["rated_at"], condition=Q(chance__lte=UPSET_CHANCE)),
        ]

    def __str__(self) -> str:
        return f"game {self.game_id} at {self.level:.0f}"

    @property
    def before(self) -> tuple[float, float]:
        """Both ratings in Elo, by seat."""
        return self.level + self.lead / 2, self.level - self.lead / 2
