"""Bans of users and bots, for the site's staff."""

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
                                 help_text="Username of the banned user; null for the ban of a bot.")
    bot = serializers.CharField(source="bot.slug", default=None, allow_null=True,
                                help_text="Slug of the banned bot; null for the ban of a user.")
    created_by = serializers.CharField(source="created_by.username", help_text="Username of the staff member who "
                                                                               "imposed the ban.")

    class Meta:
        model = Ban
        read_only_fields = fields = ["id", "user", "bot", "reason", "created_by", "created_at", "lifted_at"]


class NewBanSerializer(serializers.Serializer):
    user = PersonField(required=False, allow_null=True, default=None, help_text="Username of the account to ban; null "
                                                                                "for the ban of a bot.")
    bot = BotField(required=False, allow_null=True, default=None, help_text="Slug of the bot to ban; null for the ban "
                                                                            "of a user.")
    reason = serializers.CharField(max_length=2000, help_text="Reason, as shown to the banned user or the bot's owner.")


class BanFilter(django_filters.FilterSet):
    user = django_filters.CharFilter("user__username", label="Username of the banned user.")
    bot = django_filters.CharFilter("bot__slug", label="Slug of the banned bot.")
    stands = django_filters.BooleanFilter("lifted_at", "isnull", label="Whether the ban is still in force.")


@described(
    list="List bans, newest first, including lifted bans. Only for staff with permission to view bans.",
    retrieve="Return one ban. Only for staff with permission to view bans.",
)
class BanViewSet(ReadOnlyModelViewSet):
    queryset = Ban.objects.select_related("user", "bot", "created_by")
    serializer_class = BanSerializer
    permission_classes = [StaffWithRight]
    filterset_class = BanFilter

    create = Verb(bans.ban, "Ban a user or a bot from taking part. Scheduled and running matches are played to the "
                            "end.",
                  form=NewBanSerializer, code=201)
    lift = Verb(bans.lift, "Lift the ban.")
