"""Trials: entering a version as a candidate for its bot's place on a ladder, withdrawing it, reading its results."""

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
from tournaments.models.lifecycle import CandidacyStatus, ContenderStatus
from tournaments.selectors.ladders import candidacies as reads
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.ladders import trials as verbs


class NeighbourhoodSerializer(serializers.Serializer):
    games = serializers.IntegerField(help_text="Number of games against bots with a similar rating.")
    points = serializers.FloatField(help_text="Points that the candidate scored in these games.")
    predicted = serializers.FloatField(help_text="Points that the current version's rating predicts.")
    margin = serializers.FloatField(help_text="Half the width of the 95 % interval around the prediction, in points.")


class StandSerializer(serializers.Serializer):
    pentanomial = serializers.ListField(source="course.pentanomial", child=serializers.IntegerField(),
                                        help_text="Numbers of pairs of games in which the candidate scored 0, ½, 1, 1½ "
                                                  "and 2 points against the current version.")
    won = serializers.IntegerField(help_text="Number of pairs that the candidate won.")
    drawn = serializers.IntegerField(help_text="Number of drawn pairs.")
    lost = serializers.IntegerField(help_text="Number of pairs that the candidate lost.")
    repeats = serializers.IntegerField(source="course.repeats", help_text="Number of pairs that repeated an earlier "
                                                                          "pair turn for turn; they do not count.")
    llr = serializers.FloatField(source="verdict.llr", help_text="Log-likelihood ratio of elo1 to elo0.")
    lower = serializers.FloatField(source="verdict.lower", help_text="Ratio at or below which the candidate fails.")
    upper = serializers.FloatField(source="verdict.upper", help_text="Ratio at or above which the candidate passes.")
    elo = serializers.FloatField(source="verdict.elo", help_text="Estimated strength relative to the current version, "
                                                                 "in logistic Elo.")
    low = serializers.FloatField(source="verdict.low", help_text="Lower end of the 95 % confidence interval of `elo`.")
    high = serializers.FloatField(source="verdict.high", help_text="Upper end of the 95 % confidence interval of "
                                                                   "`elo`.")
    neighbourhood = NeighbourhoodSerializer(source="course.neighbourhood", help_text="Results against bots with a "
                                                                                     "similar rating.")


class ContenderSerializer(serializers.Serializer):
    version = SideSerializer(source="contender.version", help_text="Candidate.")
    status = serializers.ChoiceField(source="contender.status", choices=ContenderStatus.choices,
                                     help_text="Current status.")
    reason = serializers.CharField(source="contender.reason", help_text="Explanation of the status; empty while it is "
                                                                        "in the selection.")
    llrs = serializers.ListField(source="run.ratios", child=serializers.FloatField(),
                                 help_text="Log-likelihood ratio after each of its pairs in the selection that counts.")
    out_at = serializers.FloatField(allow_null=True, help_text="Ratio at or below which it is out; null when it is no "
                                                               "longer in the selection.")


class EndsSerializer(serializers.Serializer):
    passed = serializers.FloatField(help_text="Probability of passing the test.")
    failed = serializers.FloatField(help_text="Probability of failing it.")
    inconclusive = serializers.FloatField(help_text="Probability of no verdict after `most_pairs` pairs.")


class PowerSerializer(serializers.Serializer):
    at_elo0 = EndsSerializer(help_text="For a candidate that is worth elo0.")
    at_elo1 = EndsSerializer(help_text="For a candidate that is worth elo1.")


class CandidacySerializer(WaitingSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    candidate = SideSerializer(help_text="Version on trial.")
    current = SideSerializer(help_text="Version that plays on the ladder until the candidate passes.")
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None,
                                       help_text="Username of the account that entered it; null for a new version that "
                                                 "was entered automatically.")
    stand = Computed(reads.summary, StandSerializer(), help_text="Results so far.")
    contenders = Computed(reads.contests, ContenderSerializer(many=True), help_text="All candidates if several were "
                                                                                    "named, else empty.")
    games_left = Computed(reads.games_left, serializers.IntegerField(allow_null=True),
                          help_text="Expected number of games until the trial ends; null if it is over.")
    power = Computed(reads.chances, PowerSerializer(),
                     help_text="Probabilities of the ends of such a trial, without the check against neighbours.")
    why = Waits.of_trials

    class Meta(WaitingSerializer.Meta):
        model = Candidacy
        read_only_fields = fields = ["id", "ladder", "candidate", "current", "elo0", "elo1", "alpha", "beta",
                                     "most_pairs", "seed", "status", "reason", "created_by", "started_at", "ended_at",
                                     "waiting", "stand", "contenders", "games_left", "power"]


class OneCandidacySerializer(CandidacySerializer):
    llrs = Computed(lambda candidacy: reads.trial_run(candidacy).ratios,
                    serializers.ListField(child=serializers.FloatField()),
                    help_text="Log-likelihood ratio after each pair that counts, in order.")

    class Meta(CandidacySerializer.Meta):
        read_only_fields = fields = [*CandidacySerializer.Meta.fields, "llrs"]


_ELO: Final = f"-{WIDEST:g} to {WIDEST:g}"
_RISK: Final = f"{LEAST_RISK:f} or more, and less than {RISK_BELOW:g}"


class CandidacyFormSerializer(serializers.Serializer):
    ladder = LadderField(help_text="Slug of the ladder.")
    version = VersionField(help_text="ID of one of your versions, whose bot plays on the ladder with another version.")
    others = serializers.ListField(child=VersionField(), default=list, help_text="IDs of up to seven more versions of "
                                   "the bot. The best of all these candidates is selected first, and then tried.")
    elo0 = serializers.FloatField(default=verbs.ELO0, help_text="Gain over the current version that is too small, in "
                                                                f"normalized Elo: {_ELO}, less than elo1.")
    elo1 = serializers.FloatField(default=verbs.ELO1, help_text="Gain over the current version that is sufficient, in "
                                                                f"normalized Elo: {_ELO}, greater than elo0.")
    alpha = serializers.FloatField(default=verbs.RISK, help_text="Probability of passing a version whose gain is only "
                                                                 f"elo0: {_RISK}.")
    beta = serializers.FloatField(default=verbs.RISK, help_text="Probability of failing a version whose gain is elo1: "
                                                                f"{_RISK}.")
    most_pairs = serializers.IntegerField(default=verbs.PAIRS, help_text="Number of pairs of games against the current "
                                          f"version, {verbs.FEWEST_PAIRS} to {verbs.MOST_PAIRS:,}, after which the "
                                          "trial ends without a verdict.")
    seed = SeedField(help_text="Seed of the openings; chosen at random if omitted.")


class CandidacyFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of the bot.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    status = django_filters.ChoiceFilter(choices=CandidacyStatus.choices, label="Status of the trial.")


@described(
    list="List trials, newest first. A version on trial replaces the current one on the ladder only if it passes.",
    retrieve="Return one trial, with its log-likelihood ratio after each pair.",
)
class CandidacyViewSet(ById, ReadOnlyModelViewSet):
    queryset = reads.candidacies()
    serializer_class = OneCandidacySerializer
    filterset_class = CandidacyFilter

    def get_serializer_class(self) -> type[CandidacySerializer]:
        return CandidacySerializer if self.action == "list" else OneCandidacySerializer

    create = Verb(verbs.enter, "Put one of your versions on trial against the version that plays for its bot. The "
                               "games count towards your quota.", form=CandidacyFormSerializer, code=201)
    withdraw = Verb(verbs.withdraw, "End the trial without a verdict: the current version stays. Only for the bot's "
                                    "owner, its team and staff.")
