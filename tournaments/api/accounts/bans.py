"""Bans of people and bots, for the site's staff."""

from typing import Any

import django_filters
from django.contrib.auth import get_user_model
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from tournaments.api.plumbing.permissions import StaffWithRight
from tournaments.models import Ban, Bot
from tournaments.services.accounts import bans
from tournaments.web.errors import refusable


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
    user = serializers.CharField(required=False, allow_null=True, default=None,
                                 help_text="Name of the account to ban; or")
    bot = serializers.SlugField(required=False, allow_null=True, default=None, help_text="slug of the bot to ban.")
    reason = serializers.CharField(max_length=2000, help_text="Why, as its subject is told.")

    def validate_user(self, name: str | None) -> Any:
        """The account itself."""
        return name and _found(get_user_model().objects.filter(username=name).first(), f"There is no account {name!r}.")

    def validate_bot(self, slug: str | None) -> Any:
        """The bot itself."""
        return slug and _found(Bot.objects.filter(slug=slug).first(), f"There is no bot {slug!r}.")


def _found(row: Any, otherwise: str) -> Any:
    if row is None:
        raise serializers.ValidationError(otherwise)
    return row


class BanFilter(django_filters.FilterSet):
    user = django_filters.CharFilter("user__username", label="Name of the banned account.")
    bot = django_filters.CharFilter("bot__slug", label="Slug of the banned bot.")
    stands = django_filters.BooleanFilter("lifted_at", "isnull", label="Whether it has not been lifted.")


@extend_schema_view(
    list=extend_schema(description="Bans, newest first, lifted ones too. For the site's staff with the right to view "
                                   "them."),
    retrieve=extend_schema(description="One ban. For staff."),
)
class BanViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = Ban.objects.select_related("user", "bot", "created_by")
    serializer_class = BanSerializer
    permission_classes = [StaffWithRight]
    filterset_class = BanFilter

    @extend_schema(request=NewBanSerializer, responses=refusable(created=BanSerializer))
    def create(self, request: Request) -> Response:
        """Keep a person or a bot from taking part. What is scheduled or runs is played to its end."""
        form = NewBanSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        ban = bans.ban(actor=request.user, now=timezone.now(), **form.validated_data)
        return Response(BanSerializer(ban).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=refusable(ok=BanSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def lift(self, request: Request, pk: str) -> Response:
        """End it."""
        ban = bans.lift(ban=self.get_object(), actor=request.user, now=timezone.now())
        return Response(BanSerializer(ban).data)
