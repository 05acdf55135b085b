"""Trials: a version that is to replace another one on a ladder once it has shown that it is stronger."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments.models.lifecycle import CandidacyStatus


class Candidacy(models.Model):
    """A version's trial on a ladder, against the version of the same bot that plays there meanwhile."""

    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="candidacies",
                               help_text="Where it wants to play.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="candidacies", help_text="For whom.")
    candidate = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="candidacies",
                                  help_text="The version on trial.")
    current = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="candidacies_against",
                                help_text="The version that plays on the ladder, and goes on unless the other passes.")
    elo0 = models.FloatField(help_text="Normalized Elo above the current version that is too little.")
    elo1 = models.FloatField(help_text="Normalized Elo above it that is enough.")
    alpha = models.FloatField(help_text="The risk of passing a version that is only worth elo0.")
    beta = models.FloatField(help_text="The risk of failing one that is worth elo1.")
    most_pairs = models.PositiveIntegerField(help_text="Pairs of games against the current version after which the "
                                                       "trial ends without a verdict.")
    seed = models.PositiveBigIntegerField(help_text="Decides its matches' seeds, and so their openings.")
    status = models.CharField(max_length=12, choices=CandidacyStatus, default=CandidacyStatus.RUNNING,
                              help_text="Where it is in its life.")
    reason = models.TextField(blank=True, help_text="Why it ended so, in words; empty while it runs.")
    # The next two follow from the finished matches, which never change.
    judged = models.PositiveIntegerField(default=0, help_text="So many of its matches, in the order of their numbers, "
                                                              "have been judged.")
    course = models.JSONField(default=list, blank=True, help_text="What each of these was to the candidate: half "
                              "points, 0 to 4; then, against a neighbour, its bot's id, and against the current "
                              "version a hash of the turns with the log-likelihood ratio after it, null for a "
                              "repeated pair.")
    predictions = models.JSONField(default=dict, blank=True, help_text="For each match against a neighbour, by its "
                                   "number, what the current version's rating predicted when it was made: the score, "
                                   "and how far it is out for one standard deviation of its own rating and of the "
                                   "neighbour's.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="candidacies",
                                   help_text="Who entered it; empty for a new version that entered by itself.")
    started_at = models.DateTimeField(help_text="When it was entered.")
    ended_at = models.DateTimeField(null=True, help_text="When it ended.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "candidacies"
        constraints = [
            models.CheckConstraint(name="a_candidacy_status_is_known", condition=Q(status__in=CandidacyStatus.values)),
            models.CheckConstraint(name="a_version_is_not_tried_against_itself",
                                   condition=~Q(candidate=F("current"))),
            models.CheckConstraint(name="a_trial_tests_one_difference_against_a_greater",
                                   condition=Q(elo0__lt=F("elo1"))),
            models.CheckConstraint(name="a_trial_has_pairs", condition=Q(most_pairs__gte=1)),
            models.CheckConstraint(
                name="a_trial_that_ended_and_no_other_says_when_and_why",
                condition=Q(status=CandidacyStatus.RUNNING, ended_at__isnull=True, reason="")
                | (~Q(status=CandidacyStatus.RUNNING) & Q(ended_at__isnull=False) & ~Q(reason=""))),
            models.UniqueConstraint(fields=["ladder", "bot"], condition=Q(status=CandidacyStatus.RUNNING),
                                    name="a_bot_has_one_trial_on_a_ladder_at_a_time"),
        ]
        indexes = [
            models.Index(name="candidacy_running", fields=["id"], condition=Q(status=CandidacyStatus.RUNNING)),
            models.Index(name="candidacy_of_bot", fields=["bot", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} against v{self.current.number}"
