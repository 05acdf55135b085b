"""Bots and their versions."""

import django_filters
from django.db.models import Prefetch
from django.utils import timezone
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.places import LadderEntrySerializer
from tournaments.api.plumbing.actions import Read, Verb, described
from tournaments.api.plumbing.fields import Computed, TeamField
from tournaments.api.plumbing.pagination import ByNumber
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Bot, Version
from tournaments.selectors.bots import bots as reads
from tournaments.selectors.bots.starvation import starvation
from tournaments.selectors.ladders.ladders import entries_of
from tournaments.services.accounts.teams import give_bot


class VersionSerializer(serializers.ModelSerializer):
    bot = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of its bot.")
    rulesets = serializers.ListField(child=serializers.CharField(), help_text="Slugs of the rulesets that it plays.")

    class Meta:
        model = Version
        read_only_fields = fields = ["id", "bot", "number", "status", "sha256", "rulesets", "created_at"]


class SideSerializer(serializers.Serializer):
    bot = serializers.CharField(source="bot.slug")
    name = serializers.CharField(source="bot.name", help_text="The bot's name: a stranger's text.")
    version = serializers.IntegerField(source="number", help_text="1, 2, 3 … within the bot.")
    version_id = serializers.IntegerField(source="id")


class BotSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username", help_text="Who may upload versions of it.")
    team = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                        help_text="Slug of the team whose members may, too; null for none.")
    # A bot is made together with its first version.
    newest = Computed(lambda bot: bot.newest[0], VersionSerializer(), help_text="Its newest version.")

    class Meta:
        model = Bot
        read_only_fields = fields = ["slug", "name", "owner", "team", "created_at", "newest"]


class StarvationSerializer(serializers.Serializer):
    version = serializers.IntegerField(help_text="1, 2, 3 … within the bot.")
    version_id = serializers.IntegerField()
    voids = serializers.IntegerField(help_text="Attempts of the last 24 hours that are void because a host kept this "
                                               "version from playing.")
    ceiling = serializers.IntegerField(help_text="The most such attempts in 24 hours.")
    exhausted = serializers.BooleanField(help_text="The ceiling is reached: its next loss on time counts, however busy "
                                                   "the host is.")


class GiftSerializer(serializers.Serializer):
    team = TeamField(allow_null=True, help_text="Slug of a team of yours; null to take the bot back.")


class BotFilter(django_filters.FilterSet):
    owner = django_filters.CharFilter("owner__username", label="Name of the account that owns the bot.")
    team = django_filters.CharFilter("team__slug", label="Slug of the team that owns the bot.")


@described(list="Bots, newest first.", retrieve="One bot.")
class BotViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.bots().prefetch_related(
        Prefetch("versions", Version.objects.order_by("-number")[:1], to_attr="newest"))
    serializer_class = BotSerializer
    filterset_class = BotFilter
    fresh = True

    versions = Read(lambda bot: reads.versions(bot).select_related("bot"),
                    "The bot's versions, newest first. Events are scheduled with their ids.",
                    VersionSerializer, pagination=ByNumber)
    ladders = Read(entries_of, "Its places on the ladders that it has joined, each with why it waits there.",
                   LadderEntrySerializer)
    starvation = Read(lambda bot: starvation(bot, timezone.now()),
                      "The bot's versions with attempts of the last 24 hours that are void because a host was starved.",
                      StarvationSerializer)
    give = Verb(give_bot, "Let a team's members act for the bot like you, or with null nobody but you again. For the "
                          "bot's owner.", form=GiftSerializer, filterset_class=None)
