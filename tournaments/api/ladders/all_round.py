"""One table over all rulesets."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.selectors.ladders import all_round as reads


class _BotSerializer(serializers.Serializer):
    bot = serializers.CharField(source="bot.slug", help_text="Slug of the bot.")
    name = serializers.CharField(source="bot.name", help_text="Name of the bot.")


class AllRoundRowSerializer(_BotSerializer):
    rank = serializers.IntegerField(source="line.rank")
    rank_low = serializers.IntegerField(source="line.rank_low", help_text="Best possible rank at 95 % confidence.")
    rank_high = serializers.IntegerField(source="line.rank_high", help_text="Worst possible rank at 95 % confidence.")
    rating = serializers.FloatField(source="line.rating", help_text="Mean of the ratings, in Elo.")
    low = serializers.FloatField(source="line.low", help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(source="line.high", help_text="Upper end of the 95 % confidence interval.")
    error = serializers.FloatField(source="line.error", help_text="Standard error in Elo.")
    better_than_next = serializers.FloatField(source="line.better_than_next", allow_null=True, help_text=(
        "Probability that it is stronger than the next line; null for the last line."))
    games = serializers.IntegerField(source="line.games", help_text="Games on all these ladders.")
    ratings = serializers.SerializerMethodField(help_text="Rating on each ladder, in the order of `ladders`.")
    rank_without = serializers.ListField(child=serializers.IntegerField(), help_text=(
        "Rank if each ladder is left out, in the order of `ladders`; empty with one ladder."))

    def get_ratings(self, row: reads.Row) -> list[float]:
        return [line.rating for line in row.official]


class AllRoundApartSerializer(_BotSerializer):
    ratings = serializers.SerializerMethodField(help_text="Rating on each ladder, in the order of `ladders`; "
                                                          "null without a comparable one.")

    def get_ratings(self, apart: reads.Apart) -> list[float | None]:
        return [line.rating if line else None for line in apart.official]


class AllRoundSerializer(serializers.Serializer):
    ladders = serializers.SerializerMethodField(help_text="Slugs of the ladders: of each ruleset, the one with the "
                                                          "most games.")
    exact = serializers.BooleanField(help_text="Whether the covariances of all ladders are known; those of very large "
                                               "ladders are taken as zero.")
    results = AllRoundRowSerializer(source="rows", many=True, help_text="Bots with a comparable rating on every "
                                                                        "ladder, best first.")
    apart = AllRoundApartSerializer(many=True, help_text="Bots that play only some of the rulesets, by slug.")

    def get_ladders(self, table: reads.Table) -> list[str]:
        return [ladder.slug for ladder in table.ladders]


class AllRoundView(APIView):
    @extend_schema(responses=AllRoundSerializer)
    def get(self, request: Request, *args: Any) -> Response:
        """Return one table over all rulesets: the mean of each bot's ratings, with equal weights."""
        return Response(AllRoundSerializer(reads.table()).data)
