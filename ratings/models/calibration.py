"""Counts of the chances that bots reported, by result: for the calibration of their evaluation."""

from django.db import models
from django.db.models import Q

from ratings.reports.calibration import BINS, Tally


class ReportedChances(models.Model):
    """Turns of a version's rated games on a ladder for which it reported a chance within a bin, and their results.

    They can be recounted from the games. Games that a bot lost by a fault do not count.
    """

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="reported_chances", db_index=False,
                               help_text="Ladder.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="reported_chances",
                                help_text="Version that reported the chances.")
    bin = models.PositiveSmallIntegerField(help_text="Number of the bin: 0 for chances below 10 %, 9 from 90 % on.")
    turns = models.PositiveIntegerField(help_text="Number of turns.")
    games = models.PositiveIntegerField(help_text="Number of games with such a turn.")
    squares = models.PositiveBigIntegerField(help_text="Sum over these games of the squared number of such turns.")
    chance = models.PositiveBigIntegerField(help_text="Sum of the reported chances, in units of 1/10000.")
    halves = models.PositiveIntegerField(help_text="Sum over the turns of the half points that the game brought.")

    class Meta:
        ordering = ["ladder", "version", "bin"]
        verbose_name_plural = "reported chances"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version", "bin"], name="a_bin_is_counted_once_for_a_version"),
            models.CheckConstraint(name="a_bin_of_chances_is_known", condition=Q(bin__lt=BINS)),
            models.CheckConstraint(name="a_counted_bin_has_turns_and_games",
                                   condition=Q(games__gte=1, turns__gte=models.F("games"))),
        ]

    def __str__(self) -> str:
        return f"{self.version}, bin {self.bin}"

    @property
    def tally(self) -> Tally:
        """The counts."""
        return Tally(*(getattr(self, name) for name in Tally._fields))
