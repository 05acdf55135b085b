"""Webhooks: made, changed, tried out and removed by their owners."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from tournaments.models import Delivery, Webhook
from tournaments.models.lifecycle import Channel
from tournaments.models.notices import NOTICES
from tournaments.platform.keys import WEBHOOK
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden, refuse_banned
from tournaments.services.notices import posting
from tournaments.services.shared import audit
from tournaments.services.shared.locks import hold_account

MOST_WEBHOOKS: Final = 10
# For so long an old secret signs beside the new one.
OVERLAP: Final = timedelta(days=1)
TEST: Final = "test"
# A test is a request that somebody else's server gets because our user wants it.
MOST_TESTS: Final = 5
_TESTS_COUNTED_OVER: Final = timedelta(minutes=1)
_LONGEST_URL: Final = 500
# What a webhook has of its failures when nothing has failed since it was made, resumed, or reached.
NO_FAILURES: Final = {"failing_since": None, "failed_at": None, "failures": 0}


class WebhookRefused(Refused):
    """The address is none to post to, a kind of notices is unknown, or there are too many already."""


def create_webhook(*, owner: Any, url: str, kinds: Sequence[str], now: datetime) -> Webhook:
    """Tell this address of what concerns its owner: of these kinds, or of all for none.

    The row has the secret of its signatures, which is shown this once. Raises WebhookRefused, Forbidden.
    """
    refuse_banned(user=owner)
    with transaction.atomic():
        hold_account(owner)
        if Webhook.objects.filter(owner=owner).count() >= MOST_WEBHOOKS:
            raise WebhookRefused(gettext(
                "You have %(most_webhooks)s webhooks, and no more are allowed: delete one first."),
                most_webhooks=MOST_WEBHOOKS)
        webhook = Webhook.objects.create(owner=owner, url=_checked_url(url), kinds=_checked_kinds(kinds),
                                         secret=WEBHOOK.make(), created_at=now)
        audit.record(actor=owner, verb="create", target=webhook, now=now, kinds=webhook.kinds)
    return webhook


def change_webhook(*, webhook: Webhook, actor: Any, now: datetime, url: str | None = None,
                   kinds: Sequence[str] | None = None, active: bool | None = None) -> Webhook:
    """Change what is given. Switched on again it begins with a clean record.

    Raises WebhookRefused, Forbidden.
    """
    _refuse_others(webhook, actor)
    facts: dict[str, Any] = {}
    if url is not None:
        facts["url"] = _checked_url(url)
    if kinds is not None:
        facts["kinds"] = _checked_kinds(kinds)
    if active is not None:
        facts["active"] = active
    if active or url is not None:
        facts |= NO_FAILURES
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(**facts)
        webhook.refresh_from_db()
        # Addresses of webhooks may hold a key of their receiver's: they are not for the log.
        audit.record(actor=actor, verb="change", target=webhook, now=now,
                     changed=sorted(facts.keys() - NO_FAILURES.keys()))
    return webhook


def pause_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Tell it nothing until it is resumed; what is on its way waits."""
    return change_webhook(webhook=webhook, actor=actor, now=now, active=False)


def resume_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Tell it again, of what happens from now on and of what waited."""
    return change_webhook(webhook=webhook, actor=actor, now=now, active=True)


def renew_secret(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Sign with a new secret from now on, and for OVERLAP with the one before too. It is shown this once.

    So its receiver can change over in its own time, and misses nothing. Who renews twice is rid of the first at once.
    """
    _refuse_others(webhook, actor)
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(
            secret=WEBHOOK.make(), old_secret=F("secret"), old_until=now + OVERLAP)
        webhook.refresh_from_db()
        audit.record(actor=actor, verb="renew the secret of", target=webhook, now=now)
    return webhook


def delete_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> None:
    """Forget it, with its log and what was on its way."""
    _refuse_others(webhook, actor)
    with transaction.atomic():
        audit.record(actor=actor, verb="delete", target=webhook, now=now)
        webhook.delete()


def send_test(*, webhook: Webhook, actor: Any, now: datetime) -> Delivery:
    """Send it a notice of the kind "test", like any other. Raises WebhookRefused, Forbidden."""
    _refuse_others(webhook, actor)
    if not webhook.active:
        raise WebhookRefused(gettext("The webhook is paused: resume it first."))
    with transaction.atomic():
        hold_account(webhook.owner)
        recent = Delivery.objects.filter(user=webhook.owner_id, kind=TEST, created_at__gt=now - _TESTS_COUNTED_OVER)
        if recent.count() >= MOST_TESTS:
            raise WebhookRefused(gettext(
                "%(most_tests)s tests a minute are allowed: wait a little."), most_tests=MOST_TESTS)
        audit.record(actor=actor, verb="test", target=webhook, now=now)
        return Delivery.objects.create(kind=TEST, channel=Channel.WEBHOOK, user=webhook.owner, webhook=webhook,
                                       payload={"webhook": webhook.pk}, due_at=now, created_at=now)


def _refuse_others(webhook: Webhook, actor: Any) -> None:
    if webhook.owner_id != actor.pk:
        raise Forbidden(gettext("A webhook is its owner's alone."))


def _checked_url(url: str) -> str:
    url = url.strip()
    if len(url) > _LONGEST_URL:
        raise WebhookRefused(gettext(
            "An address has at most %(longest_url)s characters, not %(count)s."), longest_url=_LONGEST_URL,
            count=len(url))
    try:
        posting.parse(url)
    except posting.DeliveryFailed as reason:
        raise WebhookRefused(str(reason)) from reason
    return url


def _checked_kinds(kinds: Sequence[str]) -> list[str]:
    unknown = [kind for kind in kinds if kind not in NOTICES]
    if unknown:
        raise WebhookRefused(gettext(
            "No notice is called %(unknown)r; there are %(notices)s."), unknown=unknown[0],
            notices=", ".join(NOTICES))
    return sorted(set(kinds))
