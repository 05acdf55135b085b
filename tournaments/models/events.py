"""Events on ladders, the series that repeat them, entries, rounds and byes."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from tournaments.formats import registry
from tournaments.models.lifecycle import EventStatus, Seeding
from tournaments.models.rulings import BYE_POINTS, MOST_MINUTES, WITHDRAWALS, Regulations
from tournaments.pairing.divisions import MOST_DIVISIONS

TARGETS = [("ratings", "Every rating"), ("first", "First places")]


class Format(models.Model):
    """The format of an event, which is the same for all events of a series."""

    format = models.CharField(max_length=20, choices=registry.choices, default=registry.DEFAULT,
                              help_text="Pairing system.")
    cycles = models.PositiveSmallIntegerField(default=1,
                                              help_text="Matches per pairing, each of two games with seats swapped; in "
                                                        "a round-robin, the number of cycles.")
    swiss_rounds = models.PositiveSmallIntegerField(null=True, blank=True,
                                                    help_text="Number of rounds of a Swiss; empty for as many as the "
                                                              "number of entries requires.")
    seeding = models.CharField(max_length=10, choices=Seeding, default=Seeding.RATING,
                               help_text="Order in which entrants are placed in the draw.")
    tie_breaks = models.JSONField(default=list, blank=True,
                                  help_text="Names of the tie-breaks in order of priority; empty for the format's own.")
    openings = models.BooleanField(default=True,
                                   help_text="Games start from random openings, the same one for both games of a "
                                             "match; otherwise from the empty board.")
    rated = models.BooleanField(default=True, help_text="The games count for the ladder.")
    private = models.BooleanField(default=False, help_text="Only invited users can see the event and enter it.")
    max_entries = models.PositiveIntegerField(null=True, blank=True,
                                              help_text="Maximum number of entries; empty for no limit.")

    target = models.CharField(max_length=10, blank=True, default="", db_default="", choices=TARGETS,
                              help_text="Target of a precision event; empty for other formats.")
    target_value = models.PositiveIntegerField(null=True, blank=True,
                                               help_text="For ratings, the half width of every 95 % interval in Elo; "
                                                         "for first places, their number.")
    max_matches = models.PositiveIntegerField(null=True, blank=True,
                                              help_text="Maximum number of matches of a precision event.")
    max_hours = models.PositiveIntegerField(null=True, blank=True,
                                            help_text="Maximum number of hours of a precision event; empty for no "
                                                      "limit.")

    class Meta:
        abstract = True


def _target_is_complete(name: str) -> models.CheckConstraint:
    """A target has a value and a limit of matches, and without a target there are no limits."""
    return models.CheckConstraint(name=name, condition=(
        Q(target="", target_value__isnull=True, max_matches__isnull=True, max_hours__isnull=True)
        | Q(Q(max_hours__isnull=True) | Q(max_hours__gte=1), target__in=[name for name, _ in TARGETS],
            target_value__isnull=False, target_value__gte=1, max_matches__isnull=False, max_matches__gte=1)))


def _policy_is_known(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(name=name, condition=Q(withdrawals__in=[policy for policy, _ in WITHDRAWALS]))


class Series(Format, Regulations):
    """An event that is repeated on a schedule, given as a cron expression in a time zone."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Name in URLs.")
    name = models.CharField(max_length=80, help_text="Display name, to which each event adds its date.")
    description = models.TextField(blank=True, max_length=4000, default="", db_default="",
                                   help_text="Description that each event starts with.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="series",
                               help_text="Ladder that the events are played on.")
    cron = models.CharField(max_length=100, help_text="Start times: minute, hour, day of month, month, day of week.")
    time_zone = models.CharField(max_length=60, default="UTC", help_text="Time zone of the start times.")
    enter_ladder = models.BooleanField(default=False, help_text="Enter every active bot of the ladder automatically.")
    division_size = models.PositiveSmallIntegerField(null=True, blank=True,
                                                     help_text="Number of bots of each division of a league; empty "
                                                               "for a series without divisions.")
    division_moves = models.PositiveSmallIntegerField(null=True, blank=True,
                                                      help_text="Number of bots that move up, and down, between two "
                                                                "divisions of a league after each season.")
    active = models.BooleanField(default=True,
                                 help_text="Whether further events are announced; false while the series is paused.")
    next_run_at = models.DateTimeField(null=True,
                                       help_text="Start of the next event to be announced; null once the series has "
                                                 "ended.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="series",
                                   help_text="Organiser of the series.")
    created_at = models.DateTimeField(help_text="Time of creation.")
    book = models.ForeignKey("tournaments.OpeningBook", models.PROTECT, null=True, related_name="series",
                             db_index=False, help_text="The organiser's own openings; null for the ruleset's.")

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "series"
        constraints = [
            _target_is_complete("a_target_of_a_series_is_complete"),
            _policy_is_known("a_series_policy_for_withdrawals_is_known"),
            models.CheckConstraint(name="a_series_with_a_book_has_openings",
                                   condition=Q(book__isnull=True) | Q(openings=True)),
            models.CheckConstraint(name="divisions_of_a_league_are_complete", condition=(
                Q(division_size__isnull=True, division_moves__isnull=True)
                | Q(division_size__isnull=False, division_moves__isnull=False, division_moves__gte=1,
                    division_size__gte=2 * F("division_moves")))),
        ]
        indexes = [models.Index(name="series_due", fields=["next_run_at"], condition=Q(active=True))]

    def __str__(self) -> str:
        return self.name


