"""Serializers for previews of pairings, and for their changes by hand."""

from rest_framework import serializers

from tournaments.api.plumbing.fields import BotField, Computed
from tournaments.services.events.rulings.disqualifying import LONGEST_REASON


class ChangingSerializer(serializers.Serializer):
    first = BotField(help_text="Slug of a bot in the last round.")
    second = BotField(default=None, allow_null=True, help_text="Slug of its new opponent; null or omitted for the bye.")
    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_REASON,
                                   help_text="Reason, which everyone who sees the event can read; not needed for a dry "
                                             "run.")
    dry_run = serializers.BooleanField(default=False, help_text="Whether only to check the change and to return its "
                                                                "warnings.")


class PairSerializer(serializers.Serializer):
    first = Computed(lambda pair: pair[0].slug, serializers.CharField(),
                     help_text="Slug of the bot with seat 0 in the first game.")
    second = Computed(lambda pair: pair[1].slug, serializers.CharField(), help_text="Slug of the other bot.")


class PairingWarningSerializer(serializers.Serializer):
    kind = serializers.CharField(help_text="Rule that the change breaks: rematch, together, scores, seats or bye.")
    bots = serializers.ListField(child=serializers.CharField(), help_text="Slugs of the bots.")
    number = serializers.FloatField(help_text="Earlier round, difference of points, or seat; 0 without a number.")


class ChangedSerializer(serializers.Serializer):
    round = serializers.IntegerField(help_text="Number of the round.")
    pairs = PairSerializer(many=True, help_text="The new pairs.")
    bye = serializers.CharField(source="bye.slug", default=None, allow_null=True,
                                help_text="Slug of the bot that gets the bye; null if the bye has not changed.")
    warnings = PairingWarningSerializer(many=True, help_text="Rules that the change breaks.")
    sentences = serializers.ListField(child=serializers.CharField(), help_text="The warnings as sentences.")
    stored = serializers.BooleanField(help_text="Whether the change was stored; false for a dry run.")


class DraftRoundSerializer(serializers.Serializer):
    number = serializers.IntegerField(help_text="Number of the round.")
    label = serializers.CharField(help_text="Name of the round in a knockout.")
    pairs = PairSerializer(many=True, help_text="Pairs, the top board first.")
    byes = Computed(lambda each: [bot.slug for bot in each.byes],
                    serializers.ListField(child=serializers.CharField()), help_text="Slugs of the bots with a bye.")


class DraftSerializer(serializers.Serializer):
    rounds = DraftRoundSerializer(many=True, help_text="The rounds that would be paired now, at most 20.")
    open_matches = serializers.IntegerField(help_text="Number of matches without a result yet, taken as drawn; "
                                                      "their results can change the round.")
