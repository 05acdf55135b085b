"""A rated game as lists sort it. Inserted with the game's rating changes, from which it can be rebuilt."""

from django.db import models
from django.db.models import Q


class RatedGame(models.Model):
    """The strength of a game's bots and the improbability of its result, by the ratings before its period."""

    game = models.OneToOneField("tournaments.Game", models.PROTECT, related_name="rated", help_text="Game.")
    period = models.ForeignKey("ratings.Period", models.CASCADE, related_name="rated_games",
                               help_text="Rating period.")
    level = models.FloatField(help_text="Mean of both ratings in Elo.")
    chance = models.FloatField(null=True, help_text="Expected score of the winner, 0 to 1; empty for a draw.")

    class Meta:
        ordering = ["period", "game"]
        constraints = [models.CheckConstraint(name="the_chance_of_a_winner_is_from_zero_to_one",
                                              condition=Q(chance__isnull=True) | Q(chance__gte=0, chance__lte=1))]
        indexes = [
            models.Index(name="rated_game_level", fields=["-level", "-game"]),
            models.Index(name="rated_game_upset", fields=["chance", "-game"], condition=Q(chance__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"game {self.game_id} at {self.level:.0f}"
