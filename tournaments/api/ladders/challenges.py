"""Challenges: unrated matches on request, and their results."""

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
    wins = serializers.IntegerField(source="tally.wins", help_text="Number of games won by the first version.")
    draws = serializers.IntegerField(source="tally.draws", help_text="Number of games drawn.")
    losses = serializers.IntegerField(source="tally.losses", help_text="Number of games lost by the first version.")
    score = serializers.FloatField(help_text="Points per game of the first version, 0 to 1; 0.5 before the first game.")
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval of the score.")
    high = serializers.FloatField(help_text="Upper end of the 95 % confidence interval of the score.")


class ChallengeSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    first = SideSerializer(help_text="Challenging version.")
    second = SideSerializer(help_text="Challenged version.")
    created_by = serializers.CharField(source="created_by.username", help_text="Username of the account that requested "
                                                                               "the challenge.")
    matches = serializers.PrimaryKeyRelatedField(many=True, read_only=True, help_text="IDs of the matches.")
    matches_open = serializers.IntegerField(help_text="Number of matches that are not over.")
    result = serializers.SerializerMethodField(help_text="Result so far, from the first version's side.")

    class Meta:
        model = Challenge
        read_only_fields = fields = ["id", "ladder", "first", "second", "created_by", "created_at", "cancelled_at",
                                     "matches", "matches_open", "result"]

    @extend_schema_field(ResultSerializer)
    def get_result(self, challenge: Challenge) -> dict[str, Any]:
        return ResultSerializer(self.context["summaries"][challenge.pk]).data


class ChallengeFormSerializer(serializers.Serializer):
    ladder = LadderField(help_text="Slug of the ladder whose board and time control are used. The bots need not be on "
                                   "it.")
    first = VersionField(help_text="ID of one of your versions.")
    second = VersionField(help_text="ID of the version to challenge: any bot's, including your own.")
    matches = serializers.IntegerField(default=1, help_text="Number of matches, of two games each: 1 to "
                                                            f"{verbs.MOST_MATCHES}.")
    seed = SeedField(help_text="Seed of the openings; chosen at random if omitted.")


class ChallengeFilter(django_filters.FilterSet):
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    created_by = django_filters.CharFilter("created_by__username", label="Username of the account that requested the "
                                                                         "challenge.")


@described(list="List challenges, newest first. A challenge is a number of unrated matches between two "
                "versions.", retrieve="Return one challenge.")
class ChallengeViewSet(ById, ReadOnlyModelViewSet):
    queryset = reads.challenges().prefetch_related(
        Prefetch("matches", Match.objects.order_by("id").only("challenge")))
    serializer_class = ChallengeSerializer
    filterset_class = ChallengeFilter
    fresh = True

    def get_serializer(self, *args: Any, **options: Any) -> ChallengeSerializer:
        # A page of challenges, one challenge, or none for the schema; one query reads the results of all of them.
        shown = args[0] if args and isinstance(args[0], list) else list(args)
        options.setdefault("context", self.get_serializer_context())["summaries"] = reads.summaries(shown)
        return ChallengeSerializer(*args, **options)

    create = Verb(verbs.challenge, "Let one of your versions play unrated matches against another version. The games "
                                   "count towards your quota.",
                  form=ChallengeFormSerializer, code=201)
    cancel = Verb(verbs.cancel_challenge, "Cancel the challenge. Finished games are kept; the remaining games are not "
                                          "played. Only for the user who requested it.")
