"""Analyses of games."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.bots.bots import SideSerializer
from tournaments.models import Analysis
from tournaments.scoring.analysis import Verdict
from tournaments.selectors.casual.analyses import Judged


class VerdictSerializer(serializers.Serializer):
    turn = serializers.CharField(allow_blank=True, help_text="The judge's turn; empty if it did not judge the "
                                                             "position.")
    win = serializers.FloatField(allow_null=True, help_text="Chance of the side to move to win, 0 to 1; null if the "
                                                            "judge did not say.")
    depth = serializers.IntegerField(allow_null=True, help_text="Number of turns that it looked ahead; null if "
                                                                "unknown.")
    nodes = serializers.IntegerField(allow_null=True, help_text="Number of positions examined; null if unknown.")
    pv = serializers.ListField(child=serializers.CharField(), help_text="Turns that the judge expects. Not checked "
                                                                        "against the rules.")
    reason = serializers.CharField(allow_blank=True, help_text="Reason why the position was not judged: a fault such "
                                                               "as time, `busy host` or `gave up`; empty if it was.")


class AnalysisSerializer(serializers.ModelSerializer):
    judges = SideSerializer(many=True, help_text="Versions that judge the positions, the strongest first.")
    verdicts = serializers.SerializerMethodField(
        help_text="Verdicts by position, the one before the first turn after the opening first; each has one per "
                  "judge. They come from bots.")

    class Meta:
        model = Analysis
        read_only_fields = fields = ["id", "game", "status", "judges", "seconds", "positions", "judged", "verdicts",
                                     "created_at", "ended_at"]

    @extend_schema_field(serializers.ListField(child=VerdictSerializer(many=True)))
    def get_verdicts(self, analysis: Analysis) -> list[list[dict[str, Any]]]:
        return [[_facts(verdict) for verdict in row] for row in Judged(analysis).rows]


def _facts(verdict: Verdict) -> dict[str, Any]:
    view = verdict.view
    return {"turn": verdict.turn, "win": verdict.win, "depth": view and view.depth, "nodes": view and view.nodes,
            "pv": list(view.pv) if view else [], "reason": verdict.reason}
