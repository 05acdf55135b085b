"""The fit of a ladder's games, version by version, and comparisons of two bots or versions by it."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import fields, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.models import OfficialLine, OfficialTable
from tournaments.api.bots.places import PlayingSerializer
from tournaments.api.plumbing.actions import facts_of
from tournaments.api.plumbing.fields import Computed
from tournaments.api.plumbing.pagination import PAGE_SIZE_SCHEMA, ByNewest, ByRank
from tournaments.api.plumbing.scores import ScoreSerializer
from tournaments.models import Bot, Version
from tournaments.selectors.ladders import official as reads
from tournaments.selectors.ladders.comparisons import compare
from tournaments.web.etags import tagged

_LONGEST: Final = 80
# Maximum number of digits of an ID: any such number fits a database integer.
_DIGITS: Final = 18


class EstimateSerializer(serializers.Serializer):
    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % confidence interval.")


def _estimate(name: str, help_text: str) -> Computed:
    """Return a field for an estimate that is stored in three columns of the row."""
    return Computed(lambda table: {"value": getattr(table, name), "low": getattr(table, f"{name}_low"),
                                   "high": getattr(table, f"{name}_high")}, EstimateSerializer(), help_text=help_text)


class DeviationSerializer(serializers.Serializer):
    first = serializers.IntegerField(help_text="Rank of the version that scored more than the ratings predict.")
    second = serializers.IntegerField(help_text="Rank of its opponent.")
    games = serializers.IntegerField(help_text="Games of the pair.")
    points = serializers.FloatField(help_text="Points of the first.")
    expected = serializers.FloatField(help_text="Points that the ratings predict for the first.")
    probability = serializers.FloatField(help_text="P-value of the difference, corrected for the number of pairs.")


class CycleSerializer(serializers.Serializer):
    players = serializers.ListField(child=serializers.IntegerField(), help_text=(
        "Ranks of three versions: each beats the next, and the last beats the first."))
    shares = serializers.ListField(child=serializers.FloatField(), help_text="Points per game of each win, in order.")
    probability = serializers.FloatField(help_text="Largest p-value of the three majorities, corrected for the number "
                                                   "of tests.")


class TransitivitySerializer(serializers.Serializer):
    pairs = serializers.IntegerField(help_text="Pairs that have met.")
    tested = serializers.IntegerField(help_text="Pairs with enough games for the comparison with the ratings.")
    deviating = serializers.IntegerField(help_text="Tested pairs whose score differs from the ratings' prediction.")
    deviations = DeviationSerializer(many=True, help_text="These pairs, the clearest first; at most 50.")
    cycling = serializers.IntegerField(help_text="Cycles of three versions.")
    cycles = CycleSerializer(many=True, help_text="These cycles, the clearest first; at most 50.")
    estimated = serializers.IntegerField(help_text="Pairs with fewer than 10 games, for which the maximal lottery uses "
                                                   "the predicted score.")


class OfficialTableSerializer(serializers.ModelSerializer):
    versions = serializers.IntegerField(help_text="Number of lines in the table.")
    first_move_advantage = _estimate("advantage", "First-move advantage, in Elo.")
    draw_parameter = _estimate("draw_parameter", "Davidson's draw parameter ν: 0 without draws, 1 if equally strong "
                                                 "versions draw every third game.")
    connected = serializers.BooleanField(help_text="Whether all ratings of the table are comparable.")
    components = serializers.ListField(child=serializers.IntegerField(), help_text="Number of versions in each "
                                       "connected group, the largest first. Ratings are comparable only within a "
                                       "group.")
    warning = serializers.CharField(help_text="Warning to readers if not all ratings are comparable; empty otherwise.")
    transitivity = Computed(lambda table: table.transitivity or None, TransitivitySerializer(allow_null=True),
                            help_text="Whether the ratings tell the whole story, by tests at 95 %; null for more than "
                                      "200 versions.")
    anchors = serializers.DictField(child=serializers.FloatField(), help_text="Fixed ratings by version ID.")

    class Meta:
        model = OfficialTable
        read_only_fields = fields = [
            "revision", "period", "computed_at", "games", "versions", "first_move_advantage", "draw_parameter",
            "draw_rate", "connected", "components", "warning", "transitivity", "anchors", "exact", "model", "input"]


class OfficialLineSerializer(PlayingSerializer, serializers.ModelSerializer):
    lottery = serializers.FloatField(allow_null=True, help_text="Probability in the maximal lottery, the ranking that "
                                     "does not assume transitivity; null if it was not computed for this version.")

    class Meta:
        model = OfficialLine
        read_only_fields = fields = [
            "rank", "rank_low", "rank_high", "bot", "name", "version", "version_id", "rating", "low", "high",
            "error", "better_than_next", "lottery", "games", "wins", "draws", "losses", "games_for_25",
            "component"]


class OfficialPageSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, help_text="URL of the next page; null on the last page.")
    previous = serializers.URLField(allow_null=True, help_text="URL of the previous page; null on the first page.")
    table = OfficialTableSerializer(allow_null=True, help_text="Facts about the whole table; null before the first "
                                                               "rating period has been computed.")
    results = OfficialLineSerializer(many=True)


class ComparedSerializer(PlayingSerializer):
    rating = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % confidence interval.")


class SuperioritySerializer(serializers.Serializer):
    first = ComparedSerializer(allow_null=True, help_text="Rating of the first version, or of the version that "
                                                          "plays for the first bot; null if it has none.")
    second = ComparedSerializer(allow_null=True, help_text="Rating of the second version, or of the version that "
                                                           "plays for the second bot; null if it has none.")
    better = serializers.FloatField(source="difference.better", default=None, allow_null=True, help_text=(
        "Probability that the first is stronger, 0 to 1; null if no chain of games connects the two."))
    difference = EstimateSerializer(allow_null=True, help_text="First rating minus second rating, in Elo; null if no "
                                                               "chain of games connects the two.")
    score = ScoreSerializer(source="meeting.score", help_text="Score of the first against the second in rated games: "
                                                              "of all versions of a bot, or of the given version.")
    seats = ScoreSerializer(source="meeting.seats", many=True, help_text="The same score, split into games as seat 0 "
                                                                         "and as seat 1.")
    expected = serializers.FloatField(source="meeting.expected_share", allow_null=True, help_text=(
        "Points per game that the ratings predict for these games; null if none of them has been rated."))
    actual = serializers.FloatField(source="meeting.actual_share", allow_null=True, help_text="Points per game scored "
                                                                                              "in these games; null "
                                                                                              "without games.")
    model = serializers.CharField(source="table.model", default=None, allow_null=True, help_text=(
        "Name and version of the rating model; null before the ladder has a table."))
    input = serializers.CharField(source="table.input", default=None, allow_null=True, help_text=(
        "SHA-256 of the games from which the table was computed; null before the ladder has a table."))


class _WhomField(serializers.CharField):
    """Field for a version, given by an ID of digits alone, or otherwise for a bot, given by its slug."""

    def run_validation(self, data: Any = fields.empty) -> Bot | Version:
        key = super().run_validation(data)
        if key.isascii() and key.isdigit():
            version = Version.objects.select_related("bot").filter(pk=key).first() if len(key) <= _DIGITS else None
            if version is None:
                raise serializers.ValidationError(f"There is no version {key}.")
            return version
        bot = Bot.objects.filter(slug=key).first()
        if bot is None:
            raise serializers.ValidationError(f"There is no bot {key!r}. Give a bot's slug or a version's ID.")
        return bot


class ComparingSerializer(serializers.Serializer):
    first = _WhomField(max_length=_LONGEST)
    second = _WhomField(max_length=_LONGEST)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first, second = attrs["first"], attrs["second"]
        bots = {side if isinstance(side, Bot) else side.bot for side in (first, second)}
        # A bot includes its versions, so the two cannot be compared; two versions of one bot can.
        if first == second or (len(bots) == 1 and type(first) is not type(second)):
            raise serializers.ValidationError("A bot cannot be compared with itself: give two different bots or "
                                              "versions.")
        return attrs


class _BotSerializer(serializers.Serializer):
    bot = serializers.SlugField(max_length=_LONGEST)


_PAGES: Final = [
    OpenApiParameter("cursor", str, description=ByNewest.cursor_query_description),
    OpenApiParameter("limit", PAGE_SIZE_SCHEMA, description=ByNewest.page_size_query_description),
    OpenApiParameter("bot", str, description="Slug of a bot; limits the table to the lines of its versions."),
]
_WHO: Final = "Slug of a bot, or ID of a version."
_ESTIMATED: Final = {"value": 12.4, "low": 3.1, "high": 21.7}
_LINE: Final = {
    "rank": 1, "rank_low": 1, "rank_high": 2, "bot": "morphy", "name": "Morphy", "version": 3, "version_id": 17,
    "rating": 1734.512345, "low": 1701.3, "high": 1767.724690, "error": 16.945, "better_than_next": 0.971,
    "lottery": 1.0, "games": 412, "wins": 260, "draws": 31, "losses": 121, "games_for_25": 318,
    "component": 0}
_TABLE_EXAMPLE: Final = OpenApiExample("The top of a table", response_only=True, value={
    "next": "http://localhost:8000/api/ladders/squ-6x6-2s-0-1s/table/?cursor=cD0x&limit=1", "previous": None,
    "table": {"revision": 88, "period": 640, "computed_at": "2026-11-20T12:00:10Z", "games": 5120, "versions": 24,
              "first_move_advantage": _ESTIMATED, "draw_parameter": {"value": 0.22, "low": 0.18, "high": 0.27},
              "draw_rate": 0.071, "connected": True, "components": [24], "warning": "", "transitivity": {
                  "pairs": 276, "tested": 270, "deviating": 1, "deviations": [
                      {"first": 9, "second": 2, "games": 40, "points": 27.0, "expected": 14.2, "probability": 0.004}],
                  "cycling": 0, "cycles": [], "estimated": 6}, "anchors": {"17": 1734.512345},
              "exact": True, "model": "davidson/2", "input": "ab" * 32},
    "results": [_LINE]})
_SIDE: Final = {key: _LINE[key] for key in ("bot", "name", "version", "version_id", "rating", "low", "high")}
_SUPERIORITY_EXAMPLE: Final = OpenApiExample("Two bots", response_only=True, value={
    "first": _SIDE, "second": {**_SIDE, "bot": "steinitz", "name": "Steinitz", "version_id": 12, "rating": 1690.1,
                               "low": 1660.2, "high": 1720.0},
    "better": 0.971, "difference": {"value": 44.412345, "low": -1.5, "high": 90.3},
    "score": {"games": 40, "wins": 22, "draws": 4, "losses": 14, "points": 24.0, "share": 0.6},
    "seats": [{"games": 20, "wins": 13, "draws": 2, "losses": 5, "points": 14.0, "share": 0.7},
              {"games": 20, "wins": 9, "draws": 2, "losses": 9, "points": 10.0, "share": 0.5}],
    "expected": 0.563, "actual": 0.6, "model": "davidson/2", "input": "ab" * 32})


class OfficialActions:
    """Actions of the ladders' view set that answer questions about all versions."""

    @extend_schema(responses=OfficialPageSerializer, parameters=_PAGES, examples=[_TABLE_EXAMPLE])
    @action(detail=True, pagination_class=ByRank, filterset_class=None)
    @tagged(reads.tag_of)
    def table(self: Any, request: Request, slug: str) -> Response:
        """Return the ratings of all versions: one fit of all rated games, one line per version, best first."""
        table = reads.table_of(self.tagged_object)
        lines = reads.lines(table)
        if bot := request.query_params.get("bot"):
            facts_of(_BotSerializer, {"bot": bot})
            lines = lines.filter(version__bot__slug=bot)
        page = self.paginate_queryset(lines)
        answer = self.get_paginated_response(OfficialLineSerializer(page, many=True).data)
        described = OfficialTableSerializer(table).data if table else None
        return Response({"next": answer.data["next"], "previous": answer.data["previous"], "table": described,
                         "results": answer.data["results"]})

    @extend_schema(responses=SuperioritySerializer, examples=[_SUPERIORITY_EXAMPLE], parameters=[
        OpenApiParameter("first", str, required=True, description=_WHO),
        OpenApiParameter("second", str, required=True, description=_WHO)])
    @action(detail=True, pagination_class=None, filterset_class=None)
    def superiority(self: Any, request: Request, slug: str) -> Response:
        """Compare two bots or versions by their ratings, and return the score of their games."""
        ladder = self.get_object()
        sides = facts_of(ComparingSerializer, request.query_params)
        return Response(SuperioritySerializer(compare(ladder, **sides)).data)
