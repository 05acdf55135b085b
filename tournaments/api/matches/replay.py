"""Schema of the replay document (`engines.records.replay`). Used for the OpenAPI description only, not to serialise."""

from rest_framework import serializers

from engines.records.record import EndedBy


class ReplayRulesetSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField(help_text="Version of the rules under which the game was recorded.")


class ReplayBoardSerializer(serializers.Serializer):
    size = serializers.IntegerField(help_text="Cells per side.")
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    drawn = serializers.CharField(help_text="Where stones are placed: cells or points.")
    goal_sides = serializers.BooleanField(help_text="Whether seat 0 connects north and south, and seat 1 west and "
                                                    "east.")
    rings = serializers.BooleanField(help_text="Whether each `measure` has several counts, such as the stones on each "
                                            "ring.")
    columns = serializers.CharField(help_text="Letters of the columns.")


class ReplayPlayerSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Display name. User-supplied: escape it before display.")
    colour = serializers.CharField()


class OpsField(serializers.ListField):
    """Pairs of a cell and its new content."""

    child = serializers.ListField(child=serializers.IntegerField(allow_null=True), min_length=2, max_length=2)


class ReplayMeasureSerializer(serializers.Serializer):
    counts = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(allow_null=True), min_length=2, max_length=2),
        help_text="Numbers of seat 0 and seat 1 in the ruleset's terms: stones to connect (null if cut off), cells per "
                  "side of the largest square, or stones on each ring.")
    leader = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, help_text="Seat that is ahead.")


class ReplayTurnSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="Turn in the ruleset's notation.")
    seat = serializers.IntegerField(min_value=0, max_value=1)
    ops = OpsField(help_text="Changes to the board: [cell, seat] places a stone, [cell, null] removes one.")
    seconds = serializers.FloatField(required=False, help_text="Time charged by the clock, in seconds; absent for "
                                                               "turns of the opening.")
    note = serializers.CharField(required=False, help_text="Remark on the turn.")
    marked = serializers.ListField(child=serializers.IntegerField(), required=False, help_text="Cells to highlight.")
    measure = ReplayMeasureSerializer(required=False, help_text="Who is ahead after the turn; absent for rulesets that "
                                                                "do not measure positions.")


class ReplayResultSerializer(serializers.Serializer):
    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, help_text="Winning seat; null for a "
                                                                                           "draw.")
    ended_by = serializers.ChoiceField([kind.value for kind in EndedBy])
    reason = serializers.CharField(help_text="Specific ending within `ended_by`: connection, time, crash …")
    text = serializers.CharField(help_text="Result as a sentence.")
    cells = serializers.ListField(child=serializers.IntegerField(), help_text="Cells that decided the game.")
    counts = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()),
                                   help_text="Stones of seat 0 and seat 1 on each ring, if rings decided the game.")


class ReplayFaultSerializer(serializers.Serializer):
    seat = serializers.IntegerField(min_value=0, max_value=1, help_text="Seat that forfeited.")
    kind = serializers.CharField()
    line = serializers.CharField(help_text="Output of the bot, if that was the fault. User-supplied: escape it before "
                                           "display.")
    message = serializers.CharField()
    ply = serializers.IntegerField(help_text="Number of plies played before the fault.")


class ReplaySerializer(serializers.Serializer):
    ruleset = ReplayRulesetSerializer()
    older = serializers.BooleanField(
        help_text="Whether the game was recorded under older rules and cannot be replayed; turns then have no `ops`, "
                  "and the result has no cells.")
    board = ReplayBoardSerializer()
    players = ReplayPlayerSerializer(many=True, help_text="Seat 0 and seat 1.")
    initial = OpsField(help_text="Stones on the board before the first turn. Cells are numbered row by row from a1.")
    opening = serializers.IntegerField(help_text="Number of turns that belong to the opening.")
    turns = ReplayTurnSerializer(many=True)
    result = ReplayResultSerializer()
    fault = ReplayFaultSerializer(allow_null=True, help_text="Fault that ended the game; null unless it ended by "
                                                             "conduct.")
