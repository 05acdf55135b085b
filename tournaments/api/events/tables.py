"""What is computed of an event: progress, standings, crosstable, bracket.

Tables have a line for each bot or each pair. Their serializers describe them, and they are written out without going
through the fields one by one, which would take ten times as long.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from rest_framework import serializers

from tournaments.api.plumbing.scores import ScoreSerializer, score_facts
from tournaments.scoring.standings import Score
from tournaments.selectors.events.tables import CrosstableRow, Standing


class ProgressSerializer(serializers.Serializer):
    games_total = serializers.IntegerField(help_text="All games that there will be if nobody else leaves; with "
                                                     "`at_least`, the fewest that there can be.")
    games_done = serializers.IntegerField(help_text="Games finished.")
    games_void = serializers.IntegerField(help_text="Lost to the infrastructure for good; nobody is charged.")
    at_least = serializers.BooleanField(help_text="Level ties and a second grand final may add games: `games_total` "
                                                  "and `seconds_left` are lower bounds.")
    rounds_least = serializers.IntegerField(help_text="The fewest rounds that the event can have.")
    rounds_most = serializers.IntegerField(help_text="The most rounds that the event can have.")
    matches_running = serializers.IntegerField(help_text="Matches in progress.")
    games_per_minute = serializers.FloatField(allow_null=True, help_text="Null while nothing can be said.")
    seconds_left = serializers.FloatField(allow_null=True, help_text="An estimate; null while nothing can be said.")
    share = serializers.FloatField(help_text="Done or void, of all: 0 to 1.")


class StandingSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="row.place", help_text="Bots equal in everything share a place; in a "
                                                                   "knockout, the best place still open to it.")
    worst_place = serializers.IntegerField(source="row.worst_place", allow_null=True,
                                           help_text="In a knockout, the worst place still open to it; else null.")
    eliminated = serializers.BooleanField(source="row.eliminated", help_text="It is out of the knockout.")
    bot = serializers.CharField(source="entry.bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="entry.bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="entry.version.number", help_text="The version that plays the event.")
    points = serializers.FloatField(source="row.points", help_text="What decides: those of games; in a Swiss of "
                                                                   "matches, with byes and walkovers.")
    tie_breaks = serializers.ListField(child=serializers.FloatField(), source="row.tie_breaks",
                                       help_text="The event's tie-breaks, in its order; none in a knockout.")
    score = ScoreSerializer(source="row.score", help_text="Of the games that it played.")
    seats = ScoreSerializer(many=True, source="row.seats", help_text="The score as seat 0 and as seat 1.")
    sonneborn_berger = serializers.FloatField(source="row.sonneborn_berger", help_text="Sonneborn-Berger, whether the "
                                                                                       "event goes by it or not.")
    left_at = serializers.DateTimeField(source="entry.left_at", allow_null=True,
                                        help_text="When it left the event, if it did.")
    rating = serializers.FloatField(source="rating.value", default=None, allow_null=True,
                                    help_text="Live Elo on the ladder; null before the first rating.")
    plus_minus = serializers.FloatField(source="rating.plus_minus", default=None, allow_null=True,
                                        help_text="Half its 95 % interval, in Elo.")

    def to_representation(self, line: Standing) -> dict[str, Any]:
        row, entry, rating = line.row, line.entry, line.rating
        left_at = self.fields["left_at"].to_representation
        return {
            "place": row.place, "worst_place": row.worst_place, "eliminated": row.eliminated,
            "bot": entry.bot.slug, "name": entry.bot.name, "version": entry.version.number,
            "points": row.points, "tie_breaks": list(row.tie_breaks), "score": score_facts(row.score),
            "seats": [score_facts(seat) for seat in row.seats], "sonneborn_berger": row.sonneborn_berger,
            "left_at": left_at(entry.left_at) if entry.left_at else None,
            "rating": rating.value if rating else None, "plus_minus": rating.plus_minus if rating else None,
        }


class CrosstableCellSerializer(serializers.Serializer):
    opponent = serializers.CharField(source="opponent.bot.slug", help_text="The opponent's slug.")
    score = ScoreSerializer(allow_null=True, help_text="Null where they have not met, and against itself.")


class CrosstableRowSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="standing.row.place")
    bot = serializers.CharField(source="standing.entry.bot.slug", help_text="The bot's slug.")
    cells = CrosstableCellSerializer(many=True, help_text="One for each entrant, in the order of the rows.")


def crosstable_text(lines: Sequence[CrosstableRow]) -> str:
    """What CrosstableRowSerializer says of the whole table, as JSON.

    A hundred bots have ten thousand cells, of which most are alike: each score and each opponent is written once, and
    the table put together of them.
    """
    @cache
    def score(wins: int, draws: int, losses: int) -> str:
        return _text(score_facts(Score(wins, draws, losses)))

    opponents = [_text(line.standing.entry.bot.slug) for line in lines]
    rows = []
    for line, bot in zip(lines, opponents, strict=True):
        scores = ("null" if (met := cell.score) is None else score(met.wins, met.draws, met.losses)
                  for cell in line.cells)
        cells = ",".join([f'{{"opponent":{opponent},"score":{text}}}'
                          for opponent, text in zip(opponents, scores, strict=True)])
        rows.append(f'{{"place":{line.standing.row.place},"bot":{bot},"cells":[{cells}]}}')
    return f"[{','.join(rows)}]"


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


class BracketTieSerializer(serializers.Serializer):
    sides = serializers.ListField(child=serializers.CharField(allow_null=True),
                                  help_text="Slugs of two bots; null while one is not known, and for nobody.")
    winner = serializers.CharField(allow_null=True, help_text="The slug of who advances; null while undecided.")
    round = serializers.IntegerField(source="stage", allow_null=True, help_text="The number of its round; null of a "
                                                                                "bye.")


class BracketColumnSerializer(serializers.Serializer):
    section = serializers.CharField(help_text="The bracket that it belongs to.")
    label = serializers.CharField(help_text="What the round is called.")
    ties = BracketTieSerializer(many=True, help_text="From top to bottom.")
