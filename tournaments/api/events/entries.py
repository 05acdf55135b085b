"""Entries of events and invitations to them, as the API reads and takes them."""

from django.contrib.auth.models import User
from rest_framework import serializers

from tournaments.models import Bot, Entry, Version

LARGEST_ID = 2**63 - 1


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
    version = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="Id of a version of your bot.")

    def validate_version(self, pk: int) -> Version:
        """The version itself."""
        version = Version.objects.select_related("bot__owner", "bot__team").filter(pk=pk).first()
        if version is None:
            raise serializers.ValidationError(f"There is no version {pk}.")
        return version


class LeavingSerializer(serializers.Serializer):
    bot = serializers.SlugField(help_text="Slug of the bot that leaves.")

    def validate_bot(self, slug: str) -> Bot:
        """The bot itself."""
        bot = Bot.objects.filter(slug=slug).first()
        if bot is None:
            raise serializers.ValidationError(f"There is no bot {slug!r}.")
        return bot


class InvitingSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150, help_text="Who is meant.")

    def validate_username(self, username: str) -> User:
        """The person."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise serializers.ValidationError(f"There is no account {username!r}.")
        return user
