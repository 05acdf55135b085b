"""Trials: enter a version as a candidate for its bot's place on a ladder, withdraw it, read how it stands."""

import secrets
from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.sprt import LEAST_RISK, RISK_BELOW, WIDEST
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.ladders.challenges import ChallengeFormSerializer
from tournaments.api.ladders.ladders import JoinSerializer
from tournaments.api.ladders.waiting import WaitingSerializer
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Candidacy, Ladder, Version
from tournaments.models.lifecycle import CandidacyStatus
from tournaments.selectors.ladders import candidacies as reads
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.ladders import trials as verbs
from tournaments.web.errors import refusable


class NeighbourhoodSerializer(serializers.Serializer):
    games = serializers.IntegerField(help_text="Games against bots near in rating.")
    points = serializers.FloatField(help_text="What the candidate scored in them.")
    predicted = serializers.FloatField(help_text="What the current version's rating predicts.")
    margin = serializers.FloatField(help_text="By how much it may be away from that with 95 %.")


class StandSerializer(serializers.Serializer):
    pentanomial = serializers.ListField(source="course.pentanomial", child=serializers.IntegerField(),
                                        help_text="Pairs of games in which the candidate scored 0, ½, 1, 1½ and 2 "
                                                  "points against the current version.")
    won = serializers.IntegerField(help_text="Pairs that it won.")
    drawn = serializers.IntegerField(help_text="Pairs that were level.")
    lost = serializers.IntegerField(help_text="Pairs that it lost.")
    repeats = serializers.IntegerField(source="course.repeats", help_text="Pairs that repeated earlier ones turn for "
                                                                          "turn, and are not counted.")
    llr = serializers.FloatField(source="verdict.llr", help_text="The log-likelihood ratio of elo1 to elo0.")
    lower = serializers.FloatField(source="verdict.lower", help_text="At this ratio the candidate fails.")
    upper = serializers.FloatField(source="verdict.upper", help_text="At this ratio it passes.")
    elo = serializers.FloatField(source="verdict.elo", help_text="Elo above the current version, logistic.")
    low = serializers.FloatField(source="verdict.low", help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(source="verdict.high", help_text="Upper end of it.")
    neighbourhood = NeighbourhoodSerializer(source="course.neighbourhood", help_text="Its games against neighbours.")


class CandidacySerializer(WaitingSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    candidate = SideSerializer(help_text="The version on trial.")
    current = SideSerializer(help_text="The version that plays there unless the other passes.")
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None,
                                       help_text="Who entered it; null for a new version that entered by itself.")
    stand = serializers.SerializerMethodField(help_text="What its games say so far.")
    why = Waits.of_trials

    class Meta(WaitingSerializer.Meta):
        model = Candidacy
        read_only_fields = fields = ["id", "ladder", "candidate", "current", "elo0", "elo1", "alpha", "beta",
                                     "most_pairs", "seed", "status", "reason", "created_by", "started_at", "ended_at",
                                     "waiting", "stand"]

    @extend_schema_field(StandSerializer)
    def get_stand(self, candidacy: Candidacy) -> dict[str, Any]:
        return StandSerializer(reads.summary(candidacy)).data


class OneCandidacySerializer(CandidacySerializer):
    llrs = serializers.SerializerMethodField(help_text="The ratio after each pair that counts, in order.")

    class Meta(CandidacySerializer.Meta):
        read_only_fields = fields = [*CandidacySerializer.Meta.fields, "llrs"]

    def get_llrs(self, candidacy: Candidacy) -> list[float]:
        return reads.trial_run(candidacy).ratios


_ELO: Final = f"-{WIDEST:g} to {WIDEST:g}"
_RISK: Final = f"{LEAST_RISK:f} or more, and less than {RISK_BELOW:g}"


class CandidacyFormSerializer(serializers.Serializer):
    ladder = serializers.SlugField(help_text="Slug of the ladder.")
    version = serializers.IntegerField(min_value=1, max_value=2**63 - 1,
                                       help_text="Id of a version of yours, whose bot plays there with another one.")
    elo0 = serializers.FloatField(default=verbs.ELO0, help_text="Normalized Elo above the current version that is too "
                                                                f"little; {_ELO}, below elo1.")
    elo1 = serializers.FloatField(default=verbs.ELO1, help_text=f"Normalized Elo above it that is enough; {_ELO}, "
                                                                "above elo0.")
    alpha = serializers.FloatField(default=verbs.RISK, help_text="Risk of passing a version that is only worth elo0; "
                                                                 f"{_RISK}.")
    beta = serializers.FloatField(default=verbs.RISK, help_text=f"Risk of failing one that is worth elo1; {_RISK}.")
    most_pairs = serializers.IntegerField(default=verbs.PAIRS, help_text=f"Pairs of games against it, "
                                          f"{verbs.FEWEST_PAIRS} to {verbs.MOST_PAIRS:,}, after which the trial ends "
                                          "without a verdict.")
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**63 - 1,
                                    help_text="Decides the openings; by lot when left out.")

    def validate_ladder(self, slug: str) -> Ladder:
        """The ladder itself."""
        return ChallengeFormSerializer().validate_ladder(slug)

    def validate_version(self, pk: int) -> Version:
        """The version itself."""
        return JoinSerializer().validate_version(pk)


class CandidacyFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of the bot.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    status = django_filters.ChoiceFilter(choices=CandidacyStatus.choices, label="Where it is in its life.")


@extend_schema_view(
    list=extend_schema(description="Trials, newest first: a version replaces the one that plays on a ladder only when "
                                   "it passes."),
    retrieve=extend_schema(description="One trial, with its running log-likelihood ratio."),
)
class CandidacyViewSet(ById, ReadOnlyModelViewSet):
    queryset = Candidacy.objects.all()
    filterset_class = CandidacyFilter

    def get_queryset(self) -> QuerySet[Candidacy]:
        return reads.candidacies()

    def get_serializer_class(self) -> type[CandidacySerializer]:
        return CandidacySerializer if self.action == "list" else OneCandidacySerializer

    @extend_schema(request=CandidacyFormSerializer, responses=refusable(created=OneCandidacySerializer))
    def create(self, request: Request) -> Response:
        """Try a version of yours against the one that plays for its bot. The games count for your quota."""
        form = CandidacyFormSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        facts = {"seed": secrets.randbits(63), **form.validated_data}
        made = verbs.enter(**facts, actor=request.user, now=timezone.now())
        return Response(OneCandidacySerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=refusable(ok=OneCandidacySerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """End it without a verdict: the current version goes on playing. For who acts for the bot."""
        candidacy = self.get_object()
        verbs.withdraw(candidacy=candidacy, actor=request.user, now=timezone.now())
        return Response(OneCandidacySerializer(candidacy).data)
