"""Ladders, their standings, and the bots on them."""

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
from tournaments.api.plumbing.pagination import ByNewest, ByRank
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
    size = serializers.IntegerField(help_text="Board size in cells per side: one of the sizes at `/api/rulesets/`.")
    base_seconds = serializers.FloatField(default=0.0, help_text="Thinking time at the start of a game: "
                                                               f"{_within(BASE_SECONDS)}.")
    increment_seconds = serializers.FloatField(default=0.0, help_text="Thinking time added after each turn: "
                                                                    f"{_within(INCREMENT_SECONDS)}.")
    per_turn_seconds = serializers.FloatField(default=0.0, help_text="Fixed time per turn, instead of the other two; "
                                                                     "unused time is lost: "
                                                                     f"{_within(PER_TURN_SECONDS)}.")
    pondering = serializers.BooleanField(default=False, help_text="Whether bots may think while the opponent is to "
                                                                  "move.")
    name = serializers.CharField(required=False, help_text=f"Name, 1 to {LONGEST_NAME} characters; generated from the "
                                                           "other fields if omitted.")


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", help_text="Slug of the bot.")
    name = serializers.CharField(source="bot.name", help_text="Display name of the bot. User-supplied: escape it "
                                                              "before display.")
    version = serializers.IntegerField(source="version.number", help_text=(
        "Number of the version that is rated: the one that plays on the ladder, or the newest with a rated game."))
    plus_minus = serializers.FloatField(help_text="Half the width of the 95 % confidence interval, in Elo.")

    class Meta:
        model = Rating
        read_only_fields = fields = ["rank", "bot", "name", "version", "value", "low", "high",
                                     "plus_minus", "games", "wins", "draws", "losses"]


class JoinSerializer(serializers.Serializer):
    version = VersionField(help_text="ID of the version that will play for its bot.")


class WhoSerializer(serializers.Serializer):
    bot = BotField(help_text="Slug of the bot.")


class TakeOverSerializer(WhoSerializer):
    on_trial = serializers.BooleanField(help_text="true: new versions replace the current one after passing a trial; "
                                                  "false: at once.")


class LadderFilter(django_filters.FilterSet):
    ruleset = django_filters.CharFilter(label="Slug of the ruleset.")
    size = django_filters.NumberFilter(label="Board size in cells per side.")


class _Author(Verb):
    """Operation on a bot's ladder entry, open to the bot's managers: it needs no right to change ladders."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, answer=LadderEntrySerializer, permission_classes=[IsAuthenticated], **options)


@described(list="List ladders, newest first.", retrieve="Return one ladder.")
class LadderViewSet(OfficialActions, BySlug, ReadOnlyModelViewSet):
    queryset = Ladder.objects.all()
    serializer_class = LadderSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, OrganiserOrReadOnly]
    filterset_class = LadderFilter

    @extend_schema(request=OpenLadderSerializer,
                   responses=refusable(created=LadderSerializer, ok=LadderSerializer))
    def create(self, request: Request) -> Response:
        """Create a ladder, or return with 200 the one with the same ruleset, size, time control and pondering."""
        facts = facts_of(OpenLadderSerializer, request.data)
        alike = Ladder.objects.filter(ruleset=facts["ruleset"], size=facts["size"])
        known = set(alike.values_list("pk", flat=True))
        ladder = create_ladder(**facts, actor=request.user, now=timezone.now())
        return Response(LadderSerializer(ladder).data,
                        status=status.HTTP_200_OK if ladder.pk in known else status.HTTP_201_CREATED)

    open = Verb(partial(set_open, is_open=True), "Open the ladder: its bots are paired continuously.")
    close = Verb(partial(set_open, is_open=False), "Close the ladder: from now on, only events use it.")
    standings = Read(reads.standings, "List the rating of each bot, best first.", RatingSerializer, pagination=ByRank)
    entries = Read(reads.entries, "List the bots that have joined the ladder, newest first. Bots with `active` false "
                                  "have left it.",
                   LadderEntrySerializer, pagination=ByNewest)
    join = _Author(verbs.join, "Let a version play for its bot on this ladder. It replaces the bot's current version, "
                               "if any. Only for the bot's owner, its team and staff.", form=JoinSerializer)
    leave = _Author(verbs.leave, "Remove a bot from the ladder. It keeps its rating. Only for the bot's owner, its "
                                 "team and staff.",
                    form=WhoSerializer)
    bring_back = _Author(verbs.bring_back, "End a bot's suspension after faults; pairing resumes. Only for the bot's "
                                           "owner, its team and staff.",
                         form=WhoSerializer)
    take_over = _Author(choose, "Set whether a bot's new versions replace the current one at once or after a trial. "
                                "Only for the bot's owner, its team and staff.", form=TakeOverSerializer)
