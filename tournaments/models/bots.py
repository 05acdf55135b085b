"""Bots, what their authors uploaded, and the immutable versions that accepted uploads became."""

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


class Bot(models.Model):
    """A named competitor."""

    slug = models.SlugField(max_length=60, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=40, unique=True, help_text="As its manifest names it.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots",
                              help_text="Who brought it; may upload versions of it.")
    team = models.ForeignKey("tournaments.Team", models.PROTECT, null=True, blank=True, related_name="bots",
                             help_text="Whose members act for it like its owner.")
    created_at = models.DateTimeField(help_text="When the first version was accepted.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Submission(Leased):
    """An upload and what became of it: refused at the door, or checked by a worker and then accepted or refused."""

    (WAITING,), (TAKEN,) = SUBMISSION_TRANSITIONS["claim"], SUBMISSION_TRANSITIONS["release"]
    LEASE_LOST = "the lease was lost before the check was over"

    uploader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions",
                                 help_text="Who sent it.")
    received_at = models.DateTimeField(help_text="When it came in.")
    filename = models.CharField(max_length=200, help_text="What its sender called the file.")
    size = models.PositiveIntegerField(help_text="Bytes of the archive.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive.")
    name = models.CharField(max_length=40, blank=True, help_text="The bot's name in its manifest; empty when that "
                                                                 "was not reached.")
    slug = models.CharField(max_length=60, blank=True, help_text="The bot's place in addresses, if it is accepted.")
    archive = models.FileField(upload_to="bots/", blank=True, help_text="The archive as uploaded, named by its hash; "
                                                                        "not kept of what the door refused.")
    status = models.CharField(max_length=10, choices=SubmissionStatus, default=SubmissionStatus.RECEIVED,
                              help_text="Where it is in its life.")
    judged_at = models.DateTimeField(null=True, help_text="When it was accepted or refused.")
    step = models.CharField(max_length=120, blank=True, help_text="The step of the check at which it was refused.")
    refusal = models.TextField(blank=True, help_text="Why it was refused, as told to its sender.")
    line = models.TextField(blank=True, help_text="The line to mend: of bot.toml, of a log, or what the bot answered.")
    # Strangers' text, for the uploader and staff; shown escaped.
    log = models.TextField(blank=True, help_text="What the build command wrote, cut.")
    stderr = models.TextField(blank=True, help_text="What the bot wrote to stderr in the game that failed it, cut.")

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
    """One numbered run of a submission's check under a lease. At most one counts: the one that judged it."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="checks", help_text="What is checked.")
    steps = models.JSONField(default=list, blank=True,
                             help_text="So far: stage, name, whether passed (null: under way), note, seconds of each.")
    log = models.TextField(blank=True, help_text="The end of what its build has written so far; empty once it is over, "
                                                 "when the submission has all of it.")

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
    """A game of a check against the reference bot `random`: unrated, for the uploader and staff. None of a void one."""

    # `check` is a method of every model.
    check_run = models.ForeignKey(Check, models.CASCADE, related_name="games", db_index=False,
                                  help_text="The check that it is a part of.")
    number = models.PositiveSmallIntegerField(help_text="1, 2, 3 … within the check.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells a side.")
    seat = models.PositiveSmallIntegerField(help_text="The submission's: 0 moves first.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="The winning seat; empty for a draw.")
    ended_by = models.CharField(max_length=10, help_text="rule, conduct or policy.")
    reason = models.CharField(max_length=20, help_text="The ending within that: connection, time, ply cap …")
    plies = models.PositiveIntegerField(help_text="Turns played.")
    record = models.JSONField(help_text="The whole game: turns, times, result (engines.records.record).")

    class Meta:
        ordering = ["check_run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["check_run", "number"], name="a_check_has_each_game_once"),
            models.CheckConstraint(name="a_submission_plays_on_a_seat", condition=Q(seat__in=[0, 1])),
        ]

    def __str__(self) -> str:
        return f"qualification game {self.number} of {self.check_run}"


class Version(models.Model):
    """The immutable build that a submission became once it had qualified. Games name versions, not bots."""

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions", help_text="Whose version it is.")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the bot.")
    submission = models.OneToOneField(Submission, models.PROTECT, related_name="version",
                                      help_text="The upload that it came from.")
    archive = models.FileField(upload_to="bots/", help_text="The archive as uploaded, named by its hash.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive.")
    artefact = models.FileField(upload_to="builds/", help_text="What workers run: the files that its build left, named "
                                                               "by their hash; the archive when nothing was built.")
    artefact_sha256 = models.CharField(max_length=64, help_text="Hash of the artefact; workers fetch and cache by it.")
    rulesets = models.JSONField(help_text="Slugs of the rulesets that it plays.")
    # A sandbox without all its walls only runs code of people who could harm the machine anyway.
    trusted = models.BooleanField(help_text="Uploaded by the site's staff: may run on workers of the reduced tier.")
    created_at = models.DateTimeField(help_text="When it had qualified.")
    status = models.CharField(max_length=10, choices=VersionStatus, default=VersionStatus.ACTIVE,
                              help_text="Whether it takes part; the only thing about it that changes.")

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
