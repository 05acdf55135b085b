"""Questions to bots, and the casual games between a human and a bot that consist of them. Both are never rated."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.leased import Leased
from tournaments.models.lifecycle import QUESTION_OPEN, QUESTION_TRANSITIONS, CasualStatus, QuestionStatus


class Asker(models.Model):
    """An account, or a visitor identified by the key in their cookie and by a hash of their network's address."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, db_index=False,
                             related_name="%(class)ss", help_text="Owner; null for a visitor.")
    visitor = models.CharField(max_length=32, blank=True,
                               help_text="Key in the visitor's cookie; empty for an account.")
    network = models.CharField(max_length=32, blank=True,
                               help_text="Hash of the visitor's network, which has a limit of its own.")
    created_at = models.DateTimeField(help_text="Time of the request.")

    class Meta:
        abstract = True


class CasualGame(Asker):
    """A game between a human and a bot, played in the browser: unrated, and not part of the bot's record."""

    token = models.CharField(max_length=32, unique=True, help_text="Identifier in URLs.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="casual_games",
                                help_text="Version that plays.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells per side.")
    seat = models.PositiveSmallIntegerField(help_text="Seat of the human player; seat 0 moves first.")
    # The player's clock; the bot has a fixed time per turn.
    base_seconds = models.FloatField(null=True,
                                     help_text="The player's time for the game in seconds; null for no clock.")
    increment_seconds = models.FloatField(default=0, help_text="Seconds added after each of the player's turns.")
    bot_seconds = models.FloatField(help_text="The bot's time per turn in seconds.")
    opening = models.JSONField(default=list, blank=True, help_text="Opening turns, as text.")
    turns = models.JSONField(default=list, blank=True, help_text="Turns after the opening: text and seconds of each.")
    left_seconds = models.FloatField(null=True,
                                     help_text="The player's remaining time at the start of their turn, in seconds.")
    turn_began_at = models.DateTimeField(help_text="Start of the current turn.")
    deadline_at = models.DateTimeField(null=True,
                                       help_text="Time by which the player must move; null while the bot is to move.")
    status = models.CharField(max_length=10, choices=CasualStatus, default=CasualStatus.PLAYING,
                              help_text="Current status.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="Winning seat; null for a draw.")
    ended_by = models.CharField(max_length=10, blank=True, help_text="Kind of ending: rule, conduct or policy.")
    reason = models.CharField(max_length=20, blank=True,
                              help_text="Ending within that kind, such as connection or time.")
    ended_at = models.DateTimeField(null=True, help_text="End of the game.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_casual_status_is_known", condition=Q(status__in=CasualStatus.values)),
            models.CheckConstraint(name="a_casual_game_is_a_persons_or_a_visitors",
                                   condition=Q(user__isnull=False, visitor="") | (Q(user__isnull=True)
                                                                                 & ~Q(visitor=""))),
            models.CheckConstraint(name="a_person_has_a_seat", condition=Q(seat__in=[0, 1])),
            models.CheckConstraint(name="a_casual_winner_is_a_seat",
                                   condition=Q(winner__isnull=True) | Q(winner__in=[0, 1])),
            models.CheckConstraint(name="a_finished_casual_game_and_no_other_says_how",
                                   condition=Q(status=CasualStatus.FINISHED, ended_by__in=["rule", "conduct", "policy"])
                                   | (~Q(status=CasualStatus.FINISHED) & Q(ended_by=""))),
            models.CheckConstraint(name="a_casual_game_ends_once",
                                   condition=Q(status=CasualStatus.PLAYING, ended_at__isnull=True)
                                   | (~Q(status=CasualStatus.PLAYING) & Q(ended_at__isnull=False))),
        ]
        indexes = [
            models.Index(name="casual_deadline", fields=["deadline_at"], condition=Q(status=CasualStatus.PLAYING)),
            models.Index(name="casual_of_user", fields=["user", "-created_at"], condition=Q(user__isnull=False)),
            models.Index(name="casual_of_visitor", fields=["visitor", "-created_at"],
                         condition=Q(user__isnull=True)),
            models.Index(name="casual_of_network", fields=["network", "-created_at"],
                         condition=Q(user__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"casual game {self.pk} against {self.version}"


class Question(Asker, Leased):
    """A request for a version's turn in a position: a worker asks the version under a lease, and it answers once."""

    (WAITING,), (TAKEN,) = QUESTION_TRANSITIONS["claim"], QUESTION_TRANSITIONS["release"]
    LEASE_LOST = "the lease was lost before the question was answered"
    TRUSTED = Q(version__trusted=True)

    token = models.CharField(max_length=32, unique=True, help_text="Identifier in URLs.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="questions",
                                help_text="Version that is asked.")
    casual = models.ForeignKey(CasualGame, models.CASCADE, null=True, related_name="questions", db_index=False,
                               help_text="Casual game whose next turn is asked for, if any.")
    game = models.ForeignKey("tournaments.Game", models.CASCADE, null=True, related_name="questions",
                             help_text="Recorded game that the position is from, if any.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells per side.")
    turns = models.JSONField(default=list, blank=True, help_text="Turns that lead to the position, as text.")
    base_seconds = models.FloatField(default=0,
                                     help_text="Base of the time control sent to the bot, in seconds; 0 with a fixed "
                                               "time per turn.")
    increment_seconds = models.FloatField(default=0, help_text="Increment per turn of that time control, in seconds.")
    per_turn_seconds = models.FloatField(default=0,
                                         help_text="Fixed time per turn of that time control, in seconds; 0 with a "
                                                   "base.")
    left_seconds = models.FloatField(help_text="Remaining time on the bot's clock, in seconds.")
    status = models.CharField(max_length=10, choices=QuestionStatus, default=QuestionStatus.RECEIVED,
                              help_text="Current status.")
    worker = models.CharField(max_length=120, blank=True, help_text="Host and process of the last claim.")
    tier = models.CharField(max_length=20, blank=True, help_text="Sandbox tier of that worker.")
    setback = models.TextField(blank=True, help_text="Reason why the last attempt was void.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which it was answered, finally void, or dropped.")
    answer = models.TextField(blank=True, help_text="Turn, as text; empty if there is none.")
    fault = models.CharField(max_length=10, blank=True,
                             help_text="Fault that would lose a game, such as illegal or crash.")
    # Untrusted text; shown escaped.
    fault_line = models.TextField(blank=True, help_text="The bot's output line, if that was the fault.")
    fault_message = models.TextField(blank=True, help_text="Description of the fault.")
    seconds = models.FloatField(null=True, help_text="Time charged to the bot's clock, in seconds.")
    wall_seconds = models.FloatField(null=True, help_text="Wall-clock time taken, in seconds.")
    # For the bot's owner and staff.
    stderr = models.BinaryField(blank=True, default=b"", help_text="The bot's stderr, truncated.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_question_status_is_known", condition=Q(status__in=QuestionStatus.values)),
            models.CheckConstraint(name="a_question_is_a_persons_or_a_visitors",
                                   condition=Q(user__isnull=False, visitor="") | (Q(user__isnull=True)
                                                                                 & ~Q(visitor=""))),
            models.CheckConstraint(name="a_question_being_asked_is_leased",
                                   condition=~Q(status=QuestionStatus.ASKING) | Q(lease_until__isnull=False)),
            models.CheckConstraint(name="an_open_question_and_no_other_has_no_end",
                                   condition=Q(status__in=QUESTION_OPEN, ended_at__isnull=True)
                                   | (~Q(status__in=QUESTION_OPEN) & Q(ended_at__isnull=False))),
            models.CheckConstraint(name="an_answer_is_a_turn_or_a_fault",
                                   condition=(Q(status=QuestionStatus.ANSWERED, seconds__isnull=False, fault="")
                                              & ~Q(answer=""))
                                   | (Q(status=QuestionStatus.ANSWERED, seconds__isnull=False, answer="")
                                      & ~Q(fault=""))
                                   | (~Q(status=QuestionStatus.ANSWERED) & Q(answer="", fault=""))),
            models.UniqueConstraint(fields=["casual"], condition=Q(status__in=QUESTION_OPEN),
                                    name="a_casual_game_has_one_open_question"),
        ]
        # Partial indexes, each for one query of the dispatcher, the reaper or the limits. They hold only the rows
        # needed.
        indexes = [
            models.Index(name="question_waiting", fields=["id"], condition=Q(status=QuestionStatus.RECEIVED)),
            models.Index(name="question_leased", fields=["lease_until"], condition=Q(status=QuestionStatus.ASKING)),
            models.Index(name="question_of_casual", fields=["casual", "-id"], condition=Q(casual__isnull=False)),
            models.Index(name="question_of_user", fields=["user", "-created_at"], condition=Q(user__isnull=False)),
            models.Index(name="question_of_visitor", fields=["visitor", "-created_at"],
                         condition=Q(user__isnull=True, casual__isnull=True)),
            models.Index(name="question_of_network", fields=["network", "-created_at"],
                         condition=Q(user__isnull=True, casual__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"question {self.pk} to {self.version}"
