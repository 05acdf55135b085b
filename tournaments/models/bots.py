"""Bots, what their authors uploaded, and the immutable versions that accepted uploads became."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Bot(models.Model):
    """A named competitor."""

    slug = models.SlugField(max_length=60, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=40, unique=True, help_text="As its manifest names it.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots",
                              help_text="Who may upload versions of it.")
    created_at = models.DateTimeField(help_text="When the first version was accepted.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """An upload, accepted or refused. Inserted when judged, never edited."""

    uploader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions",
                                 help_text="Who sent it.")
    received_at = models.DateTimeField(help_text="When it came in.")
    filename = models.CharField(max_length=200, help_text="What its sender called the file.")
    size = models.PositiveIntegerField(help_text="Bytes of the archive.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive.")
    accepted = models.BooleanField(help_text="Whether a version came of it.")
    refusal = models.TextField(blank=True, help_text="Why it was refused, as told to its sender.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_submission_is_accepted_or_says_why_not",
                                   condition=Q(accepted=True, refusal="") | (Q(accepted=False) & ~Q(refusal=""))),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({'accepted' if self.accepted else 'refused'})"


class Version(models.Model):
    """The immutable build that an accepted submission became. Games name versions, not bots."""

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions", help_text="Whose version it is.")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the bot.")
    submission = models.OneToOneField(Submission, models.PROTECT, related_name="version",
                                      help_text="The upload that it came from.")
    archive = models.FileField(upload_to="bots/", help_text="The archive as uploaded, named by its hash.")
    sha256 = models.CharField(max_length=64, help_text="Hash of the archive; workers fetch and cache by it.")
    rulesets = models.JSONField(help_text="Slugs of the rulesets that it plays.")
    # A sandbox without all its walls only runs code of people who could harm the machine anyway.
    trusted = models.BooleanField(help_text="Uploaded by the site's staff: may run on workers of the reduced tier.")
    created_at = models.DateTimeField(help_text="When it was accepted.")

    class Meta:
        ordering = ["bot", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="a_bot_numbers_each_version_once"),
            models.CheckConstraint(name="version_numbers_start_at_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"
