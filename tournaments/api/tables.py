"""What is computed of an event: progress, standings, crosstable."""

from rest_framework import serializers


class ProgressSerializer(serializers.Serializer):
    games_total = serializers.IntegerField()
    games_done = serializers.IntegerField()
    games_void = serializers.IntegerField(help_text="Lost to the infrastructure for good; nobody is charged.")
    matches_running = serializers.IntegerField()
    games_per_minute = serializers.FloatField(allow_null=True, help_text="Null while nothing can be said.")
    seconds_left = serializers.FloatField(allow_null=True, help_text="An estimate; null while nothing can be said.")
    share = serializers.FloatField(help_text="Done or void, of all: 0 to 1.")


class ScoreSerializer(serializers.Serializer):
    games = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    points = serializers.FloatField(help_text="A win counts 1, a draw ½.")
    share = serializers.FloatField(allow_null=True, help_text="Points per game; null without games.")


class StandingSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="row.place", help_text="Bots equal in everything share a place.")
    bot = serializers.CharField(source="entry.bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="entry.bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="entry.version.number", help_text="The version that plays the event.")
    score = ScoreSerializer(source="row.score")
    seats = ScoreSerializer(many=True, source="row.seats", help_text="The score as seat 0 and as seat 1.")
    sonneborn_berger = serializers.FloatField(source="row.sonneborn_berger", help_text="Breaks ties of points.")
    rating = serializers.FloatField(source="rating.value", default=None, allow_null=True,
                                    help_text="Live Elo on the ladder; null before the first rating.")
    plus_minus = serializers.FloatField(source="rating.plus_minus", default=None, allow_null=True,
                                        help_text="Half its 95 % interval, in Elo.")


class CrosstableCellSerializer(serializers.Serializer):
    opponent = serializers.CharField(source="opponent.bot.slug", help_text="The opponent's slug.")
    score = ScoreSerializer(allow_null=True, help_text="Null where they have not met, and against itself.")


class CrosstableRowSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="standing.row.place")
    bot = serializers.CharField(source="standing.entry.bot.slug", help_text="The bot's slug.")
    cells = CrosstableCellSerializer(many=True, help_text="One for each entrant, in the order of the rows.")
