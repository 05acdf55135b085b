"""Matches, their attempts, and the games that count."""

from django.db import models
from django.db.models import F, Q

from tournaments.models.leased import Leased, Run
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, MatchKind, MatchStatus


class Match(Leased):
    """Two games of a pairing from the same opening, with seats swapped: the unit of work for a worker."""

    (WAITING,), (TAKEN,) = MATCH_TRANSITIONS["claim"], MATCH_TRANSITIONS["finish"]
    LEASE_LOST = "the lease was lost before the match was finished"
    TRUSTED = Q(first__trusted=True, second__trusted=True)

    kind = models.CharField(max_length=10, choices=MatchKind, help_text="Purpose of the match.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="matches",
                               help_text="Ladder whose rules apply.")
    rated = models.BooleanField(default=True, help_text="The games count for the ladder.")
    # Here and below, a column has no index of its own if a unique constraint or another index begins with it.
    event = models.ForeignKey("tournaments.Event", models.CASCADE, null=True, related_name="matches", db_index=False,
                              help_text="Event that the match belongs to, if any.")
    round = models.ForeignKey("tournaments.Round", models.CASCADE, null=True, related_name="matches", db_index=False,
                              help_text="Round of the event.")
    number = models.PositiveIntegerField(null=True, help_text="Number within the round or the trial, from 1.")
    challenge = models.ForeignKey("tournaments.Challenge", models.CASCADE, null=True, related_name="matches",
                                  db_index=False, help_text="Challenge that the match belongs to, if any.")
    candidacy = models.ForeignKey("tournaments.Candidacy", models.CASCADE, null=True, related_name="matches",
                                  db_index=False, help_text="Trial that the match belongs to, if any.")
    created_at = models.DateTimeField(help_text="Time of the pairing.")
    first = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="matches_as_first", db_index=False,
                              help_text="Version with seat 0 in the first game.")
    second = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="matches_as_second",
                               help_text="Version with seat 0 in the second game.")
    seed = models.PositiveBigIntegerField(help_text="Seed of everything random in the match.")
    opening = models.JSONField(default=list, blank=True, help_text="Opening turns of both games, as text.")
    # Copies, so that dispatch and claim read one row: facts that never change once the match exists, and the event's
    # pause.
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset, which determines the queue.")
    held = models.BooleanField(default=False, help_text="The match is not dispatched because its event is paused.")
    status = models.CharField(max_length=10, choices=MatchStatus, default=MatchStatus.QUEUED,
                              help_text="Current status.")
    called_off = models.BooleanField(default=False, db_default=False,
                                     help_text="A bot left during the match, or its event, trial or challenge was "
                                               "cancelled: if the attempt is void, the match is cancelled and not "
                                               "retried.")
    ended_at = models.DateTimeField(null=True,
                                    help_text="Time at which the match was finished, finally void, or cancelled.")
    # The period's number within the ladder, not a foreign key: `ratings` refers to this app, so this app must not refer
    # to it.
    rating_period = models.PositiveIntegerField(null=True,
                                                help_text="Number of the ladder's rating period that includes the "
                                                          "games.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="a_match_is_numbered_once_in_its_round"),
            models.CheckConstraint(name="a_bot_version_does_not_meet_itself", condition=~Q(first=F("second"))),
            models.CheckConstraint(
                name="a_match_belongs_to_what_it_is_played_for",
                condition=Q(kind=MatchKind.EVENT, event__isnull=False, round__isnull=False, number__isnull=False,
                            challenge__isnull=True, candidacy__isnull=True)
                | Q(kind=MatchKind.LADDER, event__isnull=True, round__isnull=True, challenge__isnull=True,
                    candidacy__isnull=True)
                | Q(kind=MatchKind.TRIAL, event__isnull=True, round__isnull=True, challenge__isnull=True,
                    candidacy__isnull=False, number__isnull=False, rated=False)
                | Q(kind=MatchKind.CHALLENGE, event__isnull=True, round__isnull=True, challenge__isnull=False,
                    candidacy__isnull=True, rated=False)),
            # A void or cancelled match is replaced under the same number.
            models.UniqueConstraint(fields=["candidacy", "number"], name="a_trial_has_each_match_once",
                                    condition=Q(candidacy__isnull=False)
                                    & ~Q(status__in=[MatchStatus.VOID, MatchStatus.CANCELLED])),
            models.CheckConstraint(name="a_match_status_is_known", condition=Q(status__in=MatchStatus.values)),
            models.CheckConstraint(name="a_running_match_is_leased",
                                   condition=~Q(status=MatchStatus.RUNNING) | Q(lease_until__isnull=False)),
        ]
        # Partial indexes, each for one query of the dispatcher, the reaper or the rater. They hold only open work, so
        # that the queries take as long with a million matches as with a thousand.
        indexes = [
            models.Index(name="match_queued", fields=["ruleset", "kind", "id"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_queued_of_event", fields=["event", "id"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_published", fields=["published_at"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_leased", fields=["lease_until"], condition=Q(status=MatchStatus.RUNNING)),
            # Matches whose next try is due at a certain time, which the coordinator sleeps until.
            models.Index(name="match_postponed", fields=["due_at"],
                         condition=Q(status=MatchStatus.QUEUED, held=False, due_at__isnull=False)),
            models.Index(name="match_open", fields=["event"],
                         condition=Q(status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])),
            # An event's newest matches, for lists; most matches belong to no event.
            models.Index(name="match_of_event", fields=["event", "-id"], condition=Q(event__isnull=False)),
            models.Index(name="match_of_challenge", fields=["challenge", "id"],
                         condition=Q(challenge__isnull=False)),
            models.Index(name="match_of_candidacy", fields=["candidacy", "id"],
                         condition=Q(candidacy__isnull=False)),
            # Matches of the last 24 hours, for quotas.
            models.Index(name="match_given", fields=["created_at"],
                         condition=Q(kind__in=[MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE])),
            # Matches between two versions, to see which openings they have had.
            models.Index(name="match_pair", fields=["first", "second"]),
            models.Index(name="match_unrated", fields=["ladder", "id"],
                         condition=Q(status=MatchStatus.FINISHED, rated=True, rating_period__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.first} – {self.second}"


class Attempt(Run):
    """One numbered run of a match under a lease. Exactly one attempt of a finished match counts."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="attempts", db_index=False,
                              help_text="Match that was attempted.")

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            *Run.Meta.constraints,
            models.UniqueConstraint(fields=["match", "number"], name="an_attempt_is_numbered_once"),
            models.UniqueConstraint(fields=["match"], condition=Q(status=AttemptStatus.COUNTED),
                                    name="one_attempt_of_a_match_counts"),
        ]
        indexes = [
            models.Index(name="attempt_running", fields=["worker"], condition=Q(status=AttemptStatus.RUNNING)),
            models.Index(name="attempt_void", fields=["ended_at"], condition=Q(status=AttemptStatus.VOID)),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of match {self.match_id}"


class StarvedVoid(models.Model):
    """A void attempt in which a version would have lost on time because the host starved it of CPU time."""

    attempt = models.OneToOneField(Attempt, models.CASCADE, related_name="starved_void", help_text="The void attempt.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="starved_voids", db_index=False,
                                help_text="Version that would have lost on time.")
    at = models.DateTimeField(help_text="Time of detection.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(name="starved_void_of", fields=["version", "at"])]

    def __str__(self) -> str:
        return f"{self.version} in {self.attempt}"


class Game(models.Model):
    """One game, from opening to result. Inserted when the match ends, and never edited."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="games", db_index=False,
                              help_text="Match that the game belongs to.")
    number = models.PositiveSmallIntegerField(help_text="Number within the match, 1 or 2.")
    # A copy of the match's event, which never changes: finding an event's games, and hiding them if it is private, does
    # not read the matches of all other events.
    event = models.ForeignKey("tournaments.Event", models.CASCADE, null=True, related_name="games", db_index=False,
                              help_text="Event that the match belongs to, if any.")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="games", help_text="Attempt that counted.")
    seat0 = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="games_as_seat0",
                              help_text="Version that moved first.")
    seat1 = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="games_as_seat1",
                              help_text="Version that moved second.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="Winning seat; null for a draw.")
    ended_by = models.CharField(max_length=10, help_text="Kind of ending: rule, conduct or policy.")
    reason = models.CharField(max_length=20, help_text="Ending within that kind, such as connection, time or ply cap.")
    plies = models.PositiveIntegerField(help_text="Number of turns played.")
    record = models.JSONField(help_text="The whole game: turns, times and result (engines.records.record).")
    # For the bot's owner and staff, never for the opponent; shown escaped.
    stderr0 = models.BinaryField(blank=True, default=b"", help_text="Stderr of seat 0, truncated.")
    stderr1 = models.BinaryField(blank=True, default=b"", help_text="Stderr of seat 1, truncated.")
    ended_at = models.DateTimeField(help_text="End of the match.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="a_match_has_each_game_once"),
            models.CheckConstraint(name="a_winner_is_a_seat", condition=Q(winner__isnull=True) | Q(winner__in=[0, 1])),
            models.CheckConstraint(name="a_game_ends_by_rule_conduct_or_policy",
                                   condition=Q(ended_by__in=["rule", "conduct", "policy"])),
            models.CheckConstraint(name="a_forfeit_has_a_winner",
                                   condition=~Q(ended_by="conduct") | Q(winner__isnull=False)),
        ]
        # Rare endings can be found without reading all other games.
        indexes = [
            models.Index(name="game_ended_by", fields=["ended_by", "-id"]),
            models.Index(name="game_reason", fields=["reason", "-id"]),
            # The longest games, and backwards the shortest.
            models.Index(name="game_length", fields=["-plies", "-id"]),
            # An event's newest games and winners: its tables are computed from the index alone. Most games belong to no
            # event.
            models.Index(name="game_of_event", fields=["event", "-id", "seat0", "seat1", "winner"],
                         condition=Q(event__isnull=False)),
            # Among games of equal length, those of an old event come last: the index above would read all others first.
            models.Index(name="game_length_in_event", fields=["event", "-plies", "-id"],
                         condition=Q(event__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"


class Side(models.Model):
    """A game from the point of view of one of its bots, for histories and head-to-heads. Inserted with the game."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="sides", db_index=False, help_text="The game.")
    seat = models.PositiveSmallIntegerField(help_text="Seat; seat 0 moved first.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="sides", db_index=False,
                            help_text="The bot.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="sides",
                                help_text="Version that played.")
    opponent = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="sides_against",
                                 help_text="The opponent.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="sides",
                               help_text="Ladder whose rules applied.")
    score = models.FloatField(help_text="1 for a win, 0.5 for a draw, 0 for a loss.")
    at_fault = models.BooleanField(help_text="The bot lost by its own fault.")

    class Meta:
        ordering = ["-game_id", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="a_game_has_each_side_once")]
        indexes = [
            models.Index(name="side_history", fields=["bot", "-game"]),
            models.Index(name="side_pair", fields=["bot", "opponent", "-game"]),
            # The bot's page counts from these alone, no matter how many games there are.
            models.Index(name="side_record", fields=["bot", "ladder", "seat", "score"]),
            models.Index(name="side_fault", fields=["bot", "game"], condition=Q(at_fault=True)),
        ]

    def __str__(self) -> str:
        return f"{self.version} in game {self.game_id}"
