"""Questions to bots, and the casual games between a person and a bot that are made of them. None is ever rated."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.leased import Leased
from tournaments.models.lifecycle import QUESTION_OPEN, QUESTION_TRANSITIONS, CasualStatus, QuestionStatus


class Asker(models.Model):
    """Who wants to know: an account, or a visitor by the key in their cookie and a hash of their network's address."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, db_index=False,
                             related_name="%(class)ss", help_text="Whose it is; empty for a visitor's.")
    visitor = models.CharField(max_length=32, blank=True, help_text="The key in the visitor's cookie; empty for an "
                                                                    "account's.")
    network = models.CharField(max_length=32, blank=True, help_text="Hash of the network that the visitor came from: "
                                                                    "it has a limit of its own.")
    created_at = models.DateTimeField(help_text="When it was asked for.")

    class Meta:
        abstract = True


class CasualGame(Asker):
    """A person against a bot, in the browser: unrated, and nothing of it is on the bot's record."""

    token = models.CharField(max_length=32, unique=True, help_text="Its place in addresses.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="casual_games",
                                help_text="The bot's build.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells a side.")
    seat = models.PositiveSmallIntegerField(help_text="The person's: 0 moves first.")
    # The person's clock; the bot has a fixed time for each turn.
    base_seconds = models.FloatField(null=True, help_text="What the person has for the game; empty for no clock.")
    increment_seconds = models.FloatField(default=0, help_text="What each of their turns adds.")
    bot_seconds = models.FloatField(help_text="What the bot has for each turn.")
    opening = models.JSONField(default=list, blank=True, help_text="The turns that it begins with, as text.")
    turns = models.JSONField(default=list, blank=True, help_text="What was played after these: text and seconds of "
                                                                 "each turn.")
    left_seconds = models.FloatField(null=True, help_text="What the person's clock showed when their turn began.")
    turn_began_at = models.DateTimeField(help_text="When it became somebody's turn.")
    deadline_at = models.DateTimeField(null=True, help_text="Until when the person has to play; empty while the bot "
                                                            "is to move.")
    status = models.CharField(max_length=10, choices=CasualStatus, default=CasualStatus.PLAYING,
                              help_text="Where it is in its life.")
    winner = models.PositiveSmallIntegerField(null=True, help_text="The winning seat; empty for a draw.")
    ended_by = models.CharField(max_length=10, blank=True, help_text="rule, conduct or policy.")
    reason = models.CharField(max_length=20, blank=True, help_text="The ending within that: connection, time …")
    ended_at = models.DateTimeField(null=True, help_text="When it was over.")

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
    """What a version plays in a position: put to it by a worker under a lease, answered once."""

    (WAITING,), (TAKEN,) = QUESTION_TRANSITIONS["claim"], QUESTION_TRANSITIONS["release"]
    LEASE_LOST = "the lease was lost before the question was answered"

    token = models.CharField(max_length=32, unique=True, help_text="Its place in addresses.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="questions",
                                help_text="Who is asked.")
    casual = models.ForeignKey(CasualGame, models.CASCADE, null=True, related_name="questions", db_index=False,
                               help_text="The casual game whose next turn it is, if any.")
    game = models.ForeignKey("tournaments.Game", models.CASCADE, null=True, related_name="questions",
                             help_text="The recorded game that the position comes from, if any.")
    ruleset = models.CharField(max_length=40, help_text="Slug of the ruleset.")
    size = models.PositiveSmallIntegerField(help_text="Cells a side.")
    turns = models.JSONField(default=list, blank=True, help_text="The turns that lead to the position, as text.")
    base_seconds = models.FloatField(default=0, help_text="The time control that it is told: for the game …")
    increment_seconds = models.FloatField(default=0, help_text="… and for each turn besides; …")
    per_turn_seconds = models.FloatField(default=0, help_text="… or for each turn alone.")
    left_seconds = models.FloatField(help_text="What its clock shows.")
    status = models.CharField(max_length=10, choices=QuestionStatus, default=QuestionStatus.RECEIVED,
                              help_text="Where it is in its life.")
    worker = models.CharField(max_length=120, blank=True, help_text="Host and process that claimed it last.")
    tier = models.CharField(max_length=20, blank=True, help_text="The sandbox tier of that worker.")
    setback = models.TextField(blank=True, help_text="Why the last attempt was void.")
    ended_at = models.DateTimeField(null=True, help_text="When it was answered, void for good, or dropped.")
    answer = models.TextField(blank=True, help_text="The turn, as text; empty when it was none.")
    fault = models.CharField(max_length=10, blank=True, help_text="What a game would be lost by: illegal, crash …")
    # Strangers' text; shown escaped.
    fault_line = models.TextField(blank=True, help_text="What it wrote, if that was the fault.")
    fault_message = models.TextField(blank=True, help_text="The fault in words.")
    seconds = models.FloatField(null=True, help_text="What its clock was charged.")
    wall_seconds = models.FloatField(null=True, help_text="How long it took.")
    # For the bot's owner and staff.
    stderr = models.BinaryField(blank=True, default=b"", help_text="What it wrote to stderr, cut.")

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
        # Partial, each for one question of the dispatcher, the reaper or the limits: they hold what is going on now.
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
