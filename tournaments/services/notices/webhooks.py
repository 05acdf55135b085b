"""Webhooks: creating, changing, testing and deleting them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from tournaments.models import Delivery, Webhook
from tournaments.models.lifecycle import Channel
from tournaments.platform.keys import WEBHOOK
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden, refuse_banned
from tournaments.services.notices import posting
from tournaments.services.notices.kinds import refuse_unknown
from tournaments.services.shared import audit
from tournaments.services.shared.locks import holding_account
from tournaments.services.shared.wakeups import Step, wake

MOST_WEBHOOKS: Final = 10
# How long an old secret signs alongside the new one.
OVERLAP: Final = timedelta(days=1)
TEST: Final = "test"
# Tests are limited, because each is a request that our user makes to another party's server.
MOST_TESTS: Final = 5
_TESTS_COUNTED_OVER: Final = timedelta(minutes=1)
_LONGEST_URL: Final = 500
# The failure columns of a webhook that has not failed since it was created, resumed, or reached.
NO_FAILURES: Final = {"failing_since": None, "failed_at": None, "failures": 0}


class WebhookRefused(Refused):
    """The address or a kind of notice is not acceptable, or there are too many webhooks or tests."""


def create_webhook(*, owner: Any, url: str, kinds: Sequence[str], now: datetime) -> Webhook:
    """Create a webhook for notices that concern its owner: of these kinds, or of all kinds if none is given.

    The row has the secret of its signatures, which is shown only now. Raises WebhookRefused, Forbidden.
    """
    refuse_banned(user=owner)
    with holding_account(owner):
        if Webhook.objects.filter(owner=owner).count() >= MOST_WEBHOOKS:
            raise WebhookRefused(gettext(
                "You have %(most_webhooks)s webhooks, the most allowed: delete one first."),
                most_webhooks=MOST_WEBHOOKS)
        webhook = Webhook.objects.create(owner=owner, url=_checked_url(url), kinds=_checked_kinds(kinds),
                                         secret=WEBHOOK.make(), created_at=now)
        audit.record(actor=owner, verb="create", target=webhook, now=now, kinds=webhook.kinds)
    return webhook


def change_webhook(*, webhook: Webhook, actor: Any, now: datetime, url: str | None = None,
                   kinds: Sequence[str] | None = None, active: bool | None = None) -> Webhook:
    """Change the given facts. A webhook that is resumed or has a new address starts with a clean record.

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
        # A webhook's address may contain a key of its receiver: it must not be logged.
        audit.record(actor=actor, verb="change", target=webhook, now=now,
                     changed=sorted(facts.keys() - NO_FAILURES.keys()))
    return webhook


def pause_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Send nothing to the webhook until it is resumed; pending notices wait."""
    return change_webhook(webhook=webhook, actor=actor, now=now, active=False)


def resume_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Send notices to the webhook again, those that waited included."""
    return change_webhook(webhook=webhook, actor=actor, now=now, active=True)


def renew_secret(*, webhook: Webhook, actor: Any, now: datetime) -> Webhook:
    """Sign with a new secret from now on, and for OVERLAP with the previous one too. It is shown only now.

    So the receiver can change over in its own time, and misses nothing. Renewing twice revokes the first secret at
    once.
    """
    _refuse_others(webhook, actor)
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(
            secret=WEBHOOK.make(), old_secret=F("secret"), old_until=now + OVERLAP)
        webhook.refresh_from_db()
        audit.record(actor=actor, verb="renew the secret of", target=webhook, now=now)
    return webhook


def delete_webhook(*, webhook: Webhook, actor: Any, now: datetime) -> None:
    """Delete the webhook, with its log and its pending notices."""
    _refuse_others(webhook, actor)
    with transaction.atomic():
        audit.record(actor=actor, verb="delete", target=webhook, now=now)
        webhook.delete()


def send_test(*, webhook: Webhook, actor: Any, now: datetime) -> Delivery:
    """Send the webhook a notice of the kind "test", like any other. Raises WebhookRefused, Forbidden."""
    _refuse_others(webhook, actor)
    if not webhook.active:
        raise WebhookRefused(gettext("The webhook is paused: resume it first."))
    with holding_account(webhook.owner):
        recent = Delivery.objects.filter(user=webhook.owner_id, kind=TEST, created_at__gt=now - _TESTS_COUNTED_OVER)
        if recent.count() >= MOST_TESTS:
            raise WebhookRefused(gettext(
                "At most %(most_tests)s tests per minute are allowed: wait a minute."), most_tests=MOST_TESTS)
        audit.record(actor=actor, verb="test", target=webhook, now=now)
        wake(Step.SEND_NOTICES)
        return Delivery.objects.create(kind=TEST, channel=Channel.WEBHOOK, user=webhook.owner, webhook=webhook,
                                       payload={"webhook": webhook.pk}, due_at=now, created_at=now)


def _refuse_others(webhook: Webhook, actor: Any) -> None:
    if webhook.owner_id != actor.pk:
        raise Forbidden(gettext("This webhook is not yours: only its owner can manage it."))


def _checked_url(url: str) -> str:
    url = url.strip()
    if len(url) > _LONGEST_URL:
        raise WebhookRefused(gettext(
            "An address can have at most %(longest_url)s characters, not %(count)s."), longest_url=_LONGEST_URL,
            count=len(url))
    try:
        posting.parse(url)
    except posting.DeliveryFailed as reason:
        raise WebhookRefused(str(reason)) from reason
    return url


def _checked_kinds(kinds: Sequence[str]) -> list[str]:
    refuse_unknown(kinds, WebhookRefused)
    return sorted(set(kinds))
