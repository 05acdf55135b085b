"""Ladders and their standings."""

import django_filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.models import Rating
from tournaments.api.errors import refusable
from tournaments.api.pagination import ByRating
from tournaments.api.permissions import OrganiserOrReadOnly
from tournaments.api.slugs import BySlug
from tournaments.models import Ladder
from tournaments.selectors import ladders as reads
from tournaments.services.ladders import create_ladder


class LadderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ladder
        read_only_fields = fields = ["slug", "name", "ruleset", "size", "base_seconds", "increment_seconds",
                                     "per_turn_seconds", "pondering"]


class OpenLadderSerializer(serializers.Serializer):
    ruleset = serializers.CharField(help_text="Slug of the ruleset.")
    size = serializers.IntegerField(help_text="Cells a side.")
    base_seconds = serializers.FloatField(default=0.0, help_text="Thinking time at the start of a game, in seconds.")
    increment_seconds = serializers.FloatField(default=0.0, help_text="Thinking time added after each turn.")
    per_turn_seconds = serializers.FloatField(default=0.0, help_text="Instead of both: a fixed time for each turn, of "
                                                                     "which none is kept.")
    pondering = serializers.BooleanField(default=False, help_text="Bots may think while the other is to move.")
    name = serializers.CharField(required=False, help_text="Made from the other facts when left out.")


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(help_text="The bot's newest version.")
    plus_minus = serializers.FloatField(allow_null=True, help_text="Half its 95 % interval, in Elo.")
    provisional = serializers.BooleanField(help_text="The interval is still wide.")
    losses = serializers.IntegerField(help_text="Of these lost.")

    class Meta:
        model = Rating
        read_only_fields = fields = ["rank", "bot", "name", "version", "value", "plus_minus", "provisional",
                  "games", "wins", "draws", "losses"]


class LadderFilter(django_filters.FilterSet):
    ruleset = django_filters.CharFilter(label="Slug of the ruleset.")
    size = django_filters.NumberFilter(label="Cells a side.")


@extend_schema_view(
    list=extend_schema(description="Ladders, newest first."),
    retrieve=extend_schema(description="One ladder."),
)
class LadderViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, OrganiserOrReadOnly]
    filterset_class = LadderFilter

    @extend_schema(request=OpenLadderSerializer,
                   responses=refusable(created=LadderSerializer, ok=LadderSerializer))
    def create(self, request: Request) -> Response:
        """Open a ladder, or with 200 find the one of the same ruleset, size, time control and pondering."""
        form = OpenLadderSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        facts = form.validated_data
        alike = Ladder.objects.filter(ruleset=facts["ruleset"], size=facts["size"])
        known = set(alike.values_list("pk", flat=True))
        ladder = create_ladder(**facts)
        return Response(LadderSerializer(ladder).data,
                        status=status.HTTP_200_OK if ladder.pk in known else status.HTTP_201_CREATED)

    @extend_schema(responses=RatingSerializer(many=True))
    @action(detail=True, pagination_class=ByRating, filterset_class=None)
    def standings(self, request: Request, slug: str) -> Response:
        """Live ratings, highest first."""
        page = self.paginate_queryset(reads.standings(self.get_object()))
        return self.get_paginated_response(RatingSerializer(page, many=True).data)
