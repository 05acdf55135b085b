"""Bots, their authors' uploads, and the immutable versions created from accepted uploads."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.leased import Leased, Run
from tournaments.models.lifecycle import (
    SUBMISSION_OPEN,
    SUBMISSION_TRANSITIONS,
    AttemptStatus,
    SubmissionStatus,
    VersionStatus,
)
from tournaments.models.names import NamesField


class Bot(models.Model):
    """A named competitor."""

    slug = models.SlugField(max_length=60, unique=True, help_text="Name in URLs.")
    name = models.CharField(max_length=40, unique=True, help_text="Name in the manifest.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots",
                              help_text="Account that owns the bot and may upload versions of it.")
    team = models.ForeignKey("tournaments.Team", models.PROTECT, null=True, blank=True, related_name="bots",
                             help_text="Team whose members have the owner's rights over the bot.")
    created_at = models.DateTimeField(help_text="Time at which the first version was accepted.")
    judges = models.BooleanField(null=True, help_text="Whether its versions may judge positions in analyses of other "
                                                      "games; null: those that the site's staff uploaded.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Submission(Leased):
    """An upload and its outcome: rejected on receipt, or checked by a worker and then accepted or refused."""

    (WAITING,), (TAKEN,) = SUBMISSION_TRANSITIONS["claim"], SUBMISSION_TRANSITIONS["release"]
    LEASE_LOST = "the lease was lost before the check was over"
    TRUSTED = Q(uploader__is_staff=True)

    uploader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions",
                                 help_text="Account that uploaded it.")
    received_at = models.DateTimeField(help_text="Time of the upload.")
    filename = models.CharField(max_length=200, help_text="File name given by the uploader.")
    size = models.PositiveIntegerField(help_text="Size of the archive in bytes.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive.")
    name = models.CharField(max_length=40, blank=True,
                            help_text="The bot's name in its manifest; empty if the manifest was not read.")
    slug = models.CharField(max_length=60, blank=True, help_text="Slug of the bot, if the submission is accepted.")
    archive = models.FileField(upload_to="bots/", blank=True,
                               help_text="Archive as uploaded, named by its hash; not stored if it was rejected on "
                                         "receipt.")
    status = models.CharField(max_length=10, choices=SubmissionStatus, default=SubmissionStatus.RECEIVED,
                              help_text="Current status.")
    judged_at = models.DateTimeField(null=True, help_text="Time at which it was accepted or refused.")
    step = models.CharField(max_length=120, blank=True, help_text="Step of the check that failed.")
    refusal = models.TextField(blank=True, help_text="Reason for the refusal, as shown to the uploader.")
    line = models.TextField(blank=True, help_text="Line to fix: from bot.toml, from a log, or from the bot's output.")
    # Untrusted text, for the uploader and staff only; shown escaped.
    log = models.TextField(blank=True, help_text="Output of the build command, truncated.")
    stderr = models.TextField(blank=True, help_text="The bot's stderr in the game that failed it, truncated.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_submission_status_is_known",
                                   condition=Q(status__in=SubmissionStatus.values)),
            models.CheckConstraint(name="a_refused_submission_and_no_other_says_why",
                                   condition=(Q(status=SubmissionStatus.REFUSED) & ~Q(refusal=""))
                                   | (~Q(status=SubmissionStatus.REFUSED) & Q(refusal=""))),
            models.CheckConstraint(name="a_submission_being_checked_is_leased",
                                   condition=~Q(status=SubmissionStatus.CHECKING) | Q(lease_until__isnull=False)),
            models.CheckConstraint(name="a_judged_submission_and_no_other_says_when",
                                   condition=Q(judged_at__isnull=True, status__in=SUBMISSION_OPEN)
                                   | (Q(judged_at__isnull=False) & ~Q(status__in=SUBMISSION_OPEN))),
            models.CheckConstraint(name="an_open_submission_has_its_archive_and_is_due",
                                   condition=~Q(status__in=SUBMISSION_OPEN)
                                   | (~Q(archive="") & Q(due_at__isnull=False))),
        ]
        indexes = [
            models.Index(name="submission_due", fields=["due_at"], condition=Q(status=SubmissionStatus.RECEIVED)),
            models.Index(name="submission_leased", fields=["lease_until"],
                         condition=Q(status=SubmissionStatus.CHECKING)),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.status})"


class Check(Run):
    """One numbered run of a submission's check under a lease. At most one counts: the one that decided the outcome."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="checks",
                                   help_text="Submission that is checked.")
    steps = models.JSONField(default=list, blank=True,
                             help_text="Steps so far, each with stage, name, passed (null while running), note and "
                                       "seconds.")
    log = models.TextField(blank=True,
                           help_text="End of the build's output so far; empty when the check is over, as the "
                                     "submission then has the whole log.")

    class Meta:
        ordering = ["submission", "number"]
        constraints = [
            *Run.Meta.constraints,
            models.UniqueConstraint(fields=["submission", "number"], name="a_check_is_numbered_once"),
            models.UniqueConstraint(fields=["submission"], condition=Q(status=AttemptStatus.COUNTED),
                                    name="one_check_of_a_submission_counts"),
        ]

    def __str__(self) -> str:
        return f"check {self.number} of submission {self.submission_id}"


