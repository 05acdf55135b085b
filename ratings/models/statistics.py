"""All that the official table needs of a ladder's games: how often which two versions met, and how it ended."""

from typing import Final

from django.db import models
from django.db.models import F, Q

COUNTS: Final = ("low_first_wins", "low_first_draws", "low_first_losses",
                 "high_first_wins", "high_first_draws", "high_first_losses")


class Statistics(models.Model):
    """How far a ladder's games are counted, and when its official table is to be computed again."""

    ladder = models.OneToOneField("tournaments.Ladder", models.CASCADE, related_name="statistics",
                                  help_text="Whose games.")
    period = models.PositiveIntegerField(help_text="Number of the last rating period that is counted.")
    games = models.PositiveIntegerField(help_text="Games counted.")
    # Also the claim of whoever computes it: pushed on meanwhile, so that another takes over if that one is lost.
    due_at = models.DateTimeField(null=True, help_text="When the official table is to be computed again; empty when "
                                                       "it is up to date.")

    class Meta:
        ordering = ["ladder"]
        verbose_name_plural = "statistics"

    def __str__(self) -> str:
        return f"statistics of {self.ladder}"


class Counts(models.Model):
    """Games between two versions, of which `low` has the lower id, by who had seat 0 and how they ended."""

    low_first_wins = models.PositiveIntegerField(default=0, help_text="The lower version had seat 0 and won.")
    low_first_draws = models.PositiveIntegerField(default=0, help_text="The lower version had seat 0, a draw.")
    low_first_losses = models.PositiveIntegerField(default=0, help_text="The lower version had seat 0 and lost.")
    high_first_wins = models.PositiveIntegerField(default=0, help_text="The higher version had seat 0 and won.")
    high_first_draws = models.PositiveIntegerField(default=0, help_text="The higher version had seat 0, a draw.")
    high_first_losses = models.PositiveIntegerField(default=0, help_text="The higher version had seat 0 and lost.")

    class Meta:
        abstract = True

    @property
    def counts(self) -> tuple[int, ...]:
        """The six, in the order of COUNTS."""
        return tuple(getattr(self, name) for name in COUNTS)

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self.counts)


class PairCounts(Counts):
    """What two versions have played on a ladder. Sums of facts: they can be counted again from the games."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="pair_counts", db_index=False,
                               help_text="Where.")
    low = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="+", db_index=False,
                            help_text="The version with the lower id.")
    high = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="+",
                             help_text="The version with the higher id.")
    # A cluster is the games of the pair from one opening: deterministic bots repeat theirs, so errors go by clusters.
    moments = models.JSONField(help_text="Sums over the pair's clusters of the products of each two of a cluster's six "
                                         "counts: 21 numbers, the upper triangle row by row.")

    class Meta:
        ordering = ["ladder", "low", "high"]
        verbose_name_plural = "pair counts"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "low", "high"], name="a_pair_is_counted_once_on_a_ladder"),
            models.CheckConstraint(condition=Q(low__lt=F("high")), name="a_pair_names_the_lower_version_first"),
        ]
        # Who a version has met, from either side; the constraint has the other one.
        indexes = [models.Index(fields=["ladder", "high"], name="pair_counts_of_the_higher"),
                   models.Index(fields=["low"], name="pair_counts_of_the_lower")]

    def __str__(self) -> str:
        return f"{self.low} – {self.high}"


class ClusterCounts(Counts):
    """What two versions have played from one opening: games that may well be repetitions of one another."""

    pair = models.ForeignKey(PairCounts, models.CASCADE, related_name="clusters", db_index=False,
                             help_text="Which two, and where.")
    opening = models.CharField(max_length=16, help_text="Digest of the opening's turns; the empty board has one too.")

    class Meta:
        ordering = ["pair", "opening"]
        verbose_name_plural = "cluster counts"
        constraints = [models.UniqueConstraint(fields=["pair", "opening"],
                                               name="an_opening_is_counted_once_for_a_pair")]

    def __str__(self) -> str:
        return f"{self.pair} from {self.opening}"
