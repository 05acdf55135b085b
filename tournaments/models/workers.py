"""Workers, coordinators, queues that stand still without workers, and the releases by whose rules workers must play."""

from django.db import models
from django.db.models import Q

from tournaments.models.lifecycle import Gap
from tournaments.models.names import NamesField


class Worker(models.Model):
    """A worker as it last declared itself. Its processes claim matches under its name and their own process IDs."""

    name = models.CharField(max_length=120, unique=True, help_text="Host name and process ID.")
    host = models.CharField(max_length=100, help_text="Host name of the machine.")
    tier = models.CharField(max_length=20, help_text="Isolation tier of its sandbox.")
    rulesets = NamesField(help_text="Slugs of the rulesets whose queues it serves.")
    cores = models.PositiveSmallIntegerField(help_text="Processor cores of the machine.")
    concurrency = models.PositiveSmallIntegerField(help_text="Number of matches that it plays at a time.")
    software = models.CharField(max_length=40, help_text="Version of Squarefield that it runs.")
    tools = models.JSONField(null=True,
                             help_text="Versions of the tools available to bots, by name; null for a release that does "
                                       "not report them.")
    rules = models.JSONField(null=True,
                             help_text="Versions of its rulesets by slug; null for a release that does not report "
                                       "them.")
    load = models.FloatField(null=True, help_text="Load average of the machine over the last minute, as last reported.")
    started_at = models.DateTimeField(help_text="Time of the start.")
    seen_at = models.DateTimeField(help_text="Time of the last heartbeat.")
    beat_by = models.DateTimeField(null=True,
                                   help_text="Time by which the next heartbeat is due, while it has matches, checks or "
                                             "questions; null while it has none.")
    overdue_since = models.DateTimeField(null=True,
                                         help_text="Time at which a coordinator found the heartbeat overdue; the next "
                                                   "one clears it.")
    draining = models.BooleanField(default=False, help_text="It finishes its current matches and takes no new ones.")
    stopped_at = models.DateTimeField(null=True, help_text="Time at which it reported that it was stopping.")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(name="only_a_heartbeat_that_is_due_is_overdue",
                                   condition=Q(overdue_since=None) | Q(beat_by__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name


class Coordinator(models.Model):
    """A coordinator that runs. The row is deleted when it stops, or after a day without a pass."""

    name = models.CharField(max_length=120, unique=True, help_text="Host name and process ID.")
    seen_at = models.DateTimeField(help_text="Time of the last pass that it recorded, every few seconds.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Standstill(models.Model):
    """A queue of work that no worker may take. The row is reused when it happens again to the same queue."""

    queue = models.CharField(max_length=40, unique=True,
                             help_text="Slug of the ruleset whose matches wait, `submissions` or `questions`.")
    reason = models.CharField(max_length=10, choices=Gap, help_text="Reason why no worker may take the work.")
    began_at = models.DateTimeField(help_text="Time since which no worker may take the work.")
    # Until then it may be a short absence, such as a worker's restart.
    alarmed_at = models.DateTimeField(null=True, help_text="Time of the alarm; null before it.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which it was over; null while it lasts.")
    notified_at = models.DateTimeField(null=True, help_text="Time of the last notice to staff; null if there was none.")

    class Meta:
        ordering = ["queue"]

    def __str__(self) -> str:
        return self.queue


class Release(models.Model):
    """A release whose `manage.py migrate` declared other rules than the one before. The newest row counts."""

    rules = models.JSONField(help_text="Versions of the rulesets by slug.")
    software = models.CharField(max_length=40, help_text="Version of Squarefield.")
    declared_at = models.DateTimeField(help_text="Time of the declaration.")

    def __str__(self) -> str:
        return self.software
