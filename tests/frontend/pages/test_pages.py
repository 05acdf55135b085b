"""The pages without a browser: errors, ladders and events while matches are played, and bots."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from ratings.models import Rating
from tests.factories import make_event, make_version, play_event, play_match, spoil_match
from tests.frontend.visits import body
from tournaments.models import Event, Match
from tournaments.services.events import events

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of an event with three bots, two of which have met, one of them with a fault."""
    event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], ruleset="square-grid-hex",
                       size=4)
    play_match(Match.objects.filter(event=event).order_by("round__number", "number").first(), fault_after=2)
    play_event(event, matches_to_play=0)
    return event.pk


@pytest.fixture
def event(made: int) -> Event:
    return Event.objects.select_related("ladder").get(pk=made)


class TestEveryPage:
    def test_allows_only_its_own_inline_scripts_with_a_new_nonce_every_time(self, client, db):
        policies = [client.get("/")["Content-Security-Policy"] for _ in range(3)]
        assert policies[0].startswith("default-src 'none'")
        assert "unsafe-eval" not in policies[0]
        assert "script-src 'self' 'unsafe-inline'" not in policies[0]
        assert len({re.search(r"nonce-([\w-]+)", policy)[1] for policy in policies}) == 3

    def test_that_does_not_exist_shows_the_sites_own_error_page(self, client, db):
        for address in ("/games/999999/", "/bots/nobody/", "/events/never/", "/ladders/none/", "/nothing"):
            assert "Page not found" in body(client, address, expect=404)

    def test_that_fails_shows_no_details(self, db, monkeypatch):
        def broken(*args):
            raise RuntimeError("the secret")

        monkeypatch.setattr("tournaments.selectors.bots.bots.bots", broken)
        shown = body(Client(raise_request_exception=False), reverse("bots"), expect=500)
        assert "Something went wrong on our side" in shown
        assert "secret" not in shown


class TestLadderPage:
    def test_lists_ratings_with_intervals_and_marks_provisional_ones(self, client, event):
        play_event(event)
        page = body(client, reverse("ladder", args=[event.ladder.slug]))
        for rating in Rating.objects.filter(ladder=event.ladder):
            assert f"{rating.value:.0f}" in page
            assert f"± {rating.plus_minus:.0f}" in page
        assert page.count("provisional</span>") == 3


class TestEventPage:
    def test_links_each_cell_of_the_crosstable_to_its_games(self, client, event):
        page = body(client, reverse("event", args=[event.slug]))
        links = re.findall(r'<a class="cell [^>]*href="([^"]*)"', page)
        assert len(links) == 2
        assert body(client, links[0].replace("&amp;", "&")).count('class="game-line"') == 2

    def test_shows_the_requested_round_or_else_the_current_one(self, client, event):
        address = reverse("event", args=[event.slug])
        for query, shown in (({}, 2), ({"round": 3}, 3), ({"round": "junk"}, 2)):
            assert f"Round {shown} <small" in body(client, address, **query)

    def test_says_why_attempts_are_void(self, client, event):
        spoil_match(Match.objects.filter(status="queued").first(), "the host <b>lost</b> power\x1b[2J")
        page = body(client, reverse("event", args=[event.slug]))
        assert "the host &lt;b&gt;lost&lt;/b&gt; power⟨U+001B⟩[2J" in page

    def test_stops_polling_when_the_event_is_over(self, client, event):
        address = reverse("event", args=[event.slug])
        assert "data-live" in body(client, address)
        play_event(event)
        page = body(client, address)
        assert "data-live" not in page
        assert "Finished" in page

    def test_renders_before_the_start(self, client, db):
        event = make_event([make_version("Dune"), make_version("Elm")], name="Next", started=False, size=7)
        assert "Scheduled" in body(client, reverse("event", args=[event.slug]))


class TestLivePart:
    def test_is_empty_with_three_queries_if_unchanged(self, client, event, django_assert_num_queries):
        address = reverse("event-live", args=[event.slug])
        etag = client.get(address)["ETag"]
        assert f"data-etag={etag}" in body(client, reverse("event", args=[event.slug]))
        # The event, the matches that wait, and the workers, which come and go without a change of the event.
        with django_assert_num_queries(3):
            unchanged = client.get(address, headers={"If-None-Match": etag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")

    def test_is_complete_after_a_match_or_a_change_of_the_status(self, client, event):
        address = reverse("event-live", args=[event.slug])
        etag = client.get(address)["ETag"]
        play_match(Match.objects.filter(status="queued").first())
        played = client.get(address, headers={"If-None-Match": etag})
        assert played.status_code == 200
        events.pause_event(event=event, now=event.started_at)
        assert client.get(address, headers={"If-None-Match": played["ETag"]}).status_code == 200


class TestBotPage:
    def test_counts_faults_by_kind_and_shows_the_record_by_seat(self, client, event):
        loser = event.matches.get(status="finished").games.get(number=1).seat0.bot
        page = body(client, reverse("bot", args=[loser.slug]))
        assert re.search(r"<span>protocol error</span>\s*<strong>1</strong>", page)
        assert "0–0–1" in page
