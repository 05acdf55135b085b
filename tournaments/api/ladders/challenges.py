"""Challenges: ask for them, call them off, read what came of them."""

from typing import Any

import django_filters
from django.db.models import Prefetch
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.bots import SideSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import LadderField, SeedField, VersionField
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Challenge, Match
from tournaments.selectors.ladders import challenges as reads
from tournaments.services.ladders import challenges as verbs


class ResultSerializer(serializers.Serializer):
    wins = serializers.IntegerField(source="tally.wins", help_text="Games that the first version won.")
    draws = serializers.IntegerField(source="tally.draws", help_text="Games drawn.")
    losses = serializers.IntegerField(source="tally.losses", help_text="Games that it lost.")
    score = serializers.FloatField(help_text="Its points per game, 0 to 1; 0.5 before the first.")
    low = serializers.FloatField(help_text="Lower end of the 95 % interval of the score.")
    high = serializers.FloatField(help_text="Upper end of it.")


class ChallengeSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    first = SideSerializer(help_text="The challenger.")
    second = SideSerializer(help_text="Whom it challenges.")
    created_by = serializers.CharField(source="created_by.username", help_text="Who asked for it.")
    matches = serializers.PrimaryKeyRelatedField(many=True, read_only=True, help_text="Ids of its matches.")
    matches_open = serializers.IntegerField(help_text="How many of them are not over.")
    result = serializers.SerializerMethodField(help_text="What came of it so far, as its first version sees it.")

    class Meta:
        model = Challenge
        read_only_fields = fields = ["id", "ladder", "first", "second", "created_by", "created_at", "cancelled_at",
                                     "matches", "matches_open", "result"]

    @extend_schema_field(ResultSerializer)
    def get_result(self, challenge: Challenge) -> dict[str, Any]:
        return ResultSerializer(self.context["summaries"][challenge.pk]).data


class ChallengeFormSerializer(serializers.Serializer):
    ladder = LadderField(help_text="Slug of the ladder whose board and time control are played; it need not be one "
                                   "that they are on.")
    first = VersionField(help_text="Id of a version of yours.")
    second = VersionField(help_text="Id of the version that it challenges: anybody's, or another of yours.")
    matches = serializers.IntegerField(default=1, help_text=f"How many, of two games each: 1 to {verbs.MOST_MATCHES}.")
    seed = SeedField(help_text="Decides the openings; by lot when left out.")


class ChallengeFilter(django_filters.FilterSet):
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    created_by = django_filters.CharFilter("created_by__username", label="Name of the account that asked for it.")


@described(list="Challenges, newest first: unrated matches, version against version.", retrieve="One challenge.")
class ChallengeViewSet(ById, ReadOnlyModelViewSet):
    queryset = reads.challenges().prefetch_related(
        Prefetch("matches", Match.objects.order_by("id").only("challenge")))
    serializer_class = ChallengeSerializer
    filterset_class = ChallengeFilter
    fresh = True

    def get_serializer(self, *args: Any, **options: Any) -> ChallengeSerializer:
        # The list of a page, or one challenge, or none for the schema: what came of all of them is one query.
        shown = args[0] if args and isinstance(args[0], list) else list(args)
        options.setdefault("context", self.get_serializer_context())["summaries"] = reads.summaries(shown)
        return ChallengeSerializer(*args, **options)

    create = Verb(verbs.challenge, "Have a version of yours play another one, unrated. The games count for your quota.",
                  form=ChallengeFormSerializer, code=201)
    cancel = Verb(verbs.cancel_challenge, "Call it off: what was played stays, the rest is not played. For who asked "
                                          "for it.")
