"""Serializers for the entries of events and for invitations."""

from rest_framework import serializers

from tournaments.api.bots.places import PlayingSerializer
from tournaments.api.plumbing.fields import BotField, PersonField, VersionField
from tournaments.models import Entry
from tournaments.services.events.rulings.disqualifying import LONGEST_REASON


class EntrySerializer(PlayingSerializer, serializers.ModelSerializer):
    class Meta:
        model = Entry
        read_only_fields = fields = ["bot", "name", "version", "version_id", "place", "runs_the_gauntlet", "entered_at",
                                     "left_at"]


class EnteringSerializer(serializers.Serializer):
    version = VersionField(help_text="ID of a version of your bot.")


class LeavingSerializer(serializers.Serializer):
    bot = BotField(help_text="Slug of the bot that leaves the event.")


class ReturningSerializer(serializers.Serializer):
    bot = BotField(help_text="Slug of the bot that returns to the arena.")


class DisqualifyingSerializer(LeavingSerializer):
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="Reason, which everyone who sees the event can "
                                                                        "read.")
    annulled = serializers.BooleanField(default=False,
                                        help_text="Whether the bot's games no longer count in the standings: they are "
                                                  "scored for neither side, in a Swiss as walkovers for the opponents. "
                                                  "They stay rated.")


class InvitingSerializer(serializers.Serializer):
    username = PersonField(source="user", max_length=150, help_text="Username of the account.")
