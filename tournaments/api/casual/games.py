"""Casual games: unrated games of a user, or a user's program, against a bot."""

import secrets
from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from engines.rules.errors import TurnError
from engines.rules.notation import cell_name
from engines.rules.registry import RULESETS
from engines.rules.turn_builder import build
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.casual.questions import LONGEST_TURN
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import Computed, VersionField
from tournaments.api.plumbing.slugs import ByToken
from tournaments.models import CasualGame, Version
from tournaments.selectors.casual import questions as reads
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual import games as verbs
from tournaments.services.casual.turns import PACES, is_persons_turn, plies, position_of


class CasualGameSerializer(serializers.ModelSerializer):
    version = SideSerializer(help_text="Version that the user plays against.")
    plies = Computed(plies, serializers.ListField(child=serializers.CharField()),
                     help_text="Turns so far as text, beginning with the opening.")
    your_turn = Computed(is_persons_turn, serializers.BooleanField(),
                         help_text="Whether the user is to move; false while the bot is to move, and when the game is "
                                   "over.")

    class Meta:
        model = CasualGame
        read_only_fields = fields = [
            "token", "version", "ruleset", "size", "seat", "base_seconds", "increment_seconds", "bot_seconds",
            "opening", "plies", "your_turn", "left_seconds", "turn_began_at", "deadline_at", "status", "winner",
            "ended_by", "reason", "created_at", "ended_at"]


class TermsSerializer(serializers.Serializer):
    version = VersionField(help_text="ID of the version to play against.")
    ruleset = serializers.ChoiceField(list(RULESETS), help_text="Slug of the ruleset.")
    size = serializers.IntegerField(min_value=1, max_value=100, help_text="Board size in cells per side.")
    pace = serializers.ChoiceField([(name, pace.words) for name, pace in PACES.items()], default="normal",
                                   help_text="Time control: a clock for the user, and a fixed time per turn for the "
                                             "bot.")
    seat = serializers.IntegerField(min_value=0, max_value=1, default=0, help_text="Your seat: 0 moves first.")
    opening = serializers.BooleanField(default=False, help_text="Whether to begin from a random balanced opening.")


class TurnSerializer(serializers.Serializer):
    turn = serializers.CharField(source="text", max_length=LONGEST_TURN,
                                 help_text="Turn as text, for example: c3; c3,d4; pass; swap.")
    ply = serializers.IntegerField(min_value=0, max_value=100_000,
                                   help_text="Number of plies played before this turn. A turn that is sent twice is "
                                             "played once.")


class StepsSerializer(serializers.Serializer):
    stones = serializers.ListField(child=serializers.CharField(), help_text="Stones of the turn so far.")
    next = serializers.ListField(child=serializers.CharField(), help_text="Cells where the next stone can be placed.")
    words = serializers.ListField(child=serializers.CharField(), help_text="Words that are legal turns here: `pass`, "
                                                                           "`swap`.")
    may_end = serializers.BooleanField(help_text="Whether the stones so far are a complete turn.")


def _begin(*, version: Version, actor: Any, now: datetime, **terms: Any) -> CasualGame:
    return verbs.begin(asker=Asker(actor), version=version, terms=verbs.Terms(**terms), seed=secrets.randbits(63),
                       now=now)


def _play(*, casualgame: CasualGame, actor: Any, **turn: Any) -> CasualGame:
    return verbs.play(asker=Asker(actor), game=casualgame, **turn)


def _resign(*, casualgame: CasualGame, actor: Any, now: datetime) -> CasualGame:
    return verbs.resign(asker=Asker(actor), game=casualgame, now=now)


@described(retrieve="Return one casual game. Anyone who knows its token can read it.")
class CasualGameViewSet(ByToken, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = reads.casual_games()
    serializer_class = CasualGameSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]
    throttle_scope = "questions"

    create = Verb(_begin, "Start an unrated game against a version. It does not affect the bot's record.",
                  form=TermsSerializer, code=201, located=True)
    turns = Verb(_play, "Play your turn. If the bot is to move next, poll the game until `your_turn` is true or the "
                        "game is over.", form=TurnSerializer)
    resign = Verb(_resign, "Resign the game.")

    @extend_schema(
        parameters=[OpenApiParameter("stones", str, description="Stones of the turn so far, such as c3,d4; empty for "
                                                                "none.")],
        responses=StepsSerializer)
    @action(detail=True)
    def steps(self, request: Request, token: str) -> Response:
        """Return the possible continuations of a turn that the side to move enters stone by stone."""
        game = self.get_object()
        try:
            building = build(position_of(game), request.query_params.get("stones", ""))
        except TurnError as error:
            raise ValidationError({"stones": f"{error}."}) from None
        names = [[cell_name(cell, game.size) for cell in cells] for cells in (building.stones, building.cells)]
        return Response({"stones": names[0], "next": names[1], "words": building.words, "may_end": building.may_end})
