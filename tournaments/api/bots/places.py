"""Bots in tables: their places on ladders, and the versions that play for them."""

from rest_framework import serializers

from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.models import LadderEntry
from tournaments.selectors.ladders.waiting import Waits


class LadderEntrySerializer(WaitingSerializer):
    ladder = serializers.CharField(source="ladder.slug", help_text="Slug of the ladder.")
    bot = serializers.CharField(source="bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="version.number", help_text="1, 2, 3 … within the bot.")
    version_id = serializers.IntegerField(help_text="The version that plays its next matches.")
    why = Waits.of_entries

    class Meta(WaitingSerializer.Meta):
        model = LadderEntry
        read_only_fields = fields = ["ladder", "bot", "name", "version", "version_id", "active", "on_trial",
                                     "joined_at", "version_since", "matches", "waiting_since", "faults", "probe_at",
                                     "rests", "waiting"]


# What a line of a table says of a version and its bot: not as a docstring, which heirs would have in the schema.
class PlayingSerializer(serializers.Serializer):
    bot = serializers.CharField(source="version.bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="version.bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="version.number", help_text="1, 2, 3 … within the bot.")
    version_id = serializers.IntegerField(help_text="The version's id.")
