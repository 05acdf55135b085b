"""Ladders, their standings, and who plays on them."""

import django_filters
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.models import Rating
from tournaments.api.ladders.official import OfficialActions
from tournaments.api.ladders.places import LadderEntrySerializer
from tournaments.api.ladders.waiting import WaitingSerializer
from tournaments.api.plumbing.pagination import ByNewest, ByRating
from tournaments.api.plumbing.permissions import OrganiserOrReadOnly
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Bot, Ladder, LadderEntry, Version
from tournaments.selectors.ladders import ladders as reads
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.ladders import ladder_play as verbs
from tournaments.services.ladders.ladders import (
    BASE_SECONDS,
    INCREMENT_SECONDS,
    LONGEST_NAME,
    PER_TURN_SECONDS,
    create_ladder,
    set_open,
)
from tournaments.services.ladders.trials import choose
from tournaments.web.errors import refusable


class LadderSerializer(WaitingSerializer):
    why = Waits.of_ladders

    class Meta(WaitingSerializer.Meta):
        model = Ladder
        read_only_fields = fields = ["slug", "name", "ruleset", "size", "base_seconds", "increment_seconds",
                                     "per_turn_seconds", "pondering", "is_open", "waiting"]


def _within(bounds: tuple[float, float]) -> str:
    return f"{bounds[0]:g} to {bounds[1]:g} s"


class OpenLadderSerializer(serializers.Serializer):
    ruleset = serializers.CharField(help_text="Slug of the ruleset.")
    size = serializers.IntegerField(help_text="Cells a side: one of the sizes at `/api/rulesets/`.")
    base_seconds = serializers.FloatField(default=0.0, help_text="Thinking time at the start of a game, in seconds: "
                                                               f"{_within(BASE_SECONDS)}.")
    increment_seconds = serializers.FloatField(default=0.0, help_text="Thinking time added after each turn: "
                                                                    f"{_within(INCREMENT_SECONDS)}.")
    per_turn_seconds = serializers.FloatField(default=0.0, help_text="Instead of both: a fixed time for each turn, of "
                                                                     "which none is kept: "
                                                                     f"{_within(PER_TURN_SECONDS)}.")
    pondering = serializers.BooleanField(default=False, help_text="Bots may think while the other is to move.")
    name = serializers.CharField(required=False, help_text=f"1 to {LONGEST_NAME} characters; made from the other facts "
                                                           "when left out.")


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(help_text="The version that plays there, or the newest of a bot "
                                                 "that does not.")
    plus_minus = serializers.FloatField(allow_null=True, help_text="Half its 95 % interval, in Elo.")
    provisional = serializers.BooleanField(help_text="The interval is still wide.")
    losses = serializers.IntegerField(help_text="Of these lost.")

    class Meta:
        model = Rating
        read_only_fields = fields = ["rank", "bot", "name", "version", "value", "plus_minus", "provisional",
                  "games", "wins", "draws", "losses"]


class JoinSerializer(serializers.Serializer):
    version = serializers.IntegerField(min_value=1, max_value=2**63 - 1,
                                       help_text="Id of the version that is to play for its bot.")

    def validate_version(self, pk: int) -> Version:
        """The version itself."""
        version = Version.objects.select_related("bot__team").filter(pk=pk).first()
        if version is None:
            raise serializers.ValidationError(f"There is no version {pk}.")
        return version


class WhoSerializer(serializers.Serializer):
    bot = serializers.SlugField(help_text="Slug of the bot.")

    def validate_bot(self, slug: str) -> Bot:
        """The bot itself."""
        bot = Bot.objects.select_related("team").filter(slug=slug).first()
        if bot is None:
            raise serializers.ValidationError(f"There is no bot {slug!r}.")
        return bot


class TakeOverSerializer(WhoSerializer):
    on_trial = serializers.BooleanField(help_text="true: after a trial that they pass; false: at once.")


