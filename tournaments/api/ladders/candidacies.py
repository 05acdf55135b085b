"""Trials: enter a version as a candidate for its bot's place on a ladder, withdraw it, read how it stands."""

from typing import Final

import django_filters
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from ratings.sprt import LEAST_RISK, RISK_BELOW, WIDEST
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import Computed, LadderField, SeedField, VersionField
from tournaments.api.plumbing.slugs import ById
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.models import Candidacy
from tournaments.models.lifecycle import CandidacyStatus
from tournaments.selectors.ladders import candidacies as reads
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.ladders import trials as verbs


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
    stand = Computed(reads.summary, StandSerializer(), help_text="What its games say so far.")
    why = Waits.of_trials

    class Meta(WaitingSerializer.Meta):
        model = Candidacy
        read_only_fields = fields = ["id", "ladder", "candidate", "current", "elo0", "elo1", "alpha", "beta",
                                     "most_pairs", "seed", "status", "reason", "created_by", "started_at", "ended_at",
                                     "waiting", "stand"]


class OneCandidacySerializer(CandidacySerializer):
    llrs = Computed(lambda candidacy: reads.trial_run(candidacy).ratios,
                    serializers.ListField(child=serializers.FloatField()),
                    help_text="The ratio after each pair that counts, in order.")

    class Meta(CandidacySerializer.Meta):
        read_only_fields = fields = [*CandidacySerializer.Meta.fields, "llrs"]


_ELO: Final = f"-{WIDEST:g} to {WIDEST:g}"
_RISK: Final = f"{LEAST_RISK:f} or more, and less than {RISK_BELOW:g}"


class CandidacyFormSerializer(serializers.Serializer):
    ladder = LadderField(help_text="Slug of the ladder.")
    version = VersionField(help_text="Id of a version of yours, whose bot plays there with another one.")
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
    seed = SeedField(help_text="Decides the openings; by lot when left out.")


class CandidacyFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of the bot.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    status = django_filters.ChoiceFilter(choices=CandidacyStatus.choices, label="Where it is in its life.")


@described(
    list="Trials, newest first: a version replaces the one that plays on a ladder only when it passes.",
    retrieve="One trial, with its running log-likelihood ratio.",
)
class CandidacyViewSet(ById, ReadOnlyModelViewSet):
    queryset = reads.candidacies()
    serializer_class = OneCandidacySerializer
    filterset_class = CandidacyFilter

    def get_serializer_class(self) -> type[CandidacySerializer]:
        return CandidacySerializer if self.action == "list" else OneCandidacySerializer

    create = Verb(verbs.enter, "Try a version of yours against the one that plays for its bot. The games count for "
                               "your quota.", form=CandidacyFormSerializer, code=201)
    withdraw = Verb(verbs.withdraw, "End it without a verdict: the current version goes on playing. For who acts for "
                                    "the bot.")