class QualificationGame(models.Model):
    """An unrated game of a check against the reference bot `random`. Void checks have none.

    For the uploader and staff only.
    """

    # Not named `check`, which is a method of every model.
    check_run = models.ForeignKey(Check, models.CASCADE, related_name="games", db_index=False,
                                  help_text="Check that the game is part of.")
    number = models.PositiveSmallIntegerField(help_text="Number within the check, from 1.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells per side.")
    seat = models.PositiveSmallIntegerField(help_text="Seat of the submission; seat 0 moves first.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="Winning seat; null for a draw.")
    ended_by = models.CharField(max_length=10, help_text="Kind of ending: rule, conduct or policy.")
    reason = models.CharField(max_length=20, help_text="Ending within that kind, such as connection, time or ply cap.")
    plies = models.PositiveIntegerField(help_text="Number of turns played.")
    record = models.JSONField(help_text="The whole game: turns, times and result (engines.records.record).")

    class Meta:
        ordering = ["check_run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["check_run", "number"], name="a_check_has_each_game_once"),
            models.CheckConstraint(name="a_submission_plays_on_a_seat", condition=Q(seat__in=[0, 1])),
        ]

    def __str__(self) -> str:
        return f"qualification game {self.number} of {self.check_run}"


class Version(models.Model):
    """The immutable build created from a submission that qualified. Games refer to versions, not to bots."""

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions", help_text="Bot that the version belongs to.")
    number = models.PositiveIntegerField(help_text="Number within the bot, from 1.")
    submission = models.OneToOneField(Submission, models.PROTECT, related_name="version",
                                      help_text="Upload that the version was created from.")
    archive = models.FileField(upload_to="bots/", help_text="Archive as uploaded, named by its hash.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive.")
    artefact = models.FileField(upload_to="builds/",
                                help_text="Files that workers run: the output of the build, named by their hash; the "
                                          "archive if there is no build.")
    artefact_sha256 = models.CharField(max_length=64, help_text="Hash of the artefact; workers fetch and cache by it.")
    rulesets = NamesField(help_text="Slugs of the rulesets that the version plays.")
    # A sandbox with reduced isolation only runs code from people who could harm the machine anyway.
    trusted = models.BooleanField(help_text="Uploaded by the site's staff: may run on workers of the reduced tier.")
    created_at = models.DateTimeField(help_text="Time of qualification.")
    status = models.CharField(max_length=10, choices=VersionStatus, default=VersionStatus.ACTIVE,
                              help_text="Whether the version takes part. No other field ever changes.")

    class Meta:
        ordering = ["bot", "-number"]
        constraints = [
            models.CheckConstraint(name="a_version_status_is_known",
                                   condition=Q(status__in=VersionStatus.values)),
            models.UniqueConstraint(fields=["bot", "number"], name="a_bot_numbers_each_version_once"),
            models.CheckConstraint(name="version_numbers_start_at_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"
