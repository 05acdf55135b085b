"""Delivery of the notices in the outbox: each is claimed, tried, and retried until it is delivered or given up.

Delivery is at least once: if a sender dies after the receiver has accepted a notice, its claim expires, and the notice
is resent under the same ID. Any number of senders can work at the same time.
"""

import logging
import smtplib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from tournaments.models import Delivery, Profile, PushSubscription, Webhook
from tournaments.models.lifecycle import DELIVERY_TRANSITIONS, Channel, DeliveryStatus
from tournaments.platform.refusals import Refused
from tournaments.platform.text import visible
from tournaments.selectors.notices.news import readable_payload
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.notices import following, mailing, outbox, posting, pushing, signing
from tournaments.services.notices.kinds import FOLLOWED
from tournaments.services.notices.webhooks import NO_FAILURES
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake

log = logging.getLogger(__name__)
# Wait between each failure and the next try; after the last failure, the notice is given up.
BACKOFF: Final = (timedelta(seconds=10), timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30),
                  timedelta(hours=2), timedelta(hours=6), timedelta(hours=12), timedelta(hours=24))
# Longer than a try can take: name resolution, connection, exchange.
CLAIM: Final = timedelta(seconds=90)
# After a failure, the webhook's other notices wait, so that a dead receiver does not occupy the senders.
BREATHER: Final = timedelta(minutes=1)
# A webhook is switched off when it has failed for this long and this many times, without a gap in which nothing was
# tried.
SWITCH_OFF_AFTER: Final = timedelta(days=3)
SWITCH_OFF_FAILURES: Final = 10
# Longer than a notice ever waits for its next try.
_GAP: Final = 2 * BACKOFF[-1]
LONGEST_ANSWER: Final = 500


class ResendRefused(Refused):
    """The notice is still pending."""


def due(now: datetime) -> QuerySet[Delivery]:
    """Return the notices to send, the longest due first; those of a paused webhook wait."""
    return (Delivery.objects.filter(Q(webhook=None) | Q(webhook__active=True),
                                    status__in=DELIVERY_TRANSITIONS["try"], due_at__lte=now)
            .select_related("user", "webhook", "subscription").order_by("due_at", "pk"))


def claim(delivery: Delivery, now: datetime) -> bool:
    """Claim a due notice, so that no other sender sends it; return False if another sender was faster."""
    taken = Delivery.objects.filter(pk=delivery.pk, status__in=DELIVERY_TRANSITIONS["try"], due_at=delivery.due_at,
                                    attempts=delivery.attempts)
    if not taken.update(attempts=F("attempts") + 1, due_at=now + CLAIM):
        return False
    delivery.attempts += 1
    return True


def send(delivery: Delivery, now: datetime) -> bool:
    """Try a claimed notice once and record the result; return whether it was delivered."""
    if reason := _obstacle(delivery):
        _settle(delivery, DeliveryStatus.FAILED, reason, now)
        return False
    try:
        answer = _SENDERS[Channel(delivery.channel)](delivery, now)
    except pushing.Gone:
        # With its other notices, which it would refuse, too.
        PushSubscription.objects.filter(pk=delivery.subscription_id).delete()
        return False
    except (posting.DeliveryFailed, mailing.Unmailable, smtplib.SMTPException, OSError) as error:
        fail(delivery, str(error), now)
        return False
    with transaction.atomic():
        _settle(delivery, DeliveryStatus.DELIVERED, answer, now)
        Webhook.objects.filter(pk=delivery.webhook_id, failing_since__isnull=False).update(**NO_FAILURES)
        PushSubscription.objects.filter(pk=delivery.subscription_id).update(succeeded_at=now)
    return True


def _obstacle(delivery: Delivery) -> str:
    """Return why the notice must not be sent; empty if nothing is in the way.

    A digest loses the items that its receiver may no longer read.
    """
    if not delivery.user.is_active:
        return "The receiver's account is closed."
    if delivery.channel == Channel.MAIL and not delivery.user.email:
        return "The account has no e-mail address."
    if delivery.kind != FOLLOWED:
        return ""
    if delivery.channel == Channel.MAIL:
        profile = Profile.objects.filter(user=delivery.user_id).first()
        if profile is None or FOLLOWED not in profile.mail_on:
            return "The receiver has switched these e-mails off."
    payload = readable_payload(delivery.user, delivery.payload)
    if payload is None:
        return "The receiver may no longer see what it reports."
    delivery.payload = payload
    return ""


