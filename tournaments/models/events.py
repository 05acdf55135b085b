"""Events that are played on ladders, the series that repeat them, entries, rounds and byes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.formats import registry
from tournaments.models.lifecycle import EventStatus, Seeding


class Format(models.Model):
    """How an event is played; a series keeps the same for all of its events."""

    format = models.CharField(max_length=20, choices=registry.choices, default=registry.DEFAULT,
                              help_text="Who meets whom.")
    cycles = models.PositiveSmallIntegerField(default=1, help_text="Matches for each pairing, two games each with "
                                                                   "seats exchanged; in a round-robin, cycles.")
    swiss_rounds = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Rounds of a Swiss; empty for as "
                                                                                     "many as its entries need.")
    seeding = models.CharField(max_length=10, choices=Seeding, default=Seeding.RATING,
                               help_text="The order in which entrants are placed in the draw.")
    tie_breaks = models.JSONField(default=list, blank=True, help_text="Names of the tie-breaks, the first to decide "
                                                                      "first; empty for those of the format.")
    openings = models.BooleanField(default=True, help_text="Games begin from openings drawn by lot, each match's two "
                                                           "from the same; otherwise from the empty board.")
    rated = models.BooleanField(default=True, help_text="Its games count for the ladder.")
    private = models.BooleanField(default=False, help_text="Only who is invited may enter or see it.")
    max_entries = models.PositiveIntegerField(null=True, blank=True, help_text="How many may enter; empty for any "
                                                                               "number.")

    class Meta:
        abstract = True


class Series(Format):
    """An event that is held again and again, by a cron expression in a time zone."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=80, help_text="As people call it; its events add their date.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="series", help_text="What is played.")
    cron = models.CharField(max_length=100, help_text="When: minute, hour, day of month, month, day of week.")
    time_zone = models.CharField(max_length=60, default="UTC", help_text="Whose clock the times are by.")
    enter_ladder = models.BooleanField(default=False, help_text="Enter every active bot of the ladder by itself.")
    active = models.BooleanField(default=True, help_text="Whether it goes on.")
    next_run_at = models.DateTimeField(null=True, help_text="The start of the next event that it will announce.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="series",
                                   help_text="Its organiser.")
    created_at = models.DateTimeField(help_text="When it was set up.")

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "series"
        indexes = [models.Index(name="series_due", fields=["next_run_at"], condition=Q(active=True))]

    def __str__(self) -> str:
        return self.name


class Event(Format):
    """A bounded competition on a ladder."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=80, help_text="As people call it.")
    description = models.TextField(blank=True, max_length=4000, help_text="What its organiser says about it.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="events", help_text="What is played.")
    series = models.ForeignKey(Series, models.PROTECT, null=True, related_name="events",
                               help_text="What it is one of, if it recurs.")
    status = models.CharField(max_length=10, choices=EventStatus, default=EventStatus.SCHEDULED,
                              help_text="Where it is in its life.")
    seed = models.PositiveBigIntegerField(help_text="Decides what is drawn by lot: places, and the matches' seeds.")
    registration_opens_at = models.DateTimeField(null=True, help_text="From when authors may enter; empty when only "
                                                                      "the organiser enters bots.")
    registration_closes_at = models.DateTimeField(null=True, help_text="The deadline; empty for the start.")
    starts_at = models.DateTimeField(help_text="When it starts by itself.")
    started_at = models.DateTimeField(null=True, help_text="When it did start.")
    ended_at = models.DateTimeField(null=True, help_text="When it finished or was cancelled.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="events",
                                   help_text="Its organiser.")
    created_at = models.DateTimeField(help_text="When it was scheduled.")
    left_out = models.PositiveIntegerField(default=0, db_default=0, help_text="Bots of the ladder that its series did "
                                                                              "not enter, for want of room.")
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
            # Of several coordinators that announce the same event of a series, one does.
            models.UniqueConstraint(fields=["series", "starts_at"], name="a_series_has_one_event_at_a_time"),
        ]
        indexes = [models.Index(name="event_due", fields=["starts_at"], condition=Q(status=EventStatus.SCHEDULED))]

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """Leave to see a private event and enter it."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="invitations", help_text="The competition.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="invitations",
                             help_text="Who is invited.")
    created_at = models.DateTimeField(help_text="When.")

    class Meta:
        ordering = ["event", "user"]
        constraints = [models.UniqueConstraint(fields=["event", "user"], name="a_person_is_invited_once")]

    def __str__(self) -> str:
        return f"{self.user} to {self.event}"


class Entry(models.Model):
    """A version's place in an event; a bot enters an event once."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="entries", help_text="The competition.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="entries", help_text="Who plays.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="entries",
                                help_text="The build that plays every game of the event.")
    place = models.PositiveIntegerField(null=True, help_text="Its number in the draw, from 0; empty before the start.")
    runs_the_gauntlet = models.BooleanField(default=False, help_text="In a gauntlet: it meets all who do not, and "
                                                                     "these meet only such.")
    entered_at = models.DateTimeField(help_text="When it entered.")
    left_at = models.DateTimeField(null=True, help_text="When it left the running event: it is not paired any more.")

    class Meta:
        ordering = ["event", "place", "id"]
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
    label = models.CharField(max_length=60, blank=True, help_text="What it is called in a knockout.")

    class Meta:
        ordering = ["event", "number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="a_round_is_numbered_once")]

    def __str__(self) -> str:
        return f"round {self.number} of {self.event}"


class Bye(models.Model):
    """An entrant that sits a round out, and scores for it in a Swiss and advances in a knockout."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes", help_text="Which round.")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="byes", help_text="Who sits out.")

    class Meta:
        ordering = ["round", "entry"]
        constraints = [models.UniqueConstraint(fields=["round", "entry"], name="an_entrant_sits_a_round_out_once")]

    def __str__(self) -> str:
        return f"{self.entry} sits out round {self.round.number}"
