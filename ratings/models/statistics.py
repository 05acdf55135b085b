"""The statistics of a ladder's games that the official table needs: results by pair of versions and opening."""

from typing import Final

from django.db import models
from django.db.models import F, Q

COUNTS: Final = ("low_first_wins", "low_first_draws", "low_first_losses",
                 "high_first_wins", "high_first_draws", "high_first_losses")


class Statistics(models.Model):
    """The progress of counting a ladder's games, and the time when its official table is due."""

    ladder = models.OneToOneField("tournaments.Ladder", models.CASCADE, related_name="statistics",
                                  help_text="Ladder.")
    period = models.PositiveIntegerField(help_text="Number of the last counted rating period.")
    games = models.PositiveIntegerField(help_text="Number of counted games.")
    # Also the lease of the process that computes it: postponed so that another takes over if that one dies.
    due_at = models.DateTimeField(null=True, help_text="Time at which the official table must be recomputed; empty if "
                                                       "it is up to date.")

    class Meta:
        ordering = ["ladder"]
        verbose_name_plural = "statistics"

    def __str__(self) -> str:
        return f"statistics of {self.ladder}"


class Counts(models.Model):
    """Games between two versions, `low` with the lower ID, counted by the version in seat 0 and its result."""

    low_first_wins = models.PositiveIntegerField(default=0, help_text="Wins of the lower version in seat 0.")
    low_first_draws = models.PositiveIntegerField(default=0, help_text="Draws of the lower version in seat 0.")
    low_first_losses = models.PositiveIntegerField(default=0, help_text="Losses of the lower version in seat 0.")
    high_first_wins = models.PositiveIntegerField(default=0, help_text="Wins of the higher version in seat 0.")
    high_first_draws = models.PositiveIntegerField(default=0, help_text="Draws of the higher version in seat 0.")
    high_first_losses = models.PositiveIntegerField(default=0, help_text="Losses of the higher version in seat 0.")

    class Meta:
        abstract = True

    @property
    def counts(self) -> tuple[int, ...]:
        """The six counts, in the order of COUNTS."""
        return tuple(getattr(self, name) for name in COUNTS)

    @property
    def games(self) -> int:
        """The total number of games."""
        return sum(self.counts)


class PairCounts(Counts):
    """The results of two versions against each other on a ladder. They can be recounted from the games."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="pair_counts", db_index=False,
                               help_text="Ladder.")
    low = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="+", db_index=False,
                            help_text="The version with the lower ID.")
    high = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="+",
                             help_text="The version with the higher ID.")
    # A cluster is all games of the pair from one opening. Errors are computed by cluster, because deterministic bots
    # repeat their games.
    moments = models.JSONField(help_text="Sums over the pair's clusters of the products of any two of a cluster's six "
                                         "counts: 21 numbers, the upper triangle row by row.")

    class Meta:
        ordering = ["ladder", "low", "high"]
        verbose_name_plural = "pair counts"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "low", "high"], name="a_pair_is_counted_once_on_a_ladder"),
            models.CheckConstraint(condition=Q(low__lt=F("high")), name="a_pair_names_the_lower_version_first"),
        ]
        # For the opponents of a version on either side; the third index is that of the constraint.
        indexes = [models.Index(fields=["ladder", "high"], name="pair_counts_of_the_higher"),
                   models.Index(fields=["low"], name="pair_counts_of_the_lower")]

    def __str__(self) -> str:
        return f"{self.low} – {self.high}"


class ClusterCounts(Counts):
    """The results of two versions against each other from one opening: games that may repeat one another."""

    pair = models.ForeignKey(PairCounts, models.CASCADE, related_name="clusters", db_index=False,
                             help_text="Pair of versions on a ladder.")
    opening = models.CharField(max_length=16, help_text="Digest of the opening's turns, also for the empty board.")

    class Meta:
        ordering = ["pair", "opening"]
        verbose_name_plural = "cluster counts"
        constraints = [models.UniqueConstraint(fields=["pair", "opening"],
                                               name="an_opening_is_counted_once_for_a_pair")]

    def __str__(self) -> str:
        return f"{self.pair} from {self.opening}"
