"""Following bots and events, and the channels of their news: e-mail, browsers (web push), a personal feed."""

from binascii import Error as NotBase64
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import transaction
from django.utils.translation import gettext

from tournaments.models import Bot, Event, Follow, PersonalFeed, Profile, PushSubscription
from tournaments.platform.keys import LINK
from tournaments.platform.messaging import web_push
from tournaments.platform.refusals import Refused
from tournaments.selectors.notices import states
from tournaments.services.notices import posting
from tournaments.services.notices.kinds import FOLLOWED
from tournaments.services.shared import audit
from tournaments.services.shared.locks import holding_account

MOST_FOLLOWS: Final = 200
MOST_BROWSERS: Final = 10
_LONGEST_URL: Final = 500
_UNSUBSCRIBE: Final = "tournaments.services.notices.following: unsubscribe"


class FollowRefused(Refused):
    """The account follows too much already, or does not follow this."""


class SubscriptionRefused(Refused):
    """The browser's address or keys are not acceptable, or the site sends no push messages."""


def follow(*, actor: Any, now: datetime, bot: Bot | None = None, event: Event | None = None) -> Follow:
    """Let the user follow a bot or an event that they may see, from its present state. Raises FollowRefused.

    Their first one also switches e-mails about followed things on, if they have an address: news would otherwise
    reach them nowhere.
    """
    with holding_account(actor):
        own = Follow.objects.filter(user=actor)
        if (known := own.filter(bot=bot, event=event).first()) is not None:
            return known
        if (count := own.count()) >= MOST_FOLLOWS:
            raise FollowRefused(gettext(
                "You follow %(count)s bots and events, the most allowed: unfollow one first."), count=count)
        seen = states.of_events([event.pk])[event.pk] if event is not None else states.of_bots([bot.pk], now)[bot.pk]
        made = Follow.objects.create(user=actor, bot=bot, event=event, seen=seen, created_at=now, due_at=now)
        audit.record(actor=actor, verb="follow", target=bot or event, now=now)
        if not count and actor.email:
            _set_mails(actor, now, on=True)
    return made


def unfollow(*, follow: Follow, actor: Any, now: datetime) -> None:
    """Stop following. Raises FollowRefused."""
    if follow.user_id != actor.pk:
        raise FollowRefused(gettext("This is not yours: only its follower can unfollow it."))
    with transaction.atomic():
        if Follow.objects.filter(pk=follow.pk).delete()[0]:
            audit.record(actor=actor, verb="unfollow", target=follow.bot or follow.event, now=now)


def choose_mails(*, actor: Any, now: datetime, on: bool) -> None:
    """Switch the e-mails about followed bots and events on or off. Raises FollowRefused."""
    if on and not actor.email:
        raise FollowRefused(gettext("Your account has no e-mail address to send notices to: add one first."))
    with holding_account(actor):
        _set_mails(actor, now, on=on)


def unsubscribe_token(user: Any) -> str:
    """Return the signed part of the address that ends the user's e-mails about followed bots and events."""
    return signing.dumps(user.pk, salt=_UNSUBSCRIBE)


def is_genuine(token: str) -> bool:
    """Return whether the token is one of the site's."""
    return _user_of(token) is not None


def end_mails(*, token: str, now: datetime) -> bool:
    """End the e-mails of the user of this token; return False if the token is not the site's."""
    user = _user_of(token)
    if user is None:
        return False
    with transaction.atomic():
        _set_mails(user, now, on=False)
    return True


def renew_feed(*, actor: Any, now: datetime) -> PersonalFeed:
    """Give the user a new address of their personal feed. An earlier one stops working."""
    with transaction.atomic():
        feed, _ = PersonalFeed.objects.update_or_create(user=actor, defaults={"key": LINK.make(), "created_at": now})
        audit.record(actor=actor, verb="renew", target=feed, now=now)
    return feed


def close_feed(*, actor: Any, now: datetime) -> None:
    """End the user's personal feed."""
    with transaction.atomic():
        feed = PersonalFeed.objects.filter(user=actor).first()
        if feed is not None:
            audit.record(actor=actor, verb="delete", target=feed, now=now)
            feed.delete()


def subscribe(*, actor: Any, now: datetime, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
    """Send the user's news to this browser too, and no longer to its earlier user. Raises SubscriptionRefused."""
    if not settings.PUSH_KEY:
        raise SubscriptionRefused(gettext("This site sends no push messages: its operator has set no key for them."))
    _check(endpoint, p256dh, auth)
    with holding_account(actor):
        known = PushSubscription.objects.select_for_update().filter(endpoint=endpoint).first()
        if known is not None and (known.p256dh, known.auth) != (p256dh, auth):
            raise SubscriptionRefused(gettext(
                "Another browser has this address with other keys: switch push off and on again."))
        if PushSubscription.objects.filter(user=actor).exclude(endpoint=endpoint).count() >= MOST_BROWSERS:
            raise SubscriptionRefused(gettext(
                "%(most)s browsers receive your news, the most allowed: remove one first."), most=MOST_BROWSERS)
        made, new = PushSubscription.objects.update_or_create(
            endpoint=endpoint, defaults={"user": actor}, create_defaults={
                "user": actor, "p256dh": p256dh, "auth": auth, "created_at": now})
        audit.record(actor=actor, verb="subscribe" if new else "take over", target=made, now=now)
    return made


def end_subscription(*, subscription: PushSubscription, actor: Any, now: datetime) -> None:
    """Send nothing more to this browser. Raises SubscriptionRefused."""
    if subscription.user_id != actor.pk:
        raise SubscriptionRefused(gettext("This browser is not yours: only its user can remove it."))
    with transaction.atomic():
        audit.record(actor=actor, verb="delete", target=subscription, now=now)
        PushSubscription.objects.filter(pk=subscription.pk).delete()


def _user_of(token: str) -> Any:
    """Return the user whose e-mails the token ends; None for a made-up token or a deleted account."""
    try:
        user = signing.loads(token, salt=_UNSUBSCRIBE)
    except signing.BadSignature:
        return None
    return get_user_model().objects.filter(pk=user).first()


def _check(endpoint: str, p256dh: str, auth: str) -> None:
    """Raise SubscriptionRefused unless a message could be encrypted for these keys and posted to this address."""
    if len(endpoint) > _LONGEST_URL:
        raise SubscriptionRefused(gettext(
            "An address can have at most %(longest_url)s characters, not %(count)s."), longest_url=_LONGEST_URL,
            count=len(endpoint))
    try:
        posting.parse(endpoint)
    except posting.DeliveryFailed as reason:
        raise SubscriptionRefused(str(reason)) from reason
    try:
        web_push.public_key(web_push.bytes_of(p256dh))
        valid = len(web_push.bytes_of(auth)) == web_push.AUTH_BYTES
    except (ValueError, NotBase64):
        valid = False
    if not valid or len(p256dh) > 100 or len(auth) > 40:
        raise SubscriptionRefused(gettext(
            "The keys of the browser are malformed: send p256dh and auth as its subscription has them, in base64url."))


def _set_mails(user: Any, now: datetime, *, on: bool) -> None:
    profile, _ = Profile.objects.select_for_update().get_or_create(user=user)
    kinds = [kind for kind in profile.mail_on if kind != FOLLOWED] + ([FOLLOWED] if on else [])
    Profile.objects.filter(pk=profile.pk).update(mail_on=kinds)
    audit.record(actor=user, verb="change", target=profile, now=now, changed=["mail_on"])
