"""Matches with their attempts, and games with their records and replay documents."""

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.replay import replay_document
from tournaments.api.ladders import OrganiserOrReadOnly
from tournaments.models import Attempt, Game, Match
from tournaments.selectors import games as reads
from tournaments.services.matches import requeue_match


class SideSerializer(serializers.Serializer):
    """A version as a side of a match or game."""

    bot = serializers.CharField(source="bot.slug")
    name = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="number")
    version_id = serializers.IntegerField(source="id")


class AttemptSerializer(serializers.ModelSerializer):
    class Meta:
        model = Attempt
        fields = ["number", "status", "reason", "worker", "tier", "started_at", "ended_at"]


class GameSerializer(serializers.ModelSerializer):
    seat0 = SideSerializer(read_only=True)
    seat1 = SideSerializer(read_only=True)
    event = serializers.CharField(source="match.round.event.slug", read_only=True)
    ruleset = serializers.CharField(source="match.ruleset", read_only=True)

    class Meta:
        model = Game
        fields = ["id", "match", "number", "event", "ruleset", "seat0", "seat1", "winner", "ended_by", "reason",
                  "plies", "ended_at"]


class GameDetailSerializer(GameSerializer):
    class Meta(GameSerializer.Meta):
        fields = [*GameSerializer.Meta.fields, "record"]


class MatchSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="round.event.slug", read_only=True)
    round = serializers.IntegerField(source="round.number", read_only=True)
    first = SideSerializer(read_only=True)
    second = SideSerializer(read_only=True)
    attempts = AttemptSerializer(many=True, read_only=True)
    games = serializers.PrimaryKeyRelatedField(many=True, read_only=True)

    class Meta:
        model = Match
        fields = ["id", "event", "round", "number", "ruleset", "first", "second", "seed", "status", "held",
                  "ended_at", "attempts", "games"]


class GameFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter(method="of_bot", label="Slug of a bot on either seat.")
    event = django_filters.CharFilter("match__round__event__slug")
    ruleset = django_filters.CharFilter("match__ruleset")

    class Meta:
        model = Game
        fields = ["ended_by", "reason", "match"]

    def of_bot(self, games: QuerySet[Game], name: str, slug: str) -> QuerySet[Game]:
        return games.filter(Q(seat0__bot__slug=slug) | Q(seat1__bot__slug=slug))


class MatchViewSet(ReadOnlyModelViewSet):
    """Pairings' games with rotated seats, and what became of every attempt to play them."""

    queryset = reads.matches()
    serializer_class = MatchSerializer
    permission_classes = [OrganiserOrReadOnly]
    filterset_fields = {"status": ["exact"], "ruleset": ["exact"], "round__event__slug": ["exact"]}

    @extend_schema(request=None, responses={200: MatchSerializer, 409: None})
    @action(detail=True, methods=["post"])
    def requeue(self, request: Request, pk: str) -> Response:
        """Play a match again whose every attempt was void."""
        requeue_match(match=self.get_object(), now=timezone.now())
        return Response(self.get_serializer(self.get_object()).data)


class GameViewSet(ReadOnlyModelViewSet):
    """Single games, opening to result."""

    queryset = reads.games()
    filterset_class = GameFilter

    def get_queryset(self) -> QuerySet[Game]:
        return reads.games() if self.action == "list" else reads.whole_games()

    def get_serializer_class(self) -> type[GameSerializer]:
        return GameSerializer if self.action == "list" else GameDetailSerializer

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    @action(detail=True, filterset_class=None)
    def replay(self, request: Request, pk: str) -> Response:
        """What a viewer draws: the board, and for each turn the cells that change."""
        document: dict[str, Any] = replay_document(self.get_object().record)
        return Response(document)
