"""Serializer for scores in tables of ladders and events."""

from typing import Any

from rest_framework import serializers

from tournaments.scoring.standings import Score


def score_facts(score: Score) -> dict[str, Any]:
    """Return the score in the shape of `ScoreSerializer`; faster, for crosstables with thousands of scores."""
    return {"games": score.games, "wins": score.wins, "draws": score.draws, "losses": score.losses,
            "points": score.points, "share": score.share}


class ScoreSerializer(serializers.Serializer):
    games = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    points = serializers.FloatField(help_text="Points: 1 for a win, ½ for a draw.")
    share = serializers.FloatField(allow_null=True, help_text="Points per game, 0 to 1; null without games.")

    def to_representation(self, score: Score) -> dict[str, Any]:
        return score_facts(score)
