"""Matches, their attempts, and the games that count."""

from django.db import models
from django.db.models import F, Q

from tournaments.models.leased import Leased, Run
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, MatchKind, MatchStatus


class Match(Leased):
    """A pairing's two games from the same opening, seats rotated: the unit that a worker takes."""

    (WAITING,), (TAKEN,) = MATCH_TRANSITIONS["claim"], MATCH_TRANSITIONS["finish"]
    LEASE_LOST = "the lease was lost before the match was finished"

    kind = models.CharField(max_length=10, choices=MatchKind, help_text="What it is played for.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="matches", help_text="What is "
                                                                                                       "played.")
    rated = models.BooleanField(default=True, help_text="Its games count for the ladder.")
    # No index of its own here and below where a unique constraint or another index begins with the same column.
    event = models.ForeignKey("tournaments.Event", models.CASCADE, null=True, related_name="matches", db_index=False,
                              help_text="The competition, if it belongs to one.")
    round = models.ForeignKey("tournaments.Round", models.CASCADE, null=True, related_name="matches", db_index=False,
                              help_text="When it is due in its event.")
    number = models.PositiveIntegerField(null=True, help_text="1, 2, 3 … within the round or the trial.")
    challenge = models.ForeignKey("tournaments.Challenge", models.CASCADE, null=True, related_name="matches",
                                  db_index=False, help_text="The challenge that it is played for, if any.")
    candidacy = models.ForeignKey("tournaments.Candidacy", models.CASCADE, null=True, related_name="matches",
                                  db_index=False, help_text="The trial that it is played for, if any.")
    created_at = models.DateTimeField(help_text="When it was paired.")
    first = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="matches_as_first", db_index=False,
                              help_text="Has seat 0 in the first game.")
    second = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="matches_as_second",
                               help_text="Has seat 0 in the second game.")
    seed = models.PositiveBigIntegerField(help_text="All that is drawn by lot in the match comes from it.")
    opening = models.JSONField(default=list, blank=True, help_text="The turns that both games begin with, as text.")
    # Copies, so that dispatch and claim read one row: what never changes once the match exists, and the event's pause.
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset: names the queue.")
    held = models.BooleanField(default=False, help_text="Its event is paused: it is not dispatched.")
    status = models.CharField(max_length=10, choices=MatchStatus, default=MatchStatus.QUEUED,
                              help_text="Where it is in its life.")
    called_off = models.BooleanField(default=False, db_default=False,
                                     help_text="A bot left while it ran, or what it was played for was called off: "
                                               "once void, it is cancelled and not retried.")
    ended_at = models.DateTimeField(null=True, help_text="When it was finished, void for good, or cancelled.")
    # The period's number within the ladder, not its row: `ratings` points here, so nothing points back.
    rating_period = models.PositiveIntegerField(null=True,
                                                help_text="Which of the ladder's rating periods has its games.")

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
            # What is void or was called off is replaced under its number.
            models.UniqueConstraint(fields=["candidacy", "number"], name="a_trial_has_each_match_once",
                                    condition=Q(candidacy__isnull=False)
                                    & ~Q(status__in=[MatchStatus.VOID, MatchStatus.CANCELLED])),
            models.CheckConstraint(name="a_match_status_is_known", condition=Q(status__in=MatchStatus.values)),
            models.CheckConstraint(name="a_running_match_is_leased",
                                   condition=~Q(status=MatchStatus.RUNNING) | Q(lease_until__isnull=False)),
        ]
        # Partial, each for one question of the dispatcher, the reaper or the rater: they hold what is going on now,
        # so that the answers take as long at a million matches as at a thousand.
        indexes = [
            models.Index(name="match_queued", fields=["ruleset", "kind", "id"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_queued_of_event", fields=["event", "id"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_published", fields=["published_at"],
                         condition=Q(status=MatchStatus.QUEUED, held=False)),
            models.Index(name="match_leased", fields=["lease_until"], condition=Q(status=MatchStatus.RUNNING)),
            models.Index(name="match_open", fields=["event"],
                         condition=Q(status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])),
            # An event's newest, for lists; most matches are of no event.
            models.Index(name="match_of_event", fields=["event", "-id"], condition=Q(event__isnull=False)),
            models.Index(name="match_of_challenge", fields=["challenge", "id"],
                         condition=Q(challenge__isnull=False)),
            models.Index(name="match_of_candidacy", fields=["candidacy", "id"],
                         condition=Q(candidacy__isnull=False)),
            # What counts for quotas: the last 24 hours'.
            models.Index(name="match_given", fields=["created_at"],
                         condition=Q(kind__in=[MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE])),
            # What two versions have played: which openings they have had.
            models.Index(name="match_pair", fields=["first", "second"]),
            models.Index(name="match_unrated", fields=["ladder", "id"],
                         condition=Q(status=MatchStatus.FINISHED, rated=True, rating_period__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.first} – {self.second}"


class Attempt(Run):
    """One numbered run of a match under a lease. Exactly one attempt of a finished match counts."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="attempts", db_index=False,
                              help_text="What was tried.")

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
    """An attempt that is void because the host kept a version from playing: what would else have been its loss."""

    attempt = models.OneToOneField(Attempt, models.CASCADE, related_name="starved_void", help_text="The void run.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="starved_voids", db_index=False,
                                help_text="Who would have lost on time.")
    at = models.DateTimeField(help_text="When it was found.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(name="starved_void_of", fields=["version", "at"])]

    def __str__(self) -> str:
        return f"{self.version} in {self.attempt}"


class Game(models.Model):
    """One play from opening to result. Inserted with the match's end, never edited."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="games", db_index=False,
                              help_text="The match that it belongs to.")
    number = models.PositiveSmallIntegerField(help_text="1 or 2 within the match.")
    # A copy of the match's, which never changes: an event's games are found, and hidden if it is private, without
    # looking at the matches of all others.
    event = models.ForeignKey("tournaments.Event", models.CASCADE, null=True, related_name="games", db_index=False,
                              help_text="The competition, if its match belongs to one.")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="games", help_text="The run that counted.")
    seat0 = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="games_as_seat0",
                              help_text="Who moved first.")
    seat1 = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="games_as_seat1",
                              help_text="Who moved second.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="The winning seat; empty for a draw.")
    ended_by = models.CharField(max_length=10, help_text="rule, conduct or policy.")
    reason = models.CharField(max_length=20, help_text="The ending within that: connection, time, ply cap …")
    plies = models.PositiveIntegerField(help_text="Turns played.")
    record = models.JSONField(help_text="The whole game: turns, times, result (engines.records.record).")
    # For the bot's owner and staff; shown escaped, never to the opponent.
    stderr0 = models.BinaryField(blank=True, default=b"", help_text="What seat 0 wrote to stderr, cut.")
    stderr1 = models.BinaryField(blank=True, default=b"", help_text="What seat 1 wrote to stderr, cut.")
    ended_at = models.DateTimeField(help_text="When the match was finished.")

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
        # Rare endings are found without looking at all other games.
        indexes = [
            models.Index(name="game_ended_by", fields=["ended_by", "-id"]),
            models.Index(name="game_reason", fields=["reason", "-id"]),
            # An event's newest, and who won: its tables are counted in the index alone. Most games are of no event.
            models.Index(name="game_of_event", fields=["event", "-id", "seat0", "seat1", "winner"],
                         condition=Q(event__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"


class Side(models.Model):
    """A game as one of its bots sees it: what histories and head-to-heads are read from. Inserted with the game."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="sides", db_index=False, help_text="The game.")
    seat = models.PositiveSmallIntegerField(help_text="0 moved first.")
    bot = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="sides", db_index=False, help_text="Who.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="sides", help_text="As which "
                                                                                                       "build.")
    opponent = models.ForeignKey("tournaments.Bot", models.PROTECT, related_name="sides_against",
                                 help_text="Against whom.")
    ladder = models.ForeignKey("tournaments.Ladder", models.PROTECT, related_name="sides", help_text="At what.")
    score = models.FloatField(help_text="1 for a win, 0.5 for a draw, 0 for a loss.")
    at_fault = models.BooleanField(help_text="It lost by its conduct.")

    class Meta:
        ordering = ["-game_id", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="a_game_has_each_side_once")]
        indexes = [
            models.Index(name="side_history", fields=["bot", "-game"]),
            models.Index(name="side_pair", fields=["bot", "opponent", "-game"]),
            # The bot's page counts in these alone, however many games there are.
            models.Index(name="side_record", fields=["bot", "ladder", "seat", "score"]),
            models.Index(name="side_fault", fields=["bot", "game"], condition=Q(at_fault=True)),
        ]

    def __str__(self) -> str:
        return f"{self.version} in game {self.game_id}"
