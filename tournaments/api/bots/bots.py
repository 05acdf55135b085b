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
from tournaments.selectors.bots.calibration import calibration_rows
from tournaments.selectors.bots.starvation import starvation
from tournaments.selectors.ladders.ladders import entries_of
from tournaments.services.accounts.teams import give_bot
from tournaments.services.casual.analyses import set_judging


class VersionSerializer(serializers.ModelSerializer):
    bot = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the bot.")
    rulesets = serializers.ListField(child=serializers.CharField(), help_text="Slugs of the rulesets that the version "
                                                                              "plays.")

    class Meta:
        model = Version
        read_only_fields = fields = ["id", "bot", "number", "status", "sha256", "rulesets", "created_at"]


class SideSerializer(serializers.Serializer):
    bot = serializers.CharField(source="bot.slug")
    name = serializers.CharField(source="bot.name", help_text="Display name of the bot. User-supplied: escape it "
                                                              "before display.")
    version = serializers.IntegerField(source="number", help_text="Version number within the bot, from 1.")
    version_id = serializers.IntegerField(source="id")


class BotSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username", help_text="Username of the owner, who may upload versions.")
    team = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                        help_text="Slug of the team whose members may also upload versions; null for "
                                                  "none.")
    # A bot is created together with its first version.
    newest = Computed(lambda bot: bot.newest[0], VersionSerializer(), help_text="Newest version of the bot.")

    class Meta:
        model = Bot
        read_only_fields = fields = ["slug", "name", "owner", "team", "created_at", "judges", "newest"]


class StarvationSerializer(serializers.Serializer):
    version = serializers.IntegerField(help_text="Version number within the bot, from 1.")
    version_id = serializers.IntegerField()
    voids = serializers.IntegerField(help_text="Number of attempts in the last 24 hours that are void because an "
                                               "overloaded host starved this version.")
    ceiling = serializers.IntegerField(help_text="Maximum number of starved attempts in 24 hours.")
    exhausted = serializers.BooleanField(help_text="Whether the ceiling is reached: the version's next loss on time "
                                                   "then counts even if the host is overloaded.")


class GiftSerializer(serializers.Serializer):
    team = TeamField(allow_null=True, help_text="Slug of one of your teams; null to take the bot back.")


class JudgingSerializer(serializers.Serializer):
    judges = serializers.BooleanField(allow_null=True, help_text="Whether the bot's versions may judge positions in "
                                                                 "analyses of games; null for the default: only "
                                                                 "versions that the site's staff uploaded.")


class ReportedSerializer(serializers.Serializer):
    ruleset = serializers.CharField(help_text="Slug of the ruleset.")
    low = serializers.FloatField(help_text="Lower end of the bin of reported chances, inclusive.")
    high = serializers.FloatField(help_text="Upper end of the bin, exclusive except for 1.")
    turns = serializers.IntegerField(help_text="Number of turns with a reported chance in the bin.")
    games = serializers.IntegerField(help_text="Number of rated games with such a turn.")
    reported = serializers.FloatField(help_text="Mean reported chance of these turns.")
    scored = serializers.FloatField(help_text="Share of the points that the bot scored in their games, by turns.")
    scored_low = serializers.FloatField(help_text="Lower end of the 95 % interval of `scored`.")
    scored_high = serializers.FloatField(help_text="Upper end of the 95 % interval of `scored`.")


class BotFilter(django_filters.FilterSet):
    owner = django_filters.CharFilter("owner__username", label="Username of the bot's owner.")
    team = django_filters.CharFilter("team__slug", label="Slug of the team that owns the bot.")


@described(list="List bots, newest first.", retrieve="Return one bot.")
class BotViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.bots().prefetch_related(
        Prefetch("versions", Version.objects.order_by("-number")[:1], to_attr="newest"))
    serializer_class = BotSerializer
    filterset_class = BotFilter
    fresh = True

    versions = Read(lambda bot: reads.versions(bot).select_related("bot"),
                    "List the bot's versions, newest first. Use their IDs to enter events.",
                    VersionSerializer, pagination=ByNumber)
    ladders = Read(entries_of, "List the bot's entries on ladders, each with the reasons why it is waiting.",
                   LadderEntrySerializer)
    starvation = Read(lambda bot: starvation(bot, timezone.now()),
                      "List the bot's versions that had void attempts in the last 24 hours because a host was starved.",
                      StarvationSerializer)
    calibration = Read(calibration_rows,
                       "List how often the bot's own evaluation was right in rated games: the chances that it "
                       "reported, in bins, against its results.", ReportedSerializer)
    judging = Verb(set_judging, "Say whether the bot's versions may judge positions in analyses of games. Only for the "
                                "bot's owner, its team and staff.", form=JudgingSerializer, filterset_class=None)
    give = Verb(give_bot, "Let the members of a team manage the bot, or take it back with null. Only for the bot's "
                          "owner.", form=GiftSerializer, filterset_class=None)
