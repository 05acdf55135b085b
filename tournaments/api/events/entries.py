"""Entries of events and invitations to them, as the API reads and takes them."""

from rest_framework import serializers

from tournaments.api.plumbing.fields import BotField, PersonField, VersionField
from tournaments.models import Entry


class EntrySerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", help_text="The bot's slug.")
    name = serializers.CharField(source="bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="version.number", help_text="The number of the version that plays.")
    version_id = serializers.IntegerField(help_text="Its id.")

    class Meta:
        model = Entry
        read_only_fields = fields = ["bot", "name", "version", "version_id", "place", "runs_the_gauntlet", "entered_at",
                                     "left_at"]


class EnteringSerializer(serializers.Serializer):
    version = VersionField(help_text="Id of a version of your bot.")


class LeavingSerializer(serializers.Serializer):
    bot = BotField(help_text="Slug of the bot that leaves.")


class InvitingSerializer(serializers.Serializer):
    username = PersonField(source="user", max_length=150, help_text="Who is meant.")
