"""The shape of the replay document (`engines.records.replay`), for the schema: nothing is serialised with these."""

from rest_framework import serializers

from engines.records.record import EndedBy


class ReplayRulesetSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField(help_text="Version of the rules under which the game was recorded.")


class ReplayBoardSerializer(serializers.Serializer):
    size = serializers.IntegerField(help_text="Cells a side.")
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    drawn = serializers.CharField(help_text="Where stones stand: cells or points.")
    goal_sides = serializers.BooleanField(help_text="Seat 0 joins north and south, seat 1 west and east.")
    rings = serializers.BooleanField(help_text="The score is the stones on each ring, the outermost first.")
    columns = serializers.CharField(help_text="The columns' letters.")


class ReplayPlayerSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="A stranger's text.")
    colour = serializers.CharField()


class OpsField(serializers.ListField):
    """Pairs of a cell and what stands there then."""

    child = serializers.ListField(child=serializers.IntegerField(allow_null=True), min_length=2, max_length=2)


class ReplayTurnSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="The turn in the ruleset's notation.")
    seat = serializers.IntegerField(min_value=0, max_value=1)
    ops = OpsField(help_text="[cell, seat] puts a stone, [cell, null] takes one away.")
    seconds = serializers.FloatField(required=False, help_text="What the clock charged; not of the opening.")
    note = serializers.CharField(required=False, help_text="What is worth saying of the turn.")
    marked = serializers.ListField(child=serializers.IntegerField(), required=False, help_text="Cells to point out.")


class ReplayResultSerializer(serializers.Serializer):
    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, help_text="A seat; null for a draw.")
    ended_by = serializers.ChoiceField([kind.value for kind in EndedBy])
    reason = serializers.CharField(help_text="The ending within that: connection, time, crash …")
    text = serializers.CharField(help_text="The result as a sentence.")
    cells = serializers.ListField(child=serializers.IntegerField(), help_text="The cells that decided it.")
    counts = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()),
                                   help_text="Stones of seat 0 and seat 1, ring by ring, where rings decided.")


class ReplayFaultSerializer(serializers.Serializer):
    seat = serializers.IntegerField(min_value=0, max_value=1, help_text="Who forfeited.")
    kind = serializers.CharField()
    line = serializers.CharField(help_text="What the bot wrote, if that was the fault: a stranger's text.")
    message = serializers.CharField()
    ply = serializers.IntegerField(help_text="How many plies had been played.")


class ReplaySerializer(serializers.Serializer):
    ruleset = ReplayRulesetSerializer()
    older = serializers.BooleanField(
        help_text="Whether the game was recorded under older rules and cannot be replayed: turns have no ops, and the "
                  "result has no cells.")
    board = ReplayBoardSerializer()
    players = ReplayPlayerSerializer(many=True, help_text="Seat 0 and seat 1.")
    initial = OpsField(help_text="Stones before the first turn. Cells are numbered row by row from a1.")
    opening = serializers.IntegerField(help_text="How many of the turns were given.")
    turns = ReplayTurnSerializer(many=True)
    result = ReplayResultSerializer()
    fault = ReplayFaultSerializer(allow_null=True, help_text="Null unless the game ended by conduct.")
