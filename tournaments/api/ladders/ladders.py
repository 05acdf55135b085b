"""Ladders, their standings, and who plays on them."""

from functools import partial
from typing import Any

import django_filters
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.models import Rating
from tournaments.api.bots.places import LadderEntrySerializer
from tournaments.api.ladders.official import OfficialActions
from tournaments.api.plumbing.actions import Read, Verb, described, facts_of
from tournaments.api.plumbing.fields import BotField, VersionField
from tournaments.api.plumbing.pagination import ByNewest, ByRating
from tournaments.api.plumbing.permissions import OrganiserOrReadOnly
from tournaments.api.plumbing.slugs import BySlug
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.models import Ladder
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
    version = VersionField(help_text="Id of the version that is to play for its bot.")


class WhoSerializer(serializers.Serializer):
    bot = BotField(help_text="Slug of the bot.")


class TakeOverSerializer(WhoSerializer):
    on_trial = serializers.BooleanField(help_text="true: after a trial that they pass; false: at once.")


class LadderFilter(django_filters.FilterSet):
    ruleset = django_filters.CharFilter(label="Slug of the ruleset.")
    size = django_filters.NumberFilter(label="Cells a side.")


class _Author(Verb):
    """What who acts for a bot does with its place: no right to change ladders is asked for."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, answer=LadderEntrySerializer, permission_classes=[IsAuthenticated], **options)


@described(list="Ladders, newest first.", retrieve="One ladder.")
class LadderViewSet(OfficialActions, BySlug, ReadOnlyModelViewSet):
    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, OrganiserOrReadOnly]
    filterset_class = LadderFilter

    @extend_schema(request=OpenLadderSerializer,
                   responses=refusable(created=LadderSerializer, ok=LadderSerializer))
    def create(self, request: Request) -> Response:
        """Open a ladder, or with 200 find the one of the same ruleset, size, time control and pondering."""
        facts = facts_of(OpenLadderSerializer, request.data)
        alike = Ladder.objects.filter(ruleset=facts["ruleset"], size=facts["size"])
        known = set(alike.values_list("pk", flat=True))
        ladder = create_ladder(**facts, actor=request.user, now=timezone.now())
        return Response(LadderSerializer(ladder).data,
                        status=status.HTTP_200_OK if ladder.pk in known else status.HTTP_201_CREATED)

    open = Verb(partial(set_open, is_open=True), "Let its bots be paired all the time.")
    close = Verb(partial(set_open, is_open=False), "Play on it in events only, from now on.")
    standings = Read(reads.standings, "Live ratings, highest first.", RatingSerializer, pagination=ByRating)
    entries = Read(reads.entries, "The bots that have joined it, newest first; those with `active` false have left.",
                   LadderEntrySerializer, pagination=ByNewest)
    join = _Author(verbs.join, "Let a version play for its bot here from now on, instead of another one if there is. "
                               "For who acts for it.", form=JoinSerializer)
    leave = _Author(verbs.leave, "Take a bot off the ladder; it keeps its rating. For who acts for it.",
                    form=WhoSerializer)
    bring_back = _Author(verbs.bring_back, "Have a bot paired again that was rested after faults. For who acts for it.",
                         form=WhoSerializer)
    take_over = _Author(choose, "Say whether a bot's new versions take over here at once or after a trial. For who "
                                "acts for it.", form=TakeOverSerializer)
