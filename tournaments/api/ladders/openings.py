"""The explorer of openings."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engines.rules.registry import RULESETS
from engines.rules.ruleset import SetupError
from ratings.openings import BAND_LIMITS, BANDS
from tournaments.api.plumbing.scores import ScoreSerializer
from tournaments.selectors.ladders import openings as reads

_LONGEST = 2000


class OpeningsQuerySerializer(serializers.Serializer):
    turns = serializers.CharField(required=False, default="", allow_blank=True, max_length=_LONGEST, help_text=(
        "Turns from the start, separated by spaces; at most 12. Without it, the start of the game."))
    band = serializers.IntegerField(required=False, min_value=0, max_value=BANDS - 1, help_text=(
        "Only games whose mean rating is in this band: 0 is below "
        f"{BAND_LIMITS[0]}, and the others begin at {', '.join(map(str, BAND_LIMITS))}."))


class OpeningTurnSerializer(serializers.Serializer):
    turn = serializers.CharField(help_text="Next turn, in the orientation of the given turns.")
    images = serializers.ListField(child=serializers.CharField(), help_text="All turns that are images of it under the "
                                   "symmetries of this position, including it.")
    score = ScoreSerializer(help_text="Results of the side to move.")
    low = serializers.FloatField(help_text="Lower end of the 95 % interval of the points per game.")
    high = serializers.FloatField(help_text="Upper end of the 95 % interval of the points per game.")
    newest = serializers.IntegerField(help_text="ID of the newest game. It may show a mirrored or rotated board.")


class OpeningsSerializer(serializers.Serializer):
    ruleset = serializers.CharField()
    size = serializers.IntegerField()
    turns = serializers.ListField(child=serializers.CharField(), help_text="The given turns in canonical notation.")
    rows = serializers.ListField(child=serializers.CharField(), help_text="Rows of the board, north first: `.` empty, "
                                                                          "`1` seat 0, `2` seat 1.")
    seat_to_move = serializers.IntegerField()
    counted = serializers.IntegerField(help_text="Number of counted games of this ruleset and size.")
    complete = serializers.BooleanField(help_text="False while rated games are yet to be counted.")
    score = ScoreSerializer(help_text="Results of the side to move in all games that reached the position.")
    ended = ScoreSerializer(help_text="Results of the side to move in games that ended here, or after the 12th turn.")
    different = serializers.IntegerField(help_text="Number of different next turns, of which the 20 most frequent are "
                                                   "listed.")
    next = OpeningTurnSerializer(many=True, help_text="Next turns, the most frequent first.")
    games = serializers.ListField(child=serializers.IntegerField(), help_text="IDs of some of the newest games.")


class OpeningsView(APIView):
    @extend_schema(
        parameters=[OpeningsQuerySerializer,
                    OpenApiParameter("ruleset", str, OpenApiParameter.PATH, description="Slug of the ruleset."),
                    OpenApiParameter("size", int, OpenApiParameter.PATH, description="Cells per side.")],
        responses=OpeningsSerializer)
    def get(self, request: Request, *args: Any, ruleset: str, size: int) -> Response:
        """Return how rated games continued from a position: next turns, games and scores.

        Positions that are mirrored or rotated images of each other count as one if the rules treat them alike.
        """
        asked = OpeningsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        if ruleset not in RULESETS:
            raise NotFound(f"There is no ruleset {ruleset!r}. Use one of {', '.join(RULESETS)}.")
        try:
            RULESETS[ruleset].check_size(size)
            reached = reads.reach(RULESETS[ruleset], size, asked.validated_data["turns"].split())
        except SetupError as error:
            raise NotFound(f"{error}.") from None
        except reads.TurnsRefused as error:
            raise serializers.ValidationError({"turns": str(error)}) from None
        found, counted = reads.explore(reached, asked.validated_data.get("band")), reads.counted(ruleset, size)
        return Response(OpeningsSerializer({
            "ruleset": ruleset, "size": size, "turns": reached.turns, "rows": reached.position.rows(),
            "seat_to_move": reached.position.seat_to_move, "counted": counted.games, "complete": counted.complete,
            "score": found.score, "ended": found.ended, "different": found.different, "next": found.lines,
            "games": found.games}).data)
