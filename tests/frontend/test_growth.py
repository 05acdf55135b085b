"""Number of queries as a site grows: a page that needs more for more bots reads them one by one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_event, make_version, play_event
from tournaments.models import Event

pytestmark = pytest.mark.django_db


def _half_played(name: str, *, bots: int, matches: int) -> Event:
    """Return an event in which each bot has its own owner."""
    versions = [make_version(f"{name} bot {number}", owner=f"{name} {number}") for number in range(bots)]
    return play_event(make_event(versions, name=name, ruleset="square-grid-hex", size=3), matches_to_play=matches)


def _addresses(event: Event) -> list[str]:
    bot, opponent = (entry.bot.slug for entry in event.entries.order_by("place")[:2])
    ladder = event.ladder.slug
    return [
        *map(reverse, ("home", "home-live", "ladders", "events", "bots", "games", "watch", "watch-live")),
        reverse("event-boards", args=[event.slug]), f"{reverse('games')}?ruleset=square-grid-hex&result=won",
        reverse("ladder", args=[ladder]), reverse("event", args=[event.slug]), reverse("event-live", args=[event.slug]),
        reverse("bot", args=[bot]), reverse("play", args=[bot]),
        reverse("ladder-fairness", args=[ladder]), reverse("event-fairness", args=[event.slug]),
        reverse("events-feed"), reverse("event-feed", args=[event.slug]), reverse("bot-feed", args=[bot]),
        f"{reverse('bots')}?q=bot", f"{reverse('games')}?bot={bot}", f"{reverse('games')}?bot={bot}&vs={opponent}",
        f"{reverse('games')}?event={event.slug}", f"{reverse('games')}?sort=shortest&bot={bot}",
        f"{reverse('games')}?sort=longest", f"{reverse('search')}?q=bot",
        *(f"/api/{name}/" for name in ("bots", "ladders", "events", "matches", "games")),
        f"/api/ladders/{ladder}/standings/", f"/api/events/{event.slug}/standings/",
        f"/api/events/{event.slug}/crosstable/", f"/api/games/?bot={bot}", f"/api/matches/?event={event.slug}",
    ]


def _queries(client, event: Event) -> list[tuple[str, int]]:
    """Return each address and the number of queries of its second request."""
    counts = []
    for address in _addresses(event):
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200, address
        counts.append((address, len(queries)))
    return counts


class TestEveryListAndPage:
    def test_takes_as_many_queries_for_forty_bots_as_for_four(self, client):
        small = _half_played("Small", bots=4, matches=4)
        few = _queries(client, small)
        play_event(small)
        many = _queries(client, _half_played("Big", bots=40, matches=60))
        assert [(address, before, after)
                for (_, before), (address, after) in zip(few, many, strict=True) if after > before] == []
