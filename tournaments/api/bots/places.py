"""Serializers for bots in tables: ladder entries, and the versions that play."""

from rest_framework import serializers

from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.models import LadderEntry
from tournaments.selectors.ladders.waiting import Waits


class LadderEntrySerializer(WaitingSerializer):
    ladder = serializers.CharField(source="ladder.slug", help_text="Slug of the ladder.")
    bot = serializers.CharField(source="bot.slug", help_text="Slug of the bot.")
    name = serializers.CharField(source="bot.name",
                                 help_text="Display name of the bot. User-supplied: escape it before display.")
    version = serializers.IntegerField(source="version.number", help_text="Version number within the bot, from 1.")
    version_id = serializers.IntegerField(help_text="ID of the version that plays the bot's next matches.")
    why = Waits.of_entries

    class Meta(WaitingSerializer.Meta):
        model = LadderEntry
        read_only_fields = fields = ["ladder", "bot", "name", "version", "version_id", "active", "on_trial",
                                     "joined_at", "version_since", "matches", "waiting_since", "faults", "probe_at",
                                     "rests", "waiting"]


# A version and its bot, for lines of tables. A comment, because subclasses would show a docstring in the schema.
class PlayingSerializer(serializers.Serializer):
    bot = serializers.CharField(source="version.bot.slug", help_text="Slug of the bot.")
    name = serializers.CharField(source="version.bot.name",
                                 help_text="Display name of the bot. User-supplied: escape it before display.")
    version = serializers.IntegerField(source="version.number", help_text="Version number within the bot, from 1.")
    version_id = serializers.IntegerField(help_text="ID of the version.")
