"""Notices of what happened. Written in the transaction of what they tell of, so that none is lost and none is false."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tournaments.models import Delivery, Profile, Webhook
from tournaments.models.lifecycle import Channel
from tournaments.models.notices import NOTICES


def emit(kind: str, *, to: Iterable[int], payload: dict[str, Any], now: datetime) -> None:
    """Tell these users (ids) by their webhooks, and by mail if they wish it. Kinds are those of NOTICES."""
    if kind not in NOTICES:
        raise ValueError(f"no notice is called {kind}")
    users = set(to)
    # No more of anybody than this needs: a worker's role may not read addresses and secrets
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
