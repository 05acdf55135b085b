"""Ladders, their entries, and challenges."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Ladder(models.Model):
    """A combination of ruleset, board size, time control and pondering rule within which ratings are comparable."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Name in URLs.")
    name = models.CharField(max_length=80, help_text="Display name.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells per side.")
    base_seconds = models.FloatField(default=0,
                                     help_text="Thinking time at the start of a game, in seconds; 0 with a fixed time "
                                               "per turn.")
    increment_seconds = models.FloatField(default=0, help_text="Thinking time added after each turn, in seconds.")
    # 0 and not null, because a unique constraint treats two nulls as different.
    per_turn_seconds = models.FloatField(default=0,
                                         help_text="Fixed time per turn in seconds, not carried over to later turns; 0 "
                                                   "with a base.")
    pondering = models.BooleanField(default=False,
                                    help_text="Bots may think while the opponent is to move; otherwise they are frozen "
                                              "during that time.")
    is_open = models.BooleanField(default=True,
                                  help_text="Bots on the ladder are paired continuously; otherwise only events use it.")

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["ruleset", "size", "base_seconds", "increment_seconds", "per_turn_seconds", "pondering"],
                name="a_ladder_is_one_ruleset_size_time_control_and_pondering"),
            models.CheckConstraint(
                name="a_ladder_gives_time_for_the_game_or_for_each_turn",
                condition=Q(base_seconds__gt=0, per_turn_seconds=0)
                | Q(base_seconds=0, increment_seconds=0, per_turn_seconds__gt=0),
            ),
            models.CheckConstraint(name="an_increment_is_not_negative", condition=Q(increment_seconds__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name


class LadderEntry(models.Model):
    """A bot's place on an open ladder, and the version that currently plays for it there."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="entries", help_text="The ladder.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="ladder_entries", help_text="The bot.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="ladder_entries",
                                help_text="Version that plays the bot's next matches.")
    active = models.BooleanField(default=True,
                                 help_text="The bot is paired; otherwise it has left, and keeps its rating.")
    on_trial = models.BooleanField(default=False,
                                   help_text="A new version takes over only after passing a trial; otherwise "
                                             "immediately.")
    joined_at = models.DateTimeField(help_text="Time at which the bot first joined.")
    version_since = models.DateTimeField(help_text="Time at which this version took over.")
    # Both count for this version on this ladder: new versions get their games first, and no version waits for ever.
    matches = models.PositiveIntegerField(default=0,
                                          help_text="Number of matches given to this version on this ladder.")
    firsts = models.PositiveIntegerField(default=0,
                                         help_text="Number of those matches in which the version was first in the "
                                                   "pair.")
    # The matchmaker needs these for every bot at every step, and reading them from the matches would be slow.
    recent = models.JSONField(default=list, blank=True,
                              help_text="IDs of the bots that it was last paired with on this ladder, newest first, "
                                        "each once.")
    waiting_since = models.DateTimeField(help_text="Time at which it was last given a match, or joined.")
    # The health probe: three faults in a row suspend the bot, and a later match shows whether it is healthy again.
    faults = models.PositiveSmallIntegerField(default=0,
                                              help_text="Number of consecutive games that ended by the bot's fault.")
    probe_at = models.DateTimeField(null=True,
                                    help_text="End of the suspension after faults; null if the bot is not suspended.")
    rests = models.PositiveSmallIntegerField(default=0,
                                             help_text="Number of suspensions of this version on this ladder; each "
                                                       "lasts twice as long as the one before.")

    class Meta:
        ordering = ["ladder", "bot"]
        verbose_name_plural = "ladder entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="a_bot_is_on_a_ladder_once")]
        indexes = [models.Index(name="ladder_entry_waiting", fields=["ladder", "waiting_since"],
                                condition=Q(active=True))]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"


class Challenge(models.Model):
    """Unrated matches between two versions, started by a user."""

    ladder = models.ForeignKey(Ladder, models.PROTECT, related_name="challenges", help_text="Ladder whose rules apply.")
    first = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="challenges_as_first",
                              help_text="Version of the challenger.")
    second = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="challenges_as_second",
                               help_text="Version that is challenged; may be another version of the same bot.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="challenges",
                                   help_text="Account that started the challenge.")
    created_at = models.DateTimeField(help_text="Time of the challenge.")
    cancelled_at = models.DateTimeField(null=True, help_text="Time at which its open matches were cancelled.")

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(name="a_version_does_not_challenge_itself",
                                              condition=~Q(first=F("second")))]

    def __str__(self) -> str:
        return f"{self.first} challenges {self.second}"
