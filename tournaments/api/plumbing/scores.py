"""A score, as tables of ladders and of events show it."""

from typing import Any

from rest_framework import serializers

from tournaments.scoring.standings import Score


def score_facts(score: Score) -> dict[str, Any]:
    """What `ScoreSerializer` says of it: it is written out by itself, as a crosstable has thousands."""
    return {"games": score.games, "wins": score.wins, "draws": score.draws, "losses": score.losses,
            "points": score.points, "share": score.share}


class ScoreSerializer(serializers.Serializer):
    games = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    points = serializers.FloatField(help_text="A win counts 1, a draw ½.")
    share = serializers.FloatField(allow_null=True, help_text="Points per game; null without games.")

    def to_representation(self, score: Score) -> dict[str, Any]:
        return score_facts(score)
