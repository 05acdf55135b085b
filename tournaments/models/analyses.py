"""Analyses of finished games: other versions judge each position, within a budget."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments.models.leased import Leased
from tournaments.models.lifecycle import ANALYSIS_OPEN, ANALYSIS_TRANSITIONS, AnalysisStatus


class Analysis(Leased):
    """One analysis of a game by one or two versions. A worker judges the positions under a lease, some at a time."""

    (WAITING,), (TAKEN,) = ANALYSIS_TRANSITIONS["claim"], ANALYSIS_TRANSITIONS["release"]
    LEASE_LOST = "the lease was lost before the positions were judged"
    TRUSTED = Q(judge__trusted=True) & (Q(other=None) | Q(other__trusted=True))

    game = models.ForeignKey("tournaments.Game", models.CASCADE, related_name="analyses", db_index=False,
                             help_text="Game that is analysed.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="analyses",
                             db_index=False, help_text="Account that asked for it; null if it no longer exists.")
    created_at = models.DateTimeField(help_text="Time of the request.")
    judge = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="+",
                              help_text="Strongest version that judges the positions.")
    other = models.ForeignKey("tournaments.Version", models.PROTECT, null=True, related_name="+",
                              help_text="Second version that judges them, if any.")
    seconds = models.FloatField(help_text="Time per position for each judge, in seconds.")
    positions = models.PositiveIntegerField(help_text="Number of positions to judge: one before each turn.")
    judged = models.PositiveIntegerField(default=0, help_text="Number of positions that are done, judged or not.")
    # Untrusted data: they come from bots. `scoring.analysis` checks them whenever they are read.
    verdicts = models.JSONField(default=list, blank=True,
                                help_text="By position, each judge's turn and view, or the reason why there is none.")
    status = models.CharField(max_length=10, choices=AnalysisStatus, default=AnalysisStatus.RECEIVED,
                              help_text="Current status.")
    worker = models.CharField(max_length=120, blank=True, help_text="Host and process of the last claim.")
    tier = models.CharField(max_length=20, blank=True, help_text="Sandbox tier of that worker.")
    voids = models.PositiveSmallIntegerField(default=0, help_text="Number of claims that the infrastructure spoiled.")
    setback = models.TextField(blank=True, help_text="Reason why the last of these claims was void.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which it was done or finally void.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "analyses"
        constraints = [
            models.CheckConstraint(name="an_analysis_status_is_known", condition=Q(status__in=AnalysisStatus.values)),
            models.CheckConstraint(name="an_analysis_being_made_is_leased",
                                   condition=~Q(status=AnalysisStatus.JUDGING) | Q(lease_until__isnull=False)),
            models.CheckConstraint(name="an_open_analysis_and_no_other_has_no_end",
                                   condition=Q(status__in=ANALYSIS_OPEN, ended_at__isnull=True)
                                   | (~Q(status__in=ANALYSIS_OPEN) & Q(ended_at__isnull=False))),
            models.CheckConstraint(name="an_analysis_judges_no_more_positions_than_there_are",
                                   condition=Q(judged__lte=F("positions"))),
            models.CheckConstraint(name="an_analysis_has_two_different_judges",
                                   condition=Q(other=None) | ~Q(judge=F("other"))),
            models.UniqueConstraint(fields=["game"], condition=Q(status__in=ANALYSIS_OPEN),
                                    name="a_game_has_one_open_analysis"),
        ]
        # Each for one query: of the dispatcher, the reaper, the game's page, and the quota.
        indexes = [
            models.Index(name="analysis_waiting", fields=["id"], condition=Q(status=AnalysisStatus.RECEIVED)),
            models.Index(name="analysis_leased", fields=["lease_until"], condition=Q(status=AnalysisStatus.JUDGING)),
            models.Index(name="analysis_of_game", fields=["game", "-id"]),
            models.Index(name="analysis_of_user", fields=["user", "-created_at"], condition=Q(user__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"analysis {self.pk} of game {self.game_id}"

    @property
    def judges(self) -> list["models.Model"]:
        """The versions that judge the positions, the strongest first."""
        return [self.judge, *([self.other] if self.other_id is not None else [])]
