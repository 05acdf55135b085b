"""Bots and events that the requesting user follows."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import BotField
from tournaments.models import Follow
from tournaments.selectors.events.events import visible_to
from tournaments.selectors.notices.follows import follows_of
from tournaments.services.notices import following as verbs


class FollowSerializer(serializers.ModelSerializer):
    bot = serializers.SlugField(source="bot.slug", default=None, read_only=True, allow_null=True,
                                help_text="Slug of the bot; null if it is an event.")
    event = serializers.SlugField(source="event.slug", default=None, read_only=True, allow_null=True,
                                  help_text="Slug of the event; null if it is a bot.")

    class Meta:
        model = Follow
        read_only_fields = fields = ["id", "bot", "event", "created_at", "due_at"]


class NewFollowSerializer(serializers.Serializer):
    bot = BotField(required=False, allow_null=True, help_text="Slug of the bot to follow.")
    event = serializers.SlugField(required=False, allow_null=True, help_text="Slug of the event to follow.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return a bot or an event that the user may see. Raises ValidationError."""
        facts = {name: value for name, value in attrs.items() if value is not None}
        if len(facts) != 1:
            raise serializers.ValidationError("Name either a bot or an event.")
        if "event" in facts:
            slug = facts["event"]
            facts["event"] = visible_to(self.context["request"].user).filter(slug=slug).first()
            if facts["event"] is None:
                raise serializers.ValidationError({"event": [f"There is no event {slug!r}."]})
        return facts


@described(list="List the bots and events that you follow, newest first.",
           retrieve="Return one of the bots and events that you follow.")
class FollowViewSet(ReadOnlyModelViewSet):
    queryset = Follow.objects.all()
    serializer_class = FollowSerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Follow]:
        """Return the follows of the requesting user."""
        return follows_of(self.request.user)

    create = Verb(verbs.follow, "Follow a bot or an event. News is sent by the channels that you have switched on, at "
                                "most once per hour for each. The first one also switches e-mails on.",
                  form=NewFollowSerializer, code=201)
    destroy = Verb(verbs.unfollow, "Stop following it.", code=204)