class Event(Format, Regulations):
    """A bounded competition on a ladder."""

    slug = models.SlugField(max_length=80, unique=True, help_text="Name in URLs.")
    name = models.CharField(max_length=80, help_text="Display name.")
    description = models.TextField(blank=True, max_length=4000, help_text="Description by the organiser.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="events",
                               help_text="Ladder that the event is played on.")
    series = models.ForeignKey(Series, models.PROTECT, null=True, related_name="events",
                               help_text="Series that the event belongs to, if any.")
    division = models.PositiveSmallIntegerField(default=0, db_default=0,
                                                help_text="Division of a league, from 1 for the highest; 0 for other "
                                                          "events, and before the season starts.")
    status = models.CharField(max_length=10, choices=EventStatus, default=EventStatus.SCHEDULED,
                              help_text="Current status.")
    seed = models.PositiveBigIntegerField(help_text="Seed of everything random in the event: places in the draw, and "
                                                    "the matches' seeds.")
    registration_opens_at = models.DateTimeField(null=True,
                                                 help_text="Time from which authors may enter; null if only the "
                                                           "organiser enters bots.")
    registration_closes_at = models.DateTimeField(null=True, help_text="Registration deadline; null for the start.")
    starts_at = models.DateTimeField(help_text="Scheduled start; the event then starts automatically.")
    started_at = models.DateTimeField(null=True, help_text="Actual start.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which the event finished or was cancelled.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="events",
                                   help_text="Organiser of the event.")
    created_at = models.DateTimeField(help_text="Time at which the event was scheduled.")
    book = models.ForeignKey("tournaments.OpeningBook", models.PROTECT, null=True, related_name="events",
                             db_index=False, help_text="The organiser's own openings; null for the ruleset's.")
    left_out = models.PositiveIntegerField(default=0, db_default=0,
                                           help_text="Number of bots of the ladder or of a league's last season that "
                                                     "the series did not enter because the event was full.")
    # The site's pages compare it to see whether anything has changed; every write to the event's matches adds one.
    revision = models.PositiveIntegerField(default=0,
                                           help_text="Counter that increases with every finished or void match.")

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
            _policy_is_known("an_event_policy_for_withdrawals_is_known"),
            _target_is_complete("a_target_of_an_event_is_complete"),
            models.CheckConstraint(name="an_event_with_streaks_has_a_duration",
                                   condition=Q(minutes=0, streaks=False)
                                   | Q(minutes__gte=1, minutes__lte=MOST_MINUTES)),
            models.CheckConstraint(name="an_event_with_a_book_has_openings",
                                   condition=Q(book__isnull=True) | Q(openings=True)),
            models.CheckConstraint(name="a_season_has_few_divisions", condition=Q(division__lte=MOST_DIVISIONS)),
            # If several coordinators announce the same event of a series, only one succeeds.
            models.UniqueConstraint(fields=["series", "starts_at", "division"],
                                    name="a_division_has_one_event_at_a_time"),
        ]
        indexes = [models.Index(name="event_due", fields=["starts_at"], condition=Q(status=EventStatus.SCHEDULED))]

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """Permission to see a private event and enter it."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="invitations", help_text="The private event.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="invitations",
                             help_text="The invited user.")
    created_at = models.DateTimeField(help_text="Time of the invitation.")

    class Meta:
        ordering = ["event", "user"]
        constraints = [models.UniqueConstraint(fields=["event", "user"], name="a_person_is_invited_once")]

    def __str__(self) -> str:
        return f"{self.user} to {self.event}"


class Entry(models.Model):
    """A version's place in an event. A bot can enter an event only once."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="entries", help_text="The event.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="entries", help_text="The entrant.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="entries",
                                help_text="Version that plays every game of the event.")
    place = models.PositiveIntegerField(null=True, help_text="Number in the draw, from 0; null before the start.")
    runs_the_gauntlet = models.BooleanField(default=False,
                                            help_text="In a gauntlet, whether the entrant is a runner: runners play "
                                                      "every other entrant, and the others play only runners.")
    entered_at = models.DateTimeField(help_text="Time of entry.")
    left_at = models.DateTimeField(null=True,
                                   help_text="Time of withdrawal from the running event, after which the entrant is no "
                                             "longer paired.")

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
    """Pairings that can be played at the same time. Their games are rated together, as one rating period."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="rounds", help_text="The event.")
    number = models.PositiveIntegerField(help_text="Number within the event, from 1.")
    label = models.CharField(max_length=60, blank=True, help_text="Name of the round in a knockout.")
    apart_relaxed = models.BooleanField(default=False, db_default=False,
                                        help_text="Whether bots of one owner or team could not be kept apart.")
    known = models.JSONField(null=True, editable=False,
                             help_text="In an arena, what was known when the wave was paired: the places of the free "
                                       "entrants, the number of open matches, and the seconds since the start.")

    class Meta:
        ordering = ["event", "number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="a_round_is_numbered_once")]

    def __str__(self) -> str:
        return f"round {self.number} of {self.event}"


class Bye(models.Model):
    """A bye: the entrant sits a round out, scores for it in a Swiss, and advances in a knockout."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes", help_text="The round.")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="byes", help_text="The entrant that sits out.")
    points = models.FloatField(default=1.0, db_default=1.0,
                               help_text="Points in a Swiss: 1. Releases up to 1.0 also gave 0.5 or 0, for a requested "
                                         "bye or a late entry.")

    class Meta:
        ordering = ["round", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["round", "entry"], name="an_entrant_sits_a_round_out_once"),
            models.CheckConstraint(name="a_bye_is_worth_a_win_or_less", condition=Q(points__in=[*BYE_POINTS, 1.0])),
        ]

    def __str__(self) -> str:
        return f"{self.entry} sits out round {self.round.number}"
