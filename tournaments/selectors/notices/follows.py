"""Reads about followed bots and events, and the channels of their news."""

from typing import Any

from django.db.models import QuerySet

from tournaments.models import Bot, Delivery, Event, Follow, PersonalFeed, PushSubscription
from tournaments.models.lifecycle import Channel
from tournaments.selectors.events.events import visible_events


def follows_of(user: Any) -> QuerySet[Follow]:
    """Return what the user follows and may see, newest first."""
    own = Follow.objects.filter(visible_events(user, "event"), user=user.pk)
    return own.select_related("bot", "event").order_by("-id")


def follow_of(user: Any, thing: Bot | Event) -> Follow | None:
    """Return how the user follows the bot or event; None if they do not."""
    if not user.is_authenticated:
        return None
    target = {"bot": thing} if isinstance(thing, Bot) else {"event": thing}
    return Follow.objects.filter(user=user, **target).first()


def subscriptions_of(user: Any) -> QuerySet[PushSubscription]:
    """Return the browsers that receive the user's news, newest first."""
    return PushSubscription.objects.filter(user=user.pk)


def feed_of(user: Any) -> PersonalFeed | None:
    """Return the user's personal feed; None if it is off."""
    return PersonalFeed.objects.filter(user=user.pk).first()


def feed_entries(feed: PersonalFeed, count: int) -> list[Delivery]:
    """Return the newest digests of the feed's reader, newest first."""
    return list(Delivery.objects.filter(user=feed.user_id, channel=Channel.FEED).order_by("-id")[:count])