class LadderFilter(django_filters.FilterSet):
    ruleset = django_filters.CharFilter(label="Slug of the ruleset.")
    size = django_filters.NumberFilter(label="Cells a side.")


@extend_schema_view(
    list=extend_schema(description="Ladders, newest first."),
    retrieve=extend_schema(description="One ladder."),
)
class LadderViewSet(OfficialActions, BySlug, ReadOnlyModelViewSet):
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
        ladder = create_ladder(**facts, actor=request.user, now=timezone.now())
        return Response(LadderSerializer(ladder).data,
                        status=status.HTTP_200_OK if ladder.pk in known else status.HTTP_201_CREATED)

    @extend_schema(responses=RatingSerializer(many=True))
    @action(detail=True, pagination_class=ByRating, filterset_class=None)
    def standings(self, request: Request, slug: str) -> Response:
        """Live ratings, highest first."""
        page = self.paginate_queryset(reads.standings(self.get_object()))
        return self.get_paginated_response(RatingSerializer(page, many=True).data)

    @extend_schema(request=None, responses=refusable(ok=LadderSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def open(self, request: Request, slug: str) -> Response:
        """Let its bots be paired all the time."""
        ladder = set_open(ladder=self.get_object(), is_open=True, actor=request.user, now=timezone.now())
        return Response(LadderSerializer(ladder).data)

    @extend_schema(request=None, responses=refusable(ok=LadderSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def close(self, request: Request, slug: str) -> Response:
        """Play on it in events only, from now on."""
        ladder = set_open(ladder=self.get_object(), is_open=False, actor=request.user, now=timezone.now())
        return Response(LadderSerializer(ladder).data)

    @extend_schema(responses=LadderEntrySerializer(many=True))
    @action(detail=True, pagination_class=ByNewest, filterset_class=None)
    def entries(self, request: Request, slug: str) -> Response:
        """The bots that have joined it, newest first; those with `active` false have left."""
        page = self.paginate_queryset(reads.entries(self.get_object()))
        return self.get_paginated_response(LadderEntrySerializer(page, many=True).data)

    @extend_schema(request=JoinSerializer, responses=refusable(ok=LadderEntrySerializer))
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def join(self, request: Request, slug: str) -> Response:
        """Let a version play for its bot here from now on, instead of another one if there is. For who acts for it."""
        form = JoinSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return self._entry(verbs.join(ladder=self.get_object(), version=form.validated_data["version"],
                                      actor=request.user, now=timezone.now()))

    @extend_schema(request=WhoSerializer, responses=refusable(ok=LadderEntrySerializer))
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def leave(self, request: Request, slug: str) -> Response:
        """Take a bot off the ladder; it keeps its rating. For who acts for it."""
        return self._entry(verbs.leave(ladder=self.get_object(), bot=self._bot(request), actor=request.user,
                                       now=timezone.now()))

    @extend_schema(request=WhoSerializer, responses=refusable(ok=LadderEntrySerializer))
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="bring-back")
    def bring_back(self, request: Request, slug: str) -> Response:
        """Have a bot paired again that was rested after faults. For who acts for it."""
        return self._entry(verbs.bring_back(ladder=self.get_object(), bot=self._bot(request), actor=request.user,
                                            now=timezone.now()))

    @extend_schema(request=TakeOverSerializer, responses=refusable(ok=LadderEntrySerializer))
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="take-over")
    def take_over(self, request: Request, slug: str) -> Response:
        """Say whether a bot's new versions take over here at once or after a trial. For who acts for it."""
        form = TakeOverSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return self._entry(choose(ladder=self.get_object(), **form.validated_data, actor=request.user,
                                  now=timezone.now()))

    def _bot(self, request: Request) -> Bot:
        form = WhoSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return form.validated_data["bot"]

    def _entry(self, entry: LadderEntry) -> Response:
        return Response(LadderEntrySerializer(entry).data)
