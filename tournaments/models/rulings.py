"""An event's regulations, which the organiser announces, and the rulings on its entrants, which are never edited."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments.formats.history import ANNUL, KEEP

WITHDRAWALS = ((KEEP, "Results are kept"), (ANNUL, "Annulled below half of the games (FIDE)"))
BYE_POINTS = (0.0, 0.5)
MOST_MINUTES = 7 * 24 * 60


class Regulations(models.Model):
    """The rules of an event for entrants that leave and for bots that belong together, and the time of an arena."""

    withdrawals = models.CharField(max_length=10, choices=WITHDRAWALS, default=KEEP, db_default=KEEP,
                                   help_text="What happens in a round-robin or gauntlet to the results of an entrant "
                                             "that leaves.")
    apart_rounds = models.PositiveSmallIntegerField(default=0, db_default=0,
                                                    help_text="Number of first rounds of a Swiss in which bots of one "
                                                              "owner or team do not meet, if that can be avoided.")
    minutes = models.PositiveIntegerField(default=0, db_default=0,
                                          help_text="Minutes for which an arena pairs its entrants; 0 for other "
                                                    "formats.")
    streaks = models.BooleanField(default=False, db_default=False,
                                  help_text="Whether an arena doubles points after two wins in a row.")

    class Meta:
        abstract = True


class Disqualification(models.Model):
    """The exclusion of an entrant from a running event."""

    entry = models.OneToOneField("tournaments.Entry", models.CASCADE, related_name="disqualification",
                                 help_text="The excluded entrant.")
    reason = models.CharField(max_length=300, help_text="Reason, which everyone who sees the event can read.")
    annulled = models.BooleanField(help_text="Whether the entrant's games no longer count in the standings. They stay "
                                             "rated.")
    ruled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+",
                                 help_text="The organiser who decided.")
    ruled_at = models.DateTimeField(help_text="Time of the decision.")

    class Meta:
        ordering = ["entry"]
        constraints = [models.CheckConstraint(name="a_disqualification_has_a_reason", condition=~Q(reason=""))]

    def __str__(self) -> str:
        return f"{self.entry} is disqualified"


class ChangedPairing(models.Model):
    """An organiser's change of an unplayed pairing: two entrants met, and so did their former opponents.

    Releases up to 1.0 allowed such changes; the pages and bundles of their events state them.
    """

    round = models.ForeignKey("tournaments.Round", models.CASCADE, related_name="changes", db_index=False,
                              help_text="The round.")
    number = models.PositiveSmallIntegerField(help_text="Number of the change within its round, from 1.")
    first = models.ForeignKey("tournaments.Entry", models.CASCADE, related_name="+", help_text="An entrant.")
    second = models.ForeignKey("tournaments.Entry", models.CASCADE, null=True, related_name="+",
                               help_text="Its new opponent; null for the bye.")
    reason = models.CharField(max_length=300, help_text="Reason, which everyone who sees the event can read.")
    warnings = models.JSONField(default=list, blank=True,
                                help_text="Rules that the change breaks: kind, slugs of the bots, and a number.")
    ruled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+",
                                 help_text="The organiser who decided.")
    ruled_at = models.DateTimeField(help_text="Time of the decision.")

    class Meta:
        ordering = ["round", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="a_change_of_pairings_is_numbered_once"),
            models.CheckConstraint(name="a_change_of_pairings_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(name="a_changed_pairing_has_two_sides",
                                   condition=Q(second__isnull=True) | ~Q(first=F("second"))),
        ]

    def __str__(self) -> str:
        return f"{self.first} meets {self.second or 'no one'} in {self.round}"
