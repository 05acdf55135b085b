"""Tables computed from an event: progress, standings, crosstable, bracket.

Tables have a line for each bot or each pair. Their serializers describe them for the schema, but the lines are written
without going through the fields one by one, which would take ten times as long.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from rest_framework import serializers

from tournaments.api.plumbing.scores import ScoreSerializer, score_facts
from tournaments.scoring.standings import Score
from tournaments.selectors.events.tables import CrosstableRow, Standing, reason_of


class ProgressSerializer(serializers.Serializer):
    games_total = serializers.IntegerField(help_text="Number of games in the event if no more entrants leave; see "
                                                     "`estimate`.")
    games_done = serializers.IntegerField(help_text="Number of games finished.")
    games_void = serializers.IntegerField(help_text="Number of games permanently void because of infrastructure "
                                                    "faults; no bot is penalised.")
    estimate = serializers.CharField(help_text="Relation of the actual numbers to `games_total` and `seconds_left`: "
                                               "exact; at least (level ties or a second grand final may add games); at "
                                               "most (the event stops when its target is met); or about (the pace of "
                                               "an arena can change).")
    at_least = serializers.BooleanField(help_text="Whether `estimate` is at least.")
    rounds_least = serializers.IntegerField(help_text="Minimum number of rounds.")
    rounds_most = serializers.IntegerField(help_text="Maximum number of rounds.")
    matches_running = serializers.IntegerField(help_text="Number of matches in progress.")
    games_per_minute = serializers.FloatField(allow_null=True, help_text="Games finished per minute; null while it "
                                                                         "cannot be estimated.")
    seconds_left = serializers.FloatField(allow_null=True, help_text="Estimated time left, in seconds; null while it "
                                                                     "cannot be estimated.")
    share = serializers.FloatField(help_text="Share of the event that is done, 0 to 1; see `measure`.")
    measure = serializers.CharField(help_text="Quantity that `share` is a share of: games; time, in a running arena; "
                                              "or information, in a running precision event.")


class IntervalSerializer(serializers.Serializer):
    bot = serializers.CharField(source="entry.bot.slug", help_text="Slug of the bot.")
    rating = serializers.FloatField(help_text="Rating in Elo around the mean of the entrants.")
    half_width = serializers.FloatField(help_text="Half width of its 95 % interval, in Elo.")
    met = serializers.BooleanField(allow_null=True, help_text="Whether the bot's part of the target is met; null if "
                                                              "the target does not concern it.")


class PrecisionSerializer(serializers.Serializer):
    target = serializers.CharField(help_text="Target: ratings or first.")
    target_value = serializers.IntegerField(help_text="Half width of every 95 % interval in Elo, or the number of "
                                                      "first places.")
    max_matches = serializers.IntegerField(help_text="Maximum number of matches.")
    max_hours = serializers.IntegerField(allow_null=True, help_text="Maximum number of hours; null for no limit.")
    share = serializers.FloatField(help_text="Share of the wanted information that the games give, 0 to 1.")
    games = serializers.IntegerField(help_text="Number of games in finished matches.")
    repeats = serializers.IntegerField(help_text="Number of matches that repeat an earlier one turn by turn; they "
                                                 "count once.")
    saved = serializers.IntegerField(allow_null=True, help_text="Number of games fewer than a round-robin of equal "
                                                                "precision; negative if the event took more games, "
                                                                "null while it is unknown.")
    stopped = serializers.CharField(allow_null=True, help_text="Reason why the event stopped: target, matches, hours, "
                                                               "repeats or entrants; null while it goes on.")
    intervals = IntervalSerializer(many=True, help_text="Entrants that have not left, best first.")


class ArenaLineSerializer(serializers.Serializer):
    bot = serializers.CharField(source="entry.bot.slug", help_text="Slug of the bot.")
    points = serializers.IntegerField(help_text="Points in the arena.")
    matches = serializers.IntegerField(help_text="Number of finished matches.")
    wins = serializers.IntegerField(help_text="Number of matches won in a row.")
    doubled = serializers.BooleanField(help_text="Whether the points of its next match are doubled.")
    opponent = serializers.CharField(source="opponent.bot.slug", default=None, allow_null=True,
                                     help_text="Slug of the bot that it plays now; null while it has no match.")
    match = serializers.IntegerField(allow_null=True, help_text="ID of its open match; null without one.")


class ArenaSerializer(serializers.Serializer):
    minutes = serializers.IntegerField(help_text="Minutes for which entrants are paired.")
    streaks = serializers.BooleanField(help_text="Whether points are doubled after two wins in a row.")
    ends_at = serializers.DateTimeField(help_text="Time from which nothing more is paired.")
    seconds_left = serializers.FloatField(help_text="Seconds until then; 0 when the time is over.")
    lines = ArenaLineSerializer(many=True, help_text="Entrants, best first.")


class StandingSerializer(serializers.Serializer):
    table = serializers.CharField(source="row.table", help_text='Table in which the place counts: "runners" or '
                                                                '"others" in a gauntlet, empty in other formats.')
    place = serializers.IntegerField(source="row.place", help_text="Place. Bots that are still level after all "
                                                                   "tie-breaks share one. In a knockout, best place "
                                                                   "still possible.")
    worst_place = serializers.IntegerField(source="row.worst_place", allow_null=True,
                                           help_text="Worst place still possible in a knockout; null in other formats.")
    eliminated = serializers.BooleanField(source="row.eliminated", help_text="Whether the bot is out of the knockout.")
    bot = serializers.CharField(source="entry.bot.slug", help_text="Slug of the bot.")
    name = serializers.CharField(source="entry.bot.name",
                                 help_text="Display name of the bot. User-supplied: escape it before display.")
    version = serializers.IntegerField(source="entry.version.number",
                                       help_text="Number of the version that plays in the event.")
    points = serializers.FloatField(source="row.points", help_text="Points that decide the order: game points, or in a "
                                                                   "Swiss match points with byes and walkovers.")
    tie_breaks = serializers.ListField(child=serializers.FloatField(), source="row.tie_breaks",
                                       help_text="Values of the event's tie-breaks, in their order; empty in a "
                                                 "knockout.")
    score = ScoreSerializer(source="row.score", help_text="Score of the games that the bot played.")
    seats = ScoreSerializer(many=True, source="row.seats", help_text="Score as seat 0 and score as seat 1.")
    sonneborn_berger = serializers.FloatField(source="row.sonneborn_berger", help_text="Sonneborn-Berger score, even "
                                                                                       "if it is not one of the "
                                                                                       "event's tie-breaks.")
    left_at = serializers.DateTimeField(source="entry.left_at", allow_null=True,
                                        help_text="Time at which the bot left the event; null if it did not.")
    disqualified = serializers.CharField(source="entry.disqualification.reason", default=None, allow_null=True,
                                         help_text="Public reason of the bot's disqualification; null without one. "
                                                   "User-supplied: escape it before display.")
    annulled = serializers.BooleanField(source="row.annulled", help_text="Whether the bot's games do not count in the "
                                                                         "standings, because it left or was "
                                                                         "disqualified.")
    rating = serializers.FloatField(source="rating.value", default=None, allow_null=True,
                                    help_text="Rating on the ladder, in Elo; null before the first rating.")
    plus_minus = serializers.FloatField(source="rating.plus_minus", default=None, allow_null=True,
                                        help_text="Half the width of the rating's 95 % confidence interval, in Elo; "
                                                  "null before the first rating.")

    def to_representation(self, line: Standing) -> dict[str, Any]:
        row, entry, rating = line.row, line.entry, line.rating
        left_at = self.fields["left_at"].to_representation
        return {
            "table": row.table, "place": row.place, "worst_place": row.worst_place, "eliminated": row.eliminated,
            "bot": entry.bot.slug, "name": entry.bot.name, "version": entry.version.number,
            "points": row.points, "tie_breaks": list(row.tie_breaks), "score": score_facts(row.score),
            "seats": [score_facts(seat) for seat in row.seats], "sonneborn_berger": row.sonneborn_berger,
            "left_at": left_at(entry.left_at) if entry.left_at else None,
            "disqualified": reason_of(entry), "annulled": row.annulled,
            "rating": rating.value if rating else None, "plus_minus": rating.plus_minus if rating else None,
        }


class CrosstableCellSerializer(serializers.Serializer):
    opponent = serializers.CharField(source="opponent.bot.slug", help_text="Slug of the opponent.")
    score = ScoreSerializer(allow_null=True, help_text="Score against the opponent; null if they have not met, and for "
                                                       "the bot itself.")


class CrosstableRowSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="standing.row.place")
    bot = serializers.CharField(source="standing.entry.bot.slug", help_text="Slug of the bot.")
    cells = CrosstableCellSerializer(many=True, help_text="One cell for each entrant, in the order of the rows.")


def crosstable_text(lines: Sequence[CrosstableRow]) -> str:
    """Return the whole table as JSON, in the shape of CrosstableRowSerializer.

    A hundred bots have ten thousand cells, most of them alike: each score and each opponent is serialised once, and
    the table is assembled from these texts.
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
                                  help_text="Slugs of the two bots; null for a bot still to be decided, and for the "
                                            "empty side of a bye.")
    winner = serializers.CharField(allow_null=True, help_text="Slug of the bot that advances; null while undecided.")
    points = serializers.ListField(child=serializers.FloatField(), allow_null=True,
                                   help_text="Game points of the two bots; null before the first game.")
    walkover = serializers.BooleanField(help_text="Whether the winner advances because the other bot left.")
    round = serializers.IntegerField(source="stage", allow_null=True, help_text="Number of the round; null for a bye.")


class BracketColumnSerializer(serializers.Serializer):
    section = serializers.CharField(help_text="Bracket that the column belongs to.")
    label = serializers.CharField(help_text="Name of the round.")
    ties = BracketTieSerializer(many=True, help_text="Ties from top to bottom.")
