"""The stories on the front page, computed in the background."""

from django.db import models
from django.db.models import Q


class Stories(models.Model):
    """The stories of the last days and the game of the day. There is one row; it can be recomputed from the games.

    A story is `{"kind", "game", "turn", …}`: the ID of its game, the turn that it links to, and the facts that its
    words state (tournaments.stories). The game of the day is of the same form. Names are read with the games.
    """

    ONLY = 1

    computed_at = models.DateTimeField(help_text="Time of the computation.")
    newest_game = models.PositiveBigIntegerField(help_text="ID of the newest rated game that was considered.")
    since = models.DateTimeField(null=True, help_text="End of the oldest game that was considered.")
    until = models.DateTimeField(null=True, help_text="End of the newest game that was considered.")
    listed = models.JSONField(default=list, help_text="The stories, the best first.")
    of_the_day = models.JSONField(default=dict, help_text="The game of the day and the reason for the choice.")

    class Meta:
        verbose_name_plural = "stories"
        constraints = [models.CheckConstraint(name="there_is_one_row_of_stories", condition=Q(pk=1))]

    def __str__(self) -> str:
        return f"stories of {self.computed_at:%Y-%m-%d %H:%M}"
