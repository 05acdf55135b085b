"""Reads about notices: a user's webhooks and the notices sent to them; the audit log."""

from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from tournaments.models import AuditEntry, Delivery, Webhook
from tournaments.models.lifecycle import DeliveryStatus


def webhooks_of(user: Any) -> QuerySet[Webhook]:
    """Return the user's webhooks, newest first, each with `arrived`, `waiting`, `lost` (counts) and `last_at`."""
    def of(status: DeliveryStatus) -> Count:
        return Count("deliveries", filter=Q(deliveries__status=status))

    return Webhook.objects.filter(owner=user.pk).annotate(
        arrived=of(DeliveryStatus.DELIVERED), waiting=of(DeliveryStatus.PENDING), lost=of(DeliveryStatus.FAILED),
        last_at=Max("deliveries__ended_at"))


def deliveries_of(user: Any) -> QuerySet[Delivery]:
    """Return all notices to the user's webhooks, pending ones included, newest first."""
    return Delivery.objects.filter(webhook__owner=user.pk).order_by("-id")


def audit_log() -> QuerySet[AuditEntry]:
    """Return all entries of the audit log with their actors, newest first."""
    return AuditEntry.objects.select_related("actor").order_by("-id")
