"""Casual games: a person, or a program of theirs, against a bot, unrated."""

import secrets
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.viewsets import GenericViewSet

from engines.rules.errors import TurnError
from engines.rules.notation import cell_name
from engines.rules.registry import RULESETS
from engines.rules.turn_builder import build
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.casual.questions import LONGEST_TURN
from tournaments.api.ladders.ladders import JoinSerializer
from tournaments.api.plumbing.slugs import ByToken
from tournaments.models import CasualGame
from tournaments.selectors.casual import questions as reads
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual import games as verbs
from tournaments.services.casual.turns import PACES, is_persons_turn, plies, position_of
from tournaments.web.errors import refusable


class CasualGameSerializer(serializers.ModelSerializer):
    version = SideSerializer(help_text="The bot.")
    plies = serializers.SerializerMethodField(help_text="All its turns as text, the opening's first.")
    your_turn = serializers.SerializerMethodField(help_text="Whether the person is to move, not the bot.")

    class Meta:
        model = CasualGame
        read_only_fields = fields = [
            "token", "version", "ruleset", "size", "seat", "base_seconds", "increment_seconds", "bot_seconds",
            "opening", "plies", "your_turn", "left_seconds", "turn_began_at", "deadline_at", "status", "winner",
            "ended_by", "reason", "created_at", "ended_at"]

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_plies(self, game: CasualGame) -> list[str]:
        return plies(game)

    def get_your_turn(self, game: CasualGame) -> bool:
        return is_persons_turn(game)


class TermsSerializer(serializers.Serializer):
    version = serializers.IntegerField(min_value=1, max_value=2**63 - 1, help_text="Id of the version to play against.")
    ruleset = serializers.ChoiceField(list(RULESETS), help_text="Slug of the ruleset.")
    size = serializers.IntegerField(min_value=1, max_value=100, help_text="Cells a side.")
    pace = serializers.ChoiceField([(name, pace.words) for name, pace in PACES.items()], default="normal",
                                   help_text="What both have: a clock for the person, a time per turn for the bot.")
    seat = serializers.IntegerField(min_value=0, max_value=1, default=0, help_text="Yours: 0 moves first.")
    opening = serializers.BooleanField(default=False, help_text="Begin from a balanced opening, drawn by lot.")

    def validate_version(self, pk: int) -> Any:
        """The version itself."""
        return JoinSerializer().validate_version(pk)


class TurnSerializer(serializers.Serializer):
    turn = serializers.CharField(max_length=LONGEST_TURN, help_text="The turn as text: c3, or c3,d4, pass, swap.")
    ply = serializers.IntegerField(min_value=0, max_value=100_000,
                                   help_text="After how many plies: a turn sent twice is played once.")


class StepsSerializer(serializers.Serializer):
    stones = serializers.ListField(child=serializers.CharField(), help_text="The stones so far.")
    next = serializers.ListField(child=serializers.CharField(), help_text="Cells of which each may come next.")
    words = serializers.ListField(child=serializers.CharField(), help_text="pass and swap, where they are turns here.")
    may_end = serializers.BooleanField(help_text="The stones so far are a turn.")


@extend_schema_view(retrieve=extend_schema(description="One casual game, for whoever knows its token."))
class CasualGameViewSet(ByToken, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = CasualGame.objects.all()
    serializer_class = CasualGameSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]
    throttle_scope = "questions"

    def get_queryset(self) -> Any:
        return reads.casual_games()

    @extend_schema(request=TermsSerializer, responses=refusable(created=CasualGameSerializer))
    def create(self, request: Request) -> Response:
        """Begin a game against a version. It is unrated, and nothing of it counts for the bot."""
        form = TermsSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        facts = dict(form.validated_data)
        game = verbs.begin(asker=Asker(request.user), version=facts.pop("version"), terms=verbs.Terms(**facts),
                           seed=secrets.randbits(63), now=timezone.now())
        place = reverse("casual-game-detail", args=[game.token], request=request)
        return Response(CasualGameSerializer(game).data, status=status.HTTP_201_CREATED, headers={"Location": place})

    @extend_schema(request=TurnSerializer, responses=refusable(ok=CasualGameSerializer))
    @action(detail=True, methods=["post"])
    def turns(self, request: Request, token: str) -> Response:
        """Play your turn. When the bot is to move then, look again until `your_turn` is true or the game is over."""
        form = TurnSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        game = verbs.play(asker=Asker(request.user), game=self.get_object(), text=form.validated_data["turn"],
                          ply=form.validated_data["ply"], now=timezone.now())
        return Response(CasualGameSerializer(game).data)

    @extend_schema(request=None, responses=refusable(ok=CasualGameSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resign(self, request: Request, token: str) -> Response:
        """Give the game up."""
        game = verbs.resign(asker=Asker(request.user), game=self.get_object(), now=timezone.now())
        return Response(CasualGameSerializer(game).data)

    @extend_schema(
        parameters=[OpenApiParameter("stones", str, description="The stones so far, such as c3,d4; none when empty.")],
        responses=StepsSerializer)
    @action(detail=True)
    def steps(self, request: Request, token: str) -> Response:
        """What may come next in a turn that is put together stone by stone, for whoever is to move."""
        game = self.get_object()
        try:
            building = build(position_of(game), request.query_params.get("stones", ""))
        except TurnError as error:
            raise ValidationError({"stones": f"{error}."}) from None
        names = [[cell_name(cell, game.size) for cell in cells] for cells in (building.stones, building.cells)]
        return Response({"stones": names[0], "next": names[1], "words": building.words, "may_end": building.may_end})
