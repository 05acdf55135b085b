"""A ladder's official table, and who is the stronger of two by it."""

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
from tournaments.api.plumbing.pagination import PAGE_SIZE_SCHEMA, ByNewest
from tournaments.api.plumbing.scores import ScoreSerializer
from tournaments.models import Bot, Version
from tournaments.selectors.ladders import official as reads
from tournaments.selectors.ladders.comparisons import compare
from tournaments.web.etags import tagged

_LONGEST: Final = 80
# Of an id: so many always fit a database integer.
_DIGITS: Final = 18


class EstimateSerializer(serializers.Serializer):
    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(help_text="Upper end of its 95 % interval.")


def _estimate(name: str, help_text: str) -> Computed:
    """An estimate that stands in three columns of the row."""
    return Computed(lambda table: {"value": getattr(table, name), "low": getattr(table, f"{name}_low"),
                                   "high": getattr(table, f"{name}_high")}, EstimateSerializer(), help_text=help_text)


class OfficialTableSerializer(serializers.ModelSerializer):
    versions = serializers.IntegerField(help_text="Lines that it has.")
    first_move_advantage = _estimate("advantage", "What the first move is worth, in Elo.")
    draw_parameter = _estimate("draw_parameter", "Davidson's ν: 0 without draws, 1 where equals draw every third game.")
    connected = serializers.BooleanField(help_text="All its ratings are comparable.")
    components = serializers.ListField(child=serializers.IntegerField(), help_text="How many versions each connected "
                                       "part of the field has, the largest first: ratings are comparable within one.")
    warning = serializers.CharField(help_text="A sentence for readers if not all ratings are comparable, else empty.")
    anchors = serializers.DictField(child=serializers.FloatField(), help_text="Ratings that were given, by the id of "
                                                                              "the version.")

    class Meta:
        model = OfficialTable
        read_only_fields = fields = [
            "revision", "computed_at", "games", "versions", "first_move_advantage", "draw_parameter", "draw_rate",
            "connected", "components", "warning", "anchors", "exact", "model", "input"]


class OfficialLineSerializer(PlayingSerializer, serializers.ModelSerializer):
    class Meta:
        model = OfficialLine
        read_only_fields = fields = [
            "rank", "rank_low", "rank_high", "bot", "name", "version", "version_id", "rating", "low", "high",
            "error", "better_than_next", "games", "wins", "draws", "losses", "games_for_25", "component"]


class OfficialPageSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last one.")
    previous = serializers.URLField(allow_null=True, help_text="Address of the page before; null on the first one.")
    table = OfficialTableSerializer(allow_null=True, help_text="What is true of all lines; null before the first "
                                                               "rating period has been computed.")
    results = OfficialLineSerializer(many=True)


class ComparedSerializer(PlayingSerializer):
    rating = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(help_text="Upper end of its 95 % interval.")


class SuperioritySerializer(serializers.Serializer):
    first = ComparedSerializer(allow_null=True, help_text="The official line that speaks for the first: of the version "
                               "asked about, or of the one that plays for the bot; null if there is none.")
    second = ComparedSerializer(allow_null=True, help_text="Likewise of the second.")
    better = serializers.FloatField(source="difference.better", default=None, allow_null=True, help_text=(
        "Probability that the first is the stronger, 0 to 1; null if no games connect the two."))
    difference = EstimateSerializer(allow_null=True, help_text="The first's rating less the second's, in Elo; likewise "
                                                               "null.")
    score = ScoreSerializer(source="meeting.score", help_text="The first's rated games against the second: of all "
                                                              "versions of a bot, or of the one asked about.")
    seats = ScoreSerializer(source="meeting.seats", many=True, help_text="The same as seat 0 and as seat 1.")
    expected = serializers.FloatField(source="meeting.expected_share", allow_null=True, help_text=(
        "Points per game that the official table expects of these games; null if it has none of them."))
    actual = serializers.FloatField(source="meeting.actual_share", allow_null=True, help_text="Points per game of "
                                                                                              "these games.")
    model = serializers.CharField(source="table.model", default=None, allow_null=True, help_text=(
        "The model's name and version; null before the ladder has a table."))
    input = serializers.CharField(source="table.input", default=None, allow_null=True, help_text=(
        "SHA-256 of the counted games that the table was computed from; likewise null."))


