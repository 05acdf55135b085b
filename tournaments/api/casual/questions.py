"""Questions: asking a bot for its move in a position."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.records.time_control import TimeControl, TimeControlError
from engines.rules.registry import RULESETS
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import LARGEST_ID, VersionField
from tournaments.api.plumbing.slugs import ByToken
from tournaments.models import Question, Version
from tournaments.selectors.casual import questions as reads
from tournaments.selectors.matches import games as game_reads
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual.questions import ask_here, ask_in_game

MOST_TURNS = 3000
LONGEST_TURN = 2000


class QuestionSerializer(serializers.ModelSerializer):
    version = SideSerializer(help_text="Version that is asked.")

    class Meta:
        model = Question
        read_only_fields = fields = [
            "token", "version", "game", "ruleset", "size", "turns", "base_seconds", "increment_seconds",
            "per_turn_seconds", "left_seconds", "status", "setback", "created_at", "ended_at", "answer", "fault",
            "fault_line", "fault_message", "seconds", "wall_seconds"]


class QuestionDetailSerializer(QuestionSerializer):
    stderr = serializers.SerializerMethodField(
        help_text="Standard error of the bot; null unless you are its owner, in its team, or staff. User-supplied: "
                  "escape it before display.")

    class Meta(QuestionSerializer.Meta):
        read_only_fields = fields = [*QuestionSerializer.Meta.fields, "stderr"]

    def get_stderr(self, question: Question) -> str | None:
        return reads.stderr_for(self.context["request"].user, question)


class QuestionFormSerializer(serializers.Serializer):
    version = VersionField(help_text="ID of the version to ask.")
    game = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_ID,
                                    help_text="ID of a recorded game, whose position and clock are used.")
    ply = serializers.IntegerField(required=False, min_value=0, max_value=100_000,
                                   help_text="Number of plies of that game to replay before asking.")
    ruleset = serializers.ChoiceField(list(RULESETS), required=False,
                                      help_text="Slug of the ruleset, if no game is given.")
    size = serializers.IntegerField(required=False, min_value=1, max_value=100, help_text="Board size in cells per "
                                                                                          "side, if no game is given.")
    turns = serializers.ListField(child=serializers.CharField(max_length=LONGEST_TURN), required=False,
                                  max_length=MOST_TURNS, help_text="Turns so far as text, if no game is given.")
    per_turn_seconds = serializers.FloatField(required=False, min_value=0.1, max_value=3600,
                                              help_text="Time for the answer in seconds, if no game is given; 1 s if "
                                                        "omitted. The site's maximum is "
                                                        "SQUAREFIELD_LONGEST_QUESTION_SECONDS.")

    def validate_per_turn_seconds(self, seconds: float) -> TimeControl:
        """Return the time as a time control."""
        try:
            return TimeControl(per_turn=seconds)
        except TimeControlError as error:
            raise serializers.ValidationError(f"{error}.") from None

    def validate(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Require either a game and a ply, or a ruleset and a size."""
        wanted = ("game", "ply") if "game" in facts or "ply" in facts else ("ruleset", "size")
        if missing := [name for name in wanted if name not in facts]:
            raise serializers.ValidationError(dict.fromkeys(missing, "This field is required: give a game and a ply, "
                                                                     "or a ruleset and a size."))
        return facts


def _ask(*, actor: Any, version: Version, now: datetime, game: int | None = None, ply: int = 0, ruleset: str = "",
         size: int = 0, turns: Sequence[str] = (), per_turn_seconds: TimeControl | None = None) -> Question:
    asker = Asker(actor)
    if game is None:
        return ask_here(asker=asker, version=version, ruleset=ruleset, size=size, turns=turns,
                        control=per_turn_seconds or TimeControl(per_turn=1.0), now=now)
    found = game_reads.whole_games(actor).filter(pk=game).first()
    if found is None:
        raise NotFound("There is no such game, or you are not allowed to see it.")
    return ask_in_game(asker=asker, game=found, ply=ply, version=version, now=now)


@described(
    list="List your questions, newest first.",
    retrieve="Return one question. Anyone who knows its token can read it. `status` is received, asking, answered, "
             "void (the service failed, not the bot) or dropped. An answered question has a turn in `answer`, or in "
             "`fault` the fault that would forfeit a game.",
)
class QuestionViewSet(ByToken, ReadOnlyModelViewSet):
    queryset = Question.objects.all()
    serializer_class = QuestionSerializer
    permission_classes = [IsAuthenticated]
    throttle_scope = "questions"

    def get_serializer_class(self) -> type[QuestionSerializer]:
        return QuestionDetailSerializer if self.action == "retrieve" else QuestionSerializer

    def get_queryset(self) -> QuerySet[Question]:
        return reads.questions_of(self.request.user) if self.action == "list" else reads.questions()

    create = Verb(_ask, """
        Ask a version for its move in a position. Poll the question until it is answered.

        The bot is started in a fresh sandbox, given the turns, and asked once. This affects neither ratings nor the
        bot's record.
        """, form=QuestionFormSerializer, code=202, located=True)
