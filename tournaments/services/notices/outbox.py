"""Outbox of notices, written in the transaction of what they report, so that none is lost and none is false."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tournaments.models import Delivery, Profile, Webhook
from tournaments.models.lifecycle import Channel
from tournaments.services.notices.kinds import CHOICES


def emit(kind: str, *, to: Iterable[int], payload: dict[str, Any], now: datetime) -> None:
    """Notify these users (IDs) by their webhooks, and by mail if they wish. `kind` must be in CHOICES."""
    if kind not in CHOICES:
        raise ValueError(f"unknown kind of notice: {kind}")
    users = set(to)
    # Only the columns that this needs: a worker's role may not read e-mail addresses and secrets
    # (tournaments/operations/grants).
    deliveries = [
        Delivery(kind=kind, channel=Channel.WEBHOOK, user_id=webhook.owner_id, webhook=webhook, payload=payload,
                 due_at=now, created_at=now)
        for webhook in Webhook.objects.filter(owner__in=users, active=True).only("owner", "kinds")
        if not webhook.kinds or kind in webhook.kinds
    ]
    deliveries += [
        Delivery(kind=kind, channel=Channel.MAIL, user_id=profile.user_id, payload=payload, due_at=now,
                 created_at=now)
        for profile in Profile.objects.filter(user__in=users).only("user", "mail_on")
        if kind in profile.mail_on
    ]
    Delivery.objects.bulk_create(deliveries)


def mail(kind: str, user: Any, *, payload: dict[str, Any], now: datetime) -> None:
    """Mail this user, if they have an e-mail address, a message about their own account."""
    if user.email:
        Delivery.objects.create(kind=kind, channel=Channel.MAIL, user=user, payload=payload, due_at=now, created_at=now)
