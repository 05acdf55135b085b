"""The machines that play."""

from django.db import models


class Worker(models.Model):
    """A worker as it last declared itself. Its processes claim matches under its name and their own process ids."""

    name = models.CharField(max_length=120, unique=True, help_text="Host and process.")
    host = models.CharField(max_length=100, help_text="The machine.")
    tier = models.CharField(max_length=20, help_text="How much its sandbox contains.")
    rulesets = models.JSONField(help_text="Slugs of the rulesets whose queues it serves.")
    cores = models.PositiveSmallIntegerField(help_text="Processor cores of the machine.")
    concurrency = models.PositiveSmallIntegerField(help_text="Matches that it plays at a time.")
    software = models.CharField(max_length=40, help_text="The version of Squarefield that it runs.")
    tools = models.JSONField(null=True, help_text="Versions of the tools that bots find there, by name; null from a "
                                                  "release before they were told.")
    load = models.FloatField(null=True, help_text="The machine's load over the last minute, as it last said.")
    started_at = models.DateTimeField(help_text="When it started.")
    seen_at = models.DateTimeField(help_text="When it was last heard of.")
    draining = models.BooleanField(default=False, help_text="It finishes what it plays and takes no more.")
    stopped_at = models.DateTimeField(null=True, help_text="When it said that it stops.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
