"""Atom feeds for all events, one event, a bot, and a user. Feed readers cannot sign in.

So private events are left out, except from a user's own feed, whose address is a secret.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from engines.rules.registry import RULESETS
from frontend.templatetags.squarefield import visible
from frontend.text import formats
from frontend.views.shared.private import private
from tournaments.models import Bot, Delivery, Event, PersonalFeed
from tournaments.selectors.events import activity, events
from tournaments.selectors.events.activity import Activity
from tournaments.selectors.events.tables import standings
from tournaments.selectors.notices.follows import feed_entries
from tournaments.selectors.notices.news import readable_payload

# Maximum number of entries, newest first.
ENTRIES = 50
PLACES = 3


class _Atom(Feed):
    """Base of the public feeds. The link of an entry ends in a fragment for its activity, so each has a unique ID."""

    feed_type = Atom1Feed

    def author_name(self) -> str:
        return settings.SITE_NAME

    def item_title(self, item: Activity) -> str:
        return visible(_title(item))

    def item_description(self, item: Activity) -> str:
        return visible(_text(item))

    def item_link(self, item: Activity) -> str:
        return f"{_address(item)}#{item.what.replace(' ', '-')}-{item.subject.pk}-{item.at:%Y%m%d%H%M%S}"

    def item_pubdate(self, item: Activity) -> Any:
        return item.at

    def item_updateddate(self, item: Activity) -> Any:
        return item.at


class EventsFeed(_Atom):
    """Activity of all public events."""

    description = "Events that are announced, start and end."

    def title(self) -> str:
        return f"{settings.SITE_NAME}: events"

    def link(self) -> str:
        return reverse("events")

    def feed_url(self) -> str:
        return reverse("events-feed")

    def items(self) -> Sequence[Activity]:
        return activity.of_events(ENTRIES)


class EventFeed(_Atom):
    """Activity of one public event."""

    def get_object(self, request: HttpRequest, slug: str) -> Event:
        return get_object_or_404(events.visible_to(AnonymousUser()), slug=slug)

    def title(self, event: Event) -> str:
        return visible(f"{settings.SITE_NAME}: {event.name}")

    def description(self, event: Event) -> str:
        return visible(f"Start and end of {event.name}.")

    def link(self, event: Event) -> str:
        return reverse("event", args=[event.slug])

    def feed_url(self, event: Event) -> str:
        return reverse("event-feed", args=[event.slug])

    def items(self, event: Event) -> Sequence[Activity]:
        return activity.of_event(event)

    def item_description(self, item: Activity) -> str:
        text = super().item_description(item)
        if item.what != "finished":
            return text
        first = [f"{line.row.place}. {line.entry.bot.name}" for line in standings(item.subject)[:PLACES]
                 if not line.row.table]
        return visible(f"{text} Top places: {', '.join(first)}.") if first else text


class BotFeed(_Atom):
    """Activity of a bot: versions, suspensions, trials, and results in public events."""

    def get_object(self, request: HttpRequest, slug: str) -> Bot:
        return get_object_or_404(Bot, slug=slug)

    def title(self, bot: Bot) -> str:
        return visible(f"{settings.SITE_NAME}: {bot.name}")

    def description(self, bot: Bot) -> str:
        return visible(f"Versions, suspensions, trials and results of {bot.name}.")

    def link(self, bot: Bot) -> str:
        return reverse("bot", args=[bot.slug])

    def feed_url(self, bot: Bot) -> str:
        return reverse("bot-feed", args=[bot.slug])

    def items(self, bot: Bot) -> Sequence[Activity]:
        return activity.of_bot(bot, ENTRIES)


class NewsFeed(Feed):
    """News about what a user follows, at their secret address, without what they may not see now."""

    feed_type = Atom1Feed
    description = "News about the bots and events that you follow."

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return private(super().__call__(request, *args, **kwargs))

    def get_object(self, request: HttpRequest, key: str) -> PersonalFeed:
        return get_object_or_404(PersonalFeed.objects.select_related("user"), key=key, user__is_active=True)

    def title(self) -> str:
        return f"{settings.SITE_NAME}: what you follow"

    def link(self) -> str:
        return reverse("following")

    def feed_url(self, feed: PersonalFeed) -> str:
        return reverse("news-feed", args=[feed.key])

    def author_name(self) -> str:
        return settings.SITE_NAME

    def items(self, feed: PersonalFeed) -> Sequence[tuple[Delivery, dict[str, Any]]]:
        shown = ((entry, readable_payload(feed.user, entry.payload)) for entry in feed_entries(feed, ENTRIES))
        return [(entry, payload) for entry, payload in shown if payload is not None]

    def item_title(self, item: tuple[Delivery, dict[str, Any]]) -> str:
        return visible(item[1]["name"])

    def item_description(self, item: tuple[Delivery, dict[str, Any]]) -> str:
        return visible("\n".join(news["text"] for news in item[1]["news"]))

    def item_link(self, item: tuple[Delivery, dict[str, Any]]) -> str:
        entry, payload = item
        return f"/{payload['about']}s/{payload['slug']}/#news-{entry.pk}"

    def item_pubdate(self, item: tuple[Delivery, dict[str, Any]]) -> Any:
        return item[0].created_at

    def item_updateddate(self, item: tuple[Delivery, dict[str, Any]]) -> Any:
        return item[0].created_at


_EVENTS: Final = {"announced": "was announced", "started": "has started", "finished": "has finished",
                  "cancelled": "was cancelled"}


def _title(item: Activity) -> str:
    subject = item.subject
    match item.what:
        case "version":
            return f"Version {subject.number} is ready"
        case "rest":
            return f"Suspended on {subject.ladder.name}"
        case "end rest":
            return f"Reinstated on {subject.ladder.name}"
        case "trial":
            verdict = subject.get_status_display().lower()
            return f"Trial of v{subject.candidate.number} on {subject.ladder.name}: {verdict}"
        case "result":
            return f"{subject.event.name}: {item.detail['score'].points:g} of {item.detail['score'].games} points"
        case _:
            return f"{subject.name} {_EVENTS[item.what]}"


def _text(item: Activity) -> str:
    subject = item.subject
    match item.what:
        case "version":
            return f"It plays {', '.join(RULESETS[slug].name for slug in subject.rulesets if slug in RULESETS)}."
        case "rest" | "end rest":
            reason = str(item.detail.get("reason", ""))
            return f"{reason.capitalize()}. A test match will follow." if reason else "It passed its test match."
        case "trial":
            return f"Version {subject.candidate.number} against version {subject.current.number}: {subject.reason}"
        case "result":
            score, number = item.detail["score"], subject.version.number
            return f"Version {number} won {score.wins} games, drew {score.draws} and lost {score.losses}."
        case "announced":
            starts = f"{subject.starts_at:%Y-%m-%d %H:%M} UTC"
            return f"{formats.name(subject)} on {subject.ladder.name}, starting at {starts}."
        case _:
            return f"{formats.name(subject)} on {subject.ladder.name}."


def _address(item: Activity) -> str:
    """The address of the page with the details."""
    match item.what:
        case "version":
            return reverse("bot", args=[item.subject.bot.slug])
        case "rest" | "end rest" | "trial":
            return reverse("ladder", args=[item.subject.ladder.slug])
        case "result":
            return reverse("event", args=[item.subject.event.slug])
        case _:
            return reverse("event", args=[item.subject.slug])
