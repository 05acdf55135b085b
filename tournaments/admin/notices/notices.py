"""Webhooks, deliveries, follows and their channels: read-only. Secrets and URLs, which may contain keys, are hidden."""

from django.contrib import admin

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Delivery, Follow, PersonalFeed, PushSubscription, Webhook
from tournaments.models.lifecycle import DELIVERY_TRANSITIONS
from tournaments.services.notices.deliveries import resend


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "owner", "kinds", "active", "failing_since", "created_at"]
    list_select_related = ["owner"]
    list_filter = ["active"]
    search_fields = ["owner__username"]
    exclude = ["secret", "url"]


@admin.register(Follow)
class FollowAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "user", "bot", "event", "created_at", "due_at"]
    list_select_related = ["user", "bot", "event"]
    search_fields = ["user__username"]


@admin.register(PushSubscription)
class PushSubscriptionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "user", "created_at", "succeeded_at"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    exclude = ["endpoint", "p256dh", "auth"]


@admin.register(PersonalFeed)
class PersonalFeedAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "created_at"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    exclude = ["key"]


@admin.register(Delivery)
class DeliveryAdmin(ServiceAdmin):
    internal = True
    verbs = {"resend": Verb(resend, "Resend", "queued again", DELIVERY_TRANSITIONS["resend"])}
    list_display = ["id", "kind", "channel", "user", "status", "attempts", "due_at", "created_at", "answer_begins"]
    list_select_related = ["user"]
    list_filter = ["status", "channel", "kind"]
    search_fields = ["user__username"]
    ordering = ["-id"]

    @admin.display(description="answer")
    def answer_begins(self, delivery: Delivery) -> str:
        """Return the beginning of the response, short enough for one line."""
        return delivery.answer[:80] or "–"
