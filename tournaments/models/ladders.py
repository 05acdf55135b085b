"""Ladders, who plays on them, and challenges."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Ladder(models.Model):
    """One ruleset, board size, time control and rule on pondering; ratings on it are comparable."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=80, help_text="As people call it.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells a side.")
    base_seconds = models.FloatField(default=0, help_text="Thinking time at the start of a game, in seconds; "
                                                          "0 with a fixed time per turn.")
    increment_seconds = models.FloatField(default=0, help_text="Thinking time added after each turn, in seconds.")
    # 0 and not null: a unique constraint takes two nulls for different.
    per_turn_seconds = models.FloatField(default=0, help_text="A fixed time for each turn, in seconds, of which none "
                                                              "is kept; 0 with a base.")
    pondering = models.BooleanField(default=False, help_text="Bots may think while the other is to move; "
                                                             "otherwise they are frozen then.")
    is_open = models.BooleanField(default=True, help_text="Its bots are paired with each other all the time; "
                                                          "otherwise it is played on in events only.")

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
    """A bot's place on an open ladder, and the version that plays for it there now."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="entries", help_text="Where.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="ladder_entries", help_text="Who plays.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="ladder_entries",
                                help_text="The build that plays its next matches.")
    active = models.BooleanField(default=True, help_text="It is paired; otherwise it has left, and keeps its rating.")
    on_trial = models.BooleanField(default=False, help_text="A new version takes over after a trial that it passes; "
                                                            "otherwise at once.")
    joined_at = models.DateTimeField(help_text="When the bot came first.")
    version_since = models.DateTimeField(help_text="When this version took over.")
    # Of this version here: new versions get their games first, and nobody waits for ever.
    matches = models.PositiveIntegerField(default=0, help_text="Matches that this version has been given here.")
    firsts = models.PositiveIntegerField(default=0, help_text="Of these, in how many it was the first of the pair.")
    # What the matchmaker needs of every bot at every step, and would be long in reading out of the matches.
    recent = models.JSONField(default=list, blank=True, help_text="Ids of the last bots that it was paired with here, "
                                                                  "newest first, each once.")
    waiting_since = models.DateTimeField(help_text="When it was last given a match, or joined.")
    # The health probe: three faults in a row rest it, and a match later shows whether it is well again.
    faults = models.PositiveSmallIntegerField(default=0, help_text="Games in a row that ended by its fault.")
    probe_at = models.DateTimeField(null=True, help_text="It is rested for its faults until then; empty when it is "
                                                         "not.")
    rests = models.PositiveSmallIntegerField(default=0, help_text="How often this version was rested here: each time "
                                                                  "for twice as long.")

    class Meta:
        ordering = ["ladder", "bot"]
        verbose_name_plural = "ladder entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="a_bot_is_on_a_ladder_once")]
        indexes = [models.Index(name="ladder_entry_waiting", fields=["ladder", "waiting_since"],
                                condition=Q(active=True))]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"


class Challenge(models.Model):
    """Unrated matches, version against version, that somebody asked for."""

    ladder = models.ForeignKey(Ladder, models.PROTECT, related_name="challenges", help_text="What is played.")
    first = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="challenges_as_first",
                              help_text="The challenger.")
    second = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="challenges_as_second",
                               help_text="Whom it challenges; may be another version of the same bot.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="challenges",
                                   help_text="Who asked for it.")
    created_at = models.DateTimeField(help_text="When.")
    cancelled_at = models.DateTimeField(null=True, help_text="When its open matches were called off.")

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(name="a_version_does_not_challenge_itself",
                                              condition=~Q(first=F("second")))]

    def __str__(self) -> str:
        return f"{self.first} challenges {self.second}"
