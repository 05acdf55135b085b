"""Event pages: entering, organising, private events, series, crosstables, and what changes while matches are played."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from frontend.views.events import events as views
from tests.factories import make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend import visits
from tests.frontend.visits import signed_in
from tournaments.models import Event, Match
from tournaments.selectors.events.events import RoundSummary
from tournaments.services.events import events
from tournaments.services.events.series import create_series

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """Bots of different owners and rulesets; a running event in which two have met, and one without entries."""
    versions = [make_version("ant"), make_version("bee", owner="noor"), make_version("cat")]
    running = make_event(versions, ruleset="square-grid-hex", size=4)
    play_match(Match.objects.filter(event=running).order_by("round__number", "number").first(), fault_after=2)
    play_event(running, matches_to_play=0)
    return SimpleNamespace(versions=versions, dog=make_version("dog", rulesets=["squ"]), running=running.pk,
                           open=announce(running.ladder).pk)


@pytest.fixture
def event(world) -> Event:
    """The event that takes entries."""
    return Event.objects.select_related("created_by", "ladder").get(pk=world.open)


@pytest.fixture
def running(world) -> Event:
    return Event.objects.select_related("ladder").get(pk=world.running)


def announce(ladder, **facts) -> Event:
    now = timezone.now()
    return events.create_event(**{
        "name": "Open", "ladder": ladder, "registration_opens_at": now, "starts_at": now + timedelta(hours=1),
        "now": now, "seed": 7, "created_by": make_user("organiser", staff=True), **facts})


def body(client: Client, event: Event, **query: object) -> str:
    return visits.body(client, reverse("event", args=[event.slug]), **query)


def post(client: Client, name: str, *args: object, **data: object) -> str:
    """Return what the page says after this form."""
    return client.post(reverse(name, args=args), data, follow=True).content.decode()


class TestTakingPart:
    @pytest.mark.database
    def test_offers_the_users_ready_versions_and_enters_the_chosen_one(self, client, world, event):
        page = body(client, event)
        assert "Scheduled" in page
        assert "to enter a bot" in page
        mia, address = signed_in("mia"), reverse("event-enter", args=[event.slug])
        page = body(mia, event)
        assert [f"{name} v1</option>" in page for name in ("ant", "bee", "dog")] == [True, False, False]
        ant, bee, _ = world.versions
        assert "ant v1 is entered in Open." in post(mia, "event-enter", event.slug, version=ant.pk)
        page = body(mia, event)
        assert "Leave" in page
        assert "<h2> Entries </h2>" in " ".join(page.split())
        post(mia, "event-leave", event.slug, entry=event.entries.get().pk)
        assert not event.entries.exists()
        assert "bee is not your bot" in post(mia, "event-enter", event.slug, version=bee.pk)
        for version in ("", "x", "0", "9" * 30, "\x00"):
            assert mia.post(address, {"version": version}).status_code == 404
        assert client.post(address, {"version": 1})["Location"].startswith("/account/")


class TestOrganising:
    def test_offers_buttons_to_the_events_organiser_only(self, world, event):
        event = announce(event.ladder, versions=world.versions[:2])
        mia, organiser = signed_in("mia"), signed_in("organiser")
        assert "Organising" not in body(mia, event)
        assert "Only its organiser" in post(mia, "event-run", event.slug, "cancel")
        for verb, word in (("start", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
            assert reverse("event-run", args=[event.slug, verb]) in body(organiser, event)
            post(organiser, "event-run", event.slug, verb)
            event.refresh_from_db()
            assert event.status == word

    def test_of_a_private_event_decides_who_sees_it(self, client, event):
        Event.objects.update(private=True)
        mia, organiser = signed_in("mia"), signed_in("organiser")
        for visitor in (client, mia):
            for name in ("event", "event-live"):
                visits.body(visitor, reverse(name, args=[event.slug]), expect=404)
            assert "Open" not in visits.body(visitor, reverse("events"))
        for name in ("mia", "noor"):
            post(organiser, "event-invite", event.slug, username=name)
        assert "There is no account" in post(organiser, "event-invite", event.slug, username="nobody")
        assert "noor" in body(organiser, event)
        page = body(mia, event)
        assert ("private" in page, "noor" in page) == (True, False)
        post(organiser, "event-uninvite", event.slug, username="mia")
        visits.body(mia, reverse("event", args=[event.slug]), expect=404)

    def test_of_a_series_has_buttons_on_its_page(self, client, event):
        series = create_series(name="Weekly", ladder=event.ladder, cron="0 18 * * FRI", now=timezone.now(),
                               created_by=event.created_by)
        address, organiser = reverse("series", args=[series.slug]), signed_in("organiser")
        assert address in visits.body(client, reverse("events"))
        assert address in body(client, series.events.get())
        assert "Organising" not in visits.body(client, address)
        for verb, done in (("pause", "is paused"), ("resume", "is resumed"), ("end", "has ended")):
            assert f"Weekly {done}." in post(organiser, "series-run", series.slug, verb)
        assert "Only its organiser" in post(signed_in("mia"), "series-run", series.slug, "end")


class TestTheCrosstable:
    def test_links_each_cell_to_its_games_and_has_its_own_page_with_many_bots(self, client, running, monkeypatch):
        address = reverse("event-crosstable", args=[running.slug])
        page = body(client, running)
        links = re.findall(r'<a class="cell [^>]*href="([^"]*)"', page)
        assert len(links) == 2
        assert visits.body(client, links[0].replace("&amp;", "&")).count('class="game-line"') == 2
        assert (address in page, 'class="cross"' in page) == (False, True)
        monkeypatch.setattr(views, "CROSSTABLE_INLINE", 2)
        monkeypatch.setattr(views, "CROSSTABLE_SHOWN", 2)
        page = body(client, running)
        assert (address in page, 'class="cross"' in page) == (True, False)
        page = visits.body(client, address)
        assert page.count('<tr id="cross-') == 2
        assert "the first 2 of 3 bots" in page
        Event.objects.update(format="knockout")
        visits.body(client, address, expect=404)


class TestRounds:
    def test_are_shown_on_request_or_else_the_current_one(self, client, running):
        for query, shown in (({}, 2), ({"round": 3}, 3), ({"round": "junk"}, 2)):
            assert f"Round {shown} <small" in body(client, running, **query)

    def test_are_all_linked_or_only_the_nearest(self):
        few, many = ([RoundSummary(n, n, "", 1, 0) for n in range(1, count + 1)] for count in (30, 1000))
        assert views.linked(few, few[3]) == few
        shown = views.linked(many, many[449])
        numbers = [each.number for each in shown if each]
        assert {1, 400, 410, 445, 449, 450, 455, 460, 500, 900, 1000} <= set(numbers)
        assert numbers == sorted(set(numbers))
        assert len(shown) < 80
        assert None in shown


class TestTheLivePart:
    def test_is_empty_with_three_queries_if_unchanged(self, client, running, django_assert_num_queries):
        address = reverse("event-live", args=[running.slug])
        etag = client.get(address)["ETag"]
        assert f"data-etag={etag}" in body(client, running)
        # The event, the matches that wait, and the workers, which come and go without a change of the event.
        with django_assert_num_queries(3):
            unchanged = client.get(address, headers={"If-None-Match": etag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")

    def test_is_complete_after_a_match_or_a_change_of_the_status_and_ends_with_the_event(self, client, running):
        address = reverse("event-live", args=[running.slug])
        etag = client.get(address)["ETag"]
        play_match(Match.objects.filter(status="queued").first())
        played = client.get(address, headers={"If-None-Match": etag})
        assert played.status_code == 200
        events.pause_event(event=running, now=running.started_at)
        assert client.get(address, headers={"If-None-Match": played["ETag"]}).status_code == 200
        events.resume_event(event=running, now=running.started_at)
        assert "data-live" in body(client, running)
        play_event(running)
        page = body(client, running)
        assert ("data-live" in page, "Finished" in page) == (False, True)

    def test_says_why_attempts_are_void(self, client, running):
        spoil_match(Match.objects.filter(status="queued").first(), "the host <b>lost</b> power\x1b[2J")
        assert "the host &lt;b&gt;lost&lt;/b&gt; power⟨U+001B⟩[2J" in body(client, running)


class TestTheBotsPage:
    def test_counts_faults_by_kind_and_shows_the_record_by_seat(self, client, running):
        loser = running.matches.get(status="finished").games.get(number=1).seat0.bot
        page = visits.body(client, reverse("bot", args=[loser.slug]))
        assert re.search(r"<span>protocol error</span>\s*<strong>1</strong>", page)
        assert "0–0–1" in page