class _WhomField(serializers.CharField):
    """The version of that id, if it is digits alone, or else the bot of that slug."""

    def run_validation(self, data: Any = fields.empty) -> Bot | Version:
        key = super().run_validation(data)
        if key.isascii() and key.isdigit():
            version = Version.objects.select_related("bot").filter(pk=key).first() if len(key) <= _DIGITS else None
            if version is None:
                raise serializers.ValidationError(f"There is no version {key}.")
            return version
        bot = Bot.objects.filter(slug=key).first()
        if bot is None:
            raise serializers.ValidationError(f"There is no bot {key!r}; a version is named by its id.")
        return bot


class ComparingSerializer(serializers.Serializer):
    first = _WhomField(max_length=_LONGEST)
    second = _WhomField(max_length=_LONGEST)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first, second = attrs["first"], attrs["second"]
        bots = {side if isinstance(side, Bot) else side.bot for side in (first, second)}
        # A version is part of its bot; two versions of one bot may well be compared.
        if first == second or (len(bots) == 1 and type(first) is not type(second)):
            raise serializers.ValidationError("Nobody is stronger than itself: name two different ones.")
        return attrs


class _BotSerializer(serializers.Serializer):
    bot = serializers.SlugField(max_length=_LONGEST)


class ByRank(ByNewest):
    """From the top of an official table."""

    ordering = "rank"


_PAGES: Final = [
    OpenApiParameter("cursor", str, description=ByNewest.cursor_query_description),
    OpenApiParameter("limit", PAGE_SIZE_SCHEMA, description=ByNewest.page_size_query_description),
    OpenApiParameter("bot", str, description="Slug of a bot: the lines of its versions alone."),
]
_WHO: Final = "A bot's slug, or the id of a version."
_ESTIMATED: Final = {"value": 12.4, "low": 3.1, "high": 21.7}
_LINE: Final = {
    "rank": 1, "rank_low": 1, "rank_high": 2, "bot": "morphy", "name": "Morphy", "version": 3, "version_id": 17,
    "rating": 1734.512345, "low": 1701.3, "high": 1767.724690, "error": 16.945, "better_than_next": 0.971,
    "games": 412, "wins": 260, "draws": 31, "losses": 121, "games_for_25": 318, "component": 0}
_TABLE_EXAMPLE: Final = OpenApiExample("The top of a table", response_only=True, value={
    "next": "http://localhost:8000/api/ladders/squ-6x6-2s-0-1s/table/?cursor=cD0x&limit=1", "previous": None,
    "table": {"revision": 88, "computed_at": "2026-11-20T12:00:10Z", "games": 5120, "versions": 24,
              "first_move_advantage": _ESTIMATED, "draw_parameter": {"value": 0.22, "low": 0.18, "high": 0.27},
              "draw_rate": 0.071, "connected": True, "components": [24], "warning": "", "anchors": {"17": 1734.512345},
              "exact": True, "model": "davidson/1", "input": "ab" * 32},
    "results": [_LINE]})
_SIDE: Final = {key: _LINE[key] for key in ("bot", "name", "version", "version_id", "rating", "low", "high")}
_SUPERIORITY_EXAMPLE: Final = OpenApiExample("Two bots", response_only=True, value={
    "first": _SIDE, "second": {**_SIDE, "bot": "steinitz", "name": "Steinitz", "version_id": 12, "rating": 1690.1,
                               "low": 1660.2, "high": 1720.0},
    "better": 0.971, "difference": {"value": 44.412345, "low": -1.5, "high": 90.3},
    "score": {"games": 40, "wins": 22, "draws": 4, "losses": 14, "points": 24.0, "share": 0.6},
    "seats": [{"games": 20, "wins": 13, "draws": 2, "losses": 5, "points": 14.0, "share": 0.7},
              {"games": 20, "wins": 9, "draws": 2, "losses": 9, "points": 10.0, "share": 0.5}],
    "expected": 0.563, "actual": 0.6, "model": "davidson/1", "input": "ab" * 32})


class OfficialActions:
    """What the view set of ladders answers about official tables."""

    @extend_schema(responses=OfficialPageSerializer, parameters=_PAGES, examples=[_TABLE_EXAMPLE])
    @action(detail=True, pagination_class=ByRank, filterset_class=None)
    @tagged(reads.tag_of)
    def table(self: Any, request: Request, slug: str) -> Response:
        """The official table: a maximum-likelihood fit of all rated games, a line for each version, best first."""
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
        """Who is the stronger of two by the official table, and what they have played against one another."""
        ladder = self.get_object()
        sides = facts_of(ComparingSerializer, request.query_params)
        return Response(SuperioritySerializer(compare(ladder, **sides)).data)
