"""Outbox of notices, written in the transaction of what they report, so that none is lost and none is false."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from tournaments.models import Delivery, PersonalFeed, Profile, PushSubscription, Webhook
from tournaments.models.lifecycle import Channel, DeliveryStatus
from tournaments.services.notices.kinds import CHOICES, FOLLOWED
from tournaments.services.shared.wakeups import Step, wake


def emit(kind: str, *, to: Iterable[int], payload: dict[str, Any], now: datetime) -> None:
    """Notify these users (IDs) by their webhooks, and by mail if they wish. `kind` must be in CHOICES."""
    if kind not in CHOICES:
        raise ValueError(f"unknown kind of notice: {kind}")
    users = set(to)
    # Only the columns that this needs: a worker's role may not read e-mail addresses and secrets
    # (tournaments/operations/grants).
    profiles = Profile.objects.filter(user__in=users).only("user", "mail_on")
    _insert(kind, users, {profile.user_id for profile in profiles if kind in profile.mail_on}, payload, now)


def alert(kind: str, *, payload: dict[str, Any], now: datetime) -> None:
    """Notify the site's staff by their webhooks, and by mail all who have an e-mail address."""
    staff = dict(get_user_model().objects.filter(is_staff=True, is_active=True).values_list("pk", "email"))
    _insert(kind, set(staff), {user for user, email in staff.items() if email}, payload, now)


def _insert(kind: str, users: Collection[int], mailed: Iterable[int], payload: dict[str, Any], now: datetime) -> None:
    webhooks = [webhook for webhook in Webhook.objects.filter(owner__in=users, active=True).only("owner", "kinds")
                if not webhook.kinds or kind in webhook.kinds]
    facts = {"kind": kind, "payload": payload, "due_at": now, "created_at": now}
    Delivery.objects.bulk_create([
        *(Delivery(channel=Channel.WEBHOOK, user_id=webhook.owner_id, webhook=webhook, **facts)
          for webhook in webhooks),
        *(Delivery(channel=Channel.MAIL, user_id=user, **facts) for user in mailed)])
    wake(Step.SEND_NOTICES)


def tell_follower(user: int, *, payload: dict[str, Any], now: datetime) -> None:
    """Notify this user (ID) of news about their followed bots and events, by all channels that they have."""
    emit(FOLLOWED, to=[user], payload=payload, now=now)
    facts = {"kind": FOLLOWED, "user_id": user, "payload": payload, "due_at": now, "created_at": now}
    rows = [Delivery(channel=Channel.PUSH, subscription=each, **facts)
            for each in PushSubscription.objects.filter(user=user)]
    if PersonalFeed.objects.filter(user=user).exists():
        rows.append(Delivery(channel=Channel.FEED, status=DeliveryStatus.DELIVERED, ended_at=now, **facts))
    Delivery.objects.bulk_create(rows)


def mail(kind: str, user: Any, *, payload: dict[str, Any], now: datetime) -> None:
    """Mail this user, if they have an e-mail address, a message about their own account."""
    if user.email:
        Delivery.objects.create(kind=kind, channel=Channel.MAIL, user=user, payload=payload, due_at=now, created_at=now)
        wake(Step.SEND_NOTICES)
