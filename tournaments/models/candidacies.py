"""Trials: a version replaces the bot's current one on a ladder once it has proved stronger."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments.models.lifecycle import CandidacyStatus, ContenderStatus
from tournaments.scoring.selection import MOST_CANDIDATES


class Candidacy(models.Model):
    """A version's trial on a ladder, against the version of the same bot that plays there in the meantime."""

    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="candidacies",
                               help_text="Ladder of the trial.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="candidacies",
                            help_text="Bot that both versions belong to.")
    candidate = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="candidacies",
                                  help_text="Version on trial; of several candidates, the leader, or the one that was "
                                            "selected.")
    current = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="candidacies_against",
                                help_text="Version that plays on the ladder, and stays there unless the candidate "
                                          "passes.")
    elo0 = models.FloatField(help_text="Lead over the current version that is too small to pass, in normalized Elo.")
    elo1 = models.FloatField(help_text="Lead over the current version that is enough to pass, in normalized Elo.")
    alpha = models.FloatField(help_text="Probability of passing a version whose lead is only elo0.")
    beta = models.FloatField(help_text="Probability of failing a version whose lead is elo1.")
    most_pairs = models.PositiveIntegerField(help_text="Maximum number of pairs of games against the current version; "
                                                       "after that the trial ends without a verdict.")
    seed = models.PositiveBigIntegerField(help_text="Seed from which the matches' seeds, and so their openings, are "
                                                    "derived.")
    status = models.CharField(max_length=12, choices=CandidacyStatus, default=CandidacyStatus.RUNNING,
                              help_text="Current status.")
    reason = models.TextField(blank=True, help_text="Explanation of the outcome; empty while the trial runs.")
    # The next three are derived from the finished matches, which never change.
    offset = models.PositiveIntegerField(default=0, db_default=0,
                                         help_text="Number of the last match of the selection that is judged or "
                                                   "cancelled; the test's matches have higher numbers.")
    judged = models.PositiveIntegerField(default=0,
                                         help_text="Number of the test's matches judged so far, in the order of their "
                                                   "numbers.")
    course = models.JSONField(default=list, blank=True,
                              help_text="Result of each judged match for the candidate: half points, 0 to 4; then, for "
                                        "a match against a neighbour, the ID of the neighbour's bot; for a match "
                                        "against the current version, a hash of the turns and the log-likelihood ratio "
                                        "after it, null for a repeated pair.")
    predictions = models.JSONField(default=dict, blank=True,
                                   help_text="For each match against a neighbour, by its number, the prediction from "
                                             "the current version's rating when the match was created: the score, and "
                                             "the change in score for one standard deviation of its own rating and of "
                                             "the neighbour's.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="candidacies",
                                   help_text="Account that started the trial; null if a new version was entered "
                                             "automatically.")
    started_at = models.DateTimeField(help_text="Start of the trial.")
    ended_at = models.DateTimeField(null=True, help_text="End of the trial.")

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


class Contender(models.Model):
    """One of several candidates of a trial, among which the selection chooses the one that plays the test."""

    candidacy = models.ForeignKey(Candidacy, models.CASCADE, related_name="contenders", db_index=False,
                                  help_text="Trial that the version was named for.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="contenders",
                                help_text="Version named as a candidate.")
    place = models.PositiveSmallIntegerField(help_text="Position in the order in which the candidates were named, from "
                                                       "1.")
    status = models.CharField(max_length=8, choices=ContenderStatus, default=ContenderStatus.SELECTING,
                              help_text="Current status.")
    reason = models.TextField(blank=True, help_text="Explanation of why it is out or was chosen; empty until then.")
    # Derived from the finished matches, as the course of the trial is.
    course = models.JSONField(default=list, blank=True,
                              help_text="Result of each turn of the selection: half points, 0 to 4; a hash of the "
                                        "turns; and the log-likelihood ratio after it, null for a repeated pair.")

    class Meta:
        ordering = ["candidacy", "place"]
        constraints = [
            models.CheckConstraint(name="a_contender_status_is_known", condition=Q(status__in=ContenderStatus.values)),
            models.CheckConstraint(name="a_trial_has_up_to_eight_contenders",
                                   condition=Q(place__gte=1, place__lte=MOST_CANDIDATES)),
            models.CheckConstraint(name="a_contender_that_is_not_in_has_a_reason",
                                   condition=Q(status=ContenderStatus.SELECTING, reason="")
                                   | (~Q(status=ContenderStatus.SELECTING) & ~Q(reason=""))),
            models.UniqueConstraint(fields=["candidacy", "place"], name="contenders_have_different_places"),
            models.UniqueConstraint(fields=["candidacy", "version"], name="a_version_is_named_once_for_a_trial"),
            models.UniqueConstraint(fields=["candidacy"], condition=Q(status=ContenderStatus.CHOSEN),
                                    name="a_trial_chooses_one_contender"),
        ]

    def __str__(self) -> str:
        return str(self.version)
