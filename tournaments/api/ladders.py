"""Ladders and their standings."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.models import Rating
from tournaments.api.pagination import ByRating
from tournaments.models import Ladder
from tournaments.selectors import ladders as reads
from tournaments.services.ladders import create_ladder


class OrganiserOrReadOnly(BasePermission):
    """Everybody reads; the site's staff organises."""

    message = "Only the site's organisers may do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or bool(request.user and request.user.is_staff)


class LadderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ladder
        fields = ["slug", "name", "ruleset", "size", "base_seconds", "increment_seconds"]
        read_only_fields = ["slug"]
        # The service says better what is wrong, and creating a ladder that exists answers with it.
        validators: list[object] = []
        extra_kwargs = {"name": {"required": False}}


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug")
    name = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(help_text="The bot's newest version.")
    plus_minus = serializers.FloatField(allow_null=True, help_text="Half the 95 % interval, in Elo; null without games.")
    provisional = serializers.BooleanField(help_text="The interval is still wide.")
    losses = serializers.IntegerField()

    class Meta:
        model = Rating
        fields = ["rank", "bot", "name", "version", "value", "plus_minus", "provisional",
                  "games", "wins", "draws", "losses"]


class LadderViewSet(ReadOnlyModelViewSet):
    """Open-ended competition for one ruleset, size and time control."""

    lookup_field = "slug"
    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    permission_classes = [OrganiserOrReadOnly]
    filterset_fields = ["ruleset", "size"]

    @extend_schema(request=LadderSerializer, responses={201: LadderSerializer, 409: None})
    def create(self, request: Request) -> Response:
        """Open a ladder; the one with the same ruleset, size and time control is returned if there is one."""
        form = self.get_serializer(data=request.data)
        form.is_valid(raise_exception=True)
        ladder = create_ladder(**form.validated_data)
        return Response(self.get_serializer(ladder).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=RatingSerializer(many=True))
    @action(detail=True, pagination_class=ByRating, filterset_fields=[])
    def standings(self, request: Request, slug: str) -> Response:
        """Live ratings, highest first."""
        page = self.paginate_queryset(reads.standings(self.get_object()))
        return self.get_paginated_response(RatingSerializer(page, many=True).data)
