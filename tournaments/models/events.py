"""Ladders, and the events that are played on them: entries and rounds."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.lifecycle import EventStatus


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


class Event(models.Model):
    """A bounded competition on a ladder. So far a round-robin of one or more cycles."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=80, help_text="As people call it.")
    ladder = models.ForeignKey(Ladder, models.PROTECT, related_name="events", help_text="What is played.")
    cycles = models.PositiveSmallIntegerField(help_text="How often each pair meets, for two games, seats rotated.")
    status = models.CharField(max_length=10, choices=EventStatus, default=EventStatus.SCHEDULED,
                              help_text="Where it is in its life.")
    seed = models.PositiveBigIntegerField(help_text="Decides the order of entries and the matches' own seeds.")
    openings = models.BooleanField(default=True, help_text="Games begin from openings drawn by lot, each match's two "
                                                           "from the same; otherwise from the empty board.")
    starts_at = models.DateTimeField(help_text="When it starts by itself.")
    started_at = models.DateTimeField(null=True, help_text="When it did start.")
    ended_at = models.DateTimeField(null=True, help_text="When it finished or was cancelled.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="events",
                                   help_text="Its organiser.")
    created_at = models.DateTimeField(help_text="When it was scheduled.")
    # The site's pages ask "has anything changed?" with it; every write to the event's matches adds one.
    revision = models.PositiveIntegerField(default=0, help_text="Grows with every finished or void match.")

    class Meta:
        ordering = ["-starts_at", "-id"]
        constraints = [
            models.CheckConstraint(name="an_event_has_a_cycle", condition=Q(cycles__gte=1)),
            models.CheckConstraint(name="an_event_status_is_known", condition=Q(status__in=EventStatus.values)),
            models.CheckConstraint(
                name="an_event_that_ended_says_when",
                condition=Q(ended_at__isnull=False, status__in=[EventStatus.FINISHED, EventStatus.CANCELLED])
                | (Q(ended_at__isnull=True) & ~Q(status__in=[EventStatus.FINISHED, EventStatus.CANCELLED])),
            ),
        ]
        indexes = [models.Index(name="event_due", fields=["starts_at"], condition=Q(status=EventStatus.SCHEDULED))]

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """A version's place in an event; a bot enters an event once."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="entries", help_text="The competition.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="entries", help_text="Who plays.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="entries",
                                help_text="The build that plays every game of the event.")
    place = models.PositiveIntegerField(help_text="Its number in the draw, from 0.")

    class Meta:
        ordering = ["event", "place"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["event", "bot"], name="a_bot_enters_an_event_once"),
            models.UniqueConstraint(fields=["event", "place"], name="a_place_in_the_draw_is_taken_once"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.event}"


class Round(models.Model):
    """Pairings that are playable together; its games are rated together, as one rating period."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="rounds", help_text="The competition.")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the event.")

    class Meta:
        ordering = ["event", "number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="a_round_is_numbered_once")]

    def __str__(self) -> str:
        return f"round {self.number} of {self.event}"
