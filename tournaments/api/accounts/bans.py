"""Bans of people and bots, for the site's staff."""

import django_filters
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import BotField, PersonField
from tournaments.api.plumbing.permissions import StaffWithRight
from tournaments.models import Ban
from tournaments.services.accounts import bans


class BanSerializer(serializers.ModelSerializer):
    user = serializers.CharField(source="user.username", default=None, allow_null=True,
                                 help_text="The banned person's account; null in a ban of a bot.")
    bot = serializers.CharField(source="bot.slug", default=None, allow_null=True,
                                help_text="The banned bot's slug; null in a ban of a person.")
    created_by = serializers.CharField(source="created_by.username", help_text="Who decided it.")

    class Meta:
        model = Ban
        read_only_fields = fields = ["id", "user", "bot", "reason", "created_by", "created_at", "lifted_at"]


class NewBanSerializer(serializers.Serializer):
    user = PersonField(required=False, allow_null=True, default=None, help_text="Name of the account to ban; or")
    bot = BotField(required=False, allow_null=True, default=None, help_text="slug of the bot to ban.")
    reason = serializers.CharField(max_length=2000, help_text="Why, as its subject is told.")


class BanFilter(django_filters.FilterSet):
    user = django_filters.CharFilter("user__username", label="Name of the banned account.")
    bot = django_filters.CharFilter("bot__slug", label="Slug of the banned bot.")
    stands = django_filters.BooleanFilter("lifted_at", "isnull", label="Whether it has not been lifted.")


@described(
    list="Bans, newest first, lifted ones too. For the site's staff with the right to view them.",
    retrieve="One ban. For staff.",
)
class BanViewSet(ReadOnlyModelViewSet):
    queryset = Ban.objects.select_related("user", "bot", "created_by")
    serializer_class = BanSerializer
    permission_classes = [StaffWithRight]
    filterset_class = BanFilter

    create = Verb(bans.ban, "Keep a person or a bot from taking part. What is scheduled or runs is played to its end.",
                  form=NewBanSerializer, code=201)
    lift = Verb(bans.lift, "End it.")