def resend(*, delivery: Delivery, actor: Any, now: datetime) -> Delivery:
    """Resend a notice that was delivered or given up, under its old ID. Its receiver and staff can do this.

    Raises ResendRefused, Forbidden.
    """
    if not actor.is_staff and delivery.user_id != actor.pk:
        raise Forbidden(gettext("This notice is not yours: only its receiver can resend it."))
    with transaction.atomic():
        again = Delivery.objects.filter(pk=delivery.pk, status__in=DELIVERY_TRANSITIONS["resend"]).update(
            status=DeliveryStatus.PENDING, attempts=0, due_at=now, ended_at=None)
        delivery.refresh_from_db()
        if not again:
            raise ResendRefused(gettext(
                "Notice %(delivery)s is still pending: the next try is at %(due_at)s UTC."), delivery=delivery.pk,
                due_at=f"{delivery.due_at:%Y-%m-%d %H:%M:%S}")
        audit.record(actor=actor, verb="resend", target=delivery, now=now)
        wake(Step.SEND_NOTICES)
    return delivery


def _post(delivery: Delivery, now: datetime) -> str:
    webhook = delivery.webhook
    overlap = webhook.old_until is not None and now < webhook.old_until
    headers, body = signing.message(delivery, [webhook.secret, *([webhook.old_secret] if overlap else [])], now)
    answer = posting.post(webhook.url, headers=headers, body=body)
    said = visible(f"{answer.status}\n{answer.body}".strip(), LONGEST_ANSWER)
    if not answer.accepted:
        raise posting.DeliveryFailed(said)
    return said


def _mail(delivery: Delivery, _now: datetime) -> str:
    token = following.unsubscribe_token(delivery.user) if delivery.kind == FOLLOWED else ""
    mailing.send(delivery.kind, delivery.payload, to=delivery.user.email, number=delivery.pk, token=token)
    return "Handed to the mail server."


def _push(delivery: Delivery, now: datetime) -> str:
    return visible(pushing.send(delivery, delivery.payload, now), LONGEST_ANSWER)


_SENDERS: Final[Mapping[Channel, Callable[[Delivery, datetime], str]]] = {
    Channel.WEBHOOK: _post, Channel.MAIL: _mail, Channel.PUSH: _push}


def _settle(delivery: Delivery, status: DeliveryStatus, answer: str, now: datetime) -> bool:
    """End the delivery, unless the claim has expired and another sender has taken the notice."""
    return bool(_mine(delivery).update(status=status, answer=visible(answer, LONGEST_ANSWER), ended_at=now))


def fail(delivery: Delivery, answer: str, now: datetime) -> None:
    """Retry a claimed notice later, or give it up. A webhook that has only failed for days is switched off."""
    with transaction.atomic():
        # Another coordinator may be the one that waits for the next try.
        wake(Step.SEND_NOTICES)
        webhook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
        if delivery.attempts > len(BACKOFF):
            _settle(delivery, DeliveryStatus.FAILED, answer, now)
        else:
            _mine(delivery).update(due_at=now + BACKOFF[delivery.attempts - 1], answer=visible(answer, LONGEST_ANSWER))
        if webhook is None:
            return
        _count(webhook, now)
        if (webhook.active and webhook.failures >= SWITCH_OFF_FAILURES
                and now - webhook.failing_since >= SWITCH_OFF_AFTER):
            _switch_off(webhook, now)
            return
        waiting = Delivery.objects.filter(webhook=webhook, status__in=DELIVERY_TRANSITIONS["try"],
                                          due_at__lt=now + BREATHER)
        waiting.exclude(pk=delivery.pk).update(due_at=now + BREATHER)


def _count(webhook: Webhook, now: datetime) -> None:
    """Add a failure to the count. After a gap, the count starts again: one failure does not end a long good record."""
    if webhook.failed_at is None or now - webhook.failed_at > _GAP:
        webhook.failing_since, webhook.failures = now, 0
    webhook.failed_at = now
    webhook.failures += 1
    webhook.save(update_fields=["failing_since", "failed_at", "failures"])


def _switch_off(webhook: Webhook, now: datetime) -> None:
    """Stop sending to an address to which nothing was delivered for days, and notify its owner by mail."""
    Webhook.objects.filter(pk=webhook.pk).update(active=False)
    Delivery.objects.filter(webhook=webhook, status__in=DELIVERY_TRANSITIONS["try"]).update(
        status=DeliveryStatus.FAILED, answer="The webhook was switched off: nothing was delivered for three days.",
        ended_at=now)
    audit.record(actor=None, verb="switch off", target=webhook, now=now, failing_since=str(webhook.failing_since))
    outbox.mail("webhook.switched_off", webhook.owner, payload={"webhook": webhook.pk, "url": webhook.url}, now=now)
    log.warning("webhook %d switched off: nothing delivered since %s", webhook.pk, webhook.failing_since)


def _mine(delivery: Delivery) -> QuerySet[Delivery]:
    """Return a queryset of the notice if this try still holds it: the fence."""
    return Delivery.objects.filter(pk=delivery.pk, status__in=DELIVERY_TRANSITIONS["try"], attempts=delivery.attempts)
