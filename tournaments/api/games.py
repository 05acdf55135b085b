"""Games with their records and replay documents."""

import django_filters
from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.record import EndedBy
from engines.replay import replay_document
from tournaments.api.bots import SideSerializer
from tournaments.api.replay import ReplaySerializer
from tournaments.models import Game
from tournaments.selectors import games as reads


class GameSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="match.event.slug", allow_null=True, default=None,
                                  help_text="Slug of the event; null outside of one.")
    ruleset = serializers.CharField(source="match.ruleset", help_text="Slug of the ruleset.")
    seat0 = SideSerializer(help_text="Who moved first.")
    seat1 = SideSerializer(help_text="Who moved second.")

    class Meta:
        model = Game
        read_only_fields = fields = ["id", "match", "number", "event", "ruleset", "seat0", "seat1", "winner",
                                     "ended_by", "reason", "plies", "ended_at"]


class GameDetailSerializer(GameSerializer):
    record = serializers.DictField(help_text="The whole game: turns with their times, result, fault.")

    class Meta(GameSerializer.Meta):
        read_only_fields = fields = [*GameSerializer.Meta.fields, "record"]


class GameFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter(method="of_bot", label="Slug of a bot on either seat.")
    event = django_filters.CharFilter("match__event__slug", label="Slug of the event.")
    ruleset = django_filters.CharFilter("match__ruleset", label="Slug of the ruleset.")
    ended_by = django_filters.ChoiceFilter(choices=[(kind.value, kind.value) for kind in EndedBy],
                                           label="What ended it; conduct lists the faults.")
    reason = django_filters.CharFilter(label="The ending within that: connection, time, crash …")

    def of_bot(self, games: QuerySet[Game], name: str, slug: str) -> QuerySet[Game]:
        return games.filter(Q(seat0__bot__slug=slug) | Q(seat1__bot__slug=slug))


@extend_schema_view(
    list=extend_schema(description="Games that counted, newest first, without their records."),
    retrieve=extend_schema(description="One game with its record.", responses=GameDetailSerializer),
)
class GameViewSet(ReadOnlyModelViewSet):
    queryset = reads.games()
    serializer_class = GameSerializer
    filterset_class = GameFilter

    def get_queryset(self) -> QuerySet[Game]:
        return reads.games() if self.action == "list" else reads.whole_games()

    def get_serializer_class(self) -> type[GameSerializer]:
        return GameSerializer if self.action == "list" else GameDetailSerializer

    @extend_schema(responses=ReplaySerializer)
    @action(detail=True)
    def replay(self, request: Request, pk: str) -> Response:
        """What a viewer draws who knows no rules: the board, and for each turn the cells that change."""
        return Response(replay_document(self.get_object().record))
