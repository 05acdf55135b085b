"""Event pages: entering, organising, private events, series and crosstables."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from frontend.views.events import events
from tests.factories import make_user, make_version
from tests.frontend import visits
from tests.frontend.visits import signed_in
from tournaments.models import Event
from tournaments.selectors.events.events import RoundSummary
from tournaments.services.events.entries import enter_event
from tournaments.services.events.events import create_event, start_event
from tournaments.services.events.series import create_series
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """A ladder, an event without entries, and one version each of three bots of different owners and rulesets."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    make_user("organiser", staff=True)
    return SimpleNamespace(ladder=ladder, event=announce(ladder).pk, ant=make_version("ant"),
                           bee=make_version("bee", owner="noor"), cat=make_version("cat", rulesets=["squ"]))


@pytest.fixture
def event(world) -> Event:
    return Event.objects.select_related("created_by").get(pk=world.event)


def announce(ladder, **facts) -> Event:
    now = timezone.now()
    return create_event(**{"name": "Open", "ladder": ladder, "registration_opens_at": now,
                           "starts_at": now + timedelta(hours=1), "now": now, "seed": 7,
                           "created_by": make_user("organiser", staff=True), **facts})


def body(client: Client, event: Event, **query: object) -> str:
    return visits.body(client, reverse("event", args=[event.slug]), **query)


def post(client: Client, name: str, *args: object, **data: object) -> str:
    """Return what the page says after this form."""
    return client.post(reverse(name, args=args), data, follow=True).content.decode()


class TestTakingPart:
    def test_offers_the_users_ready_versions_and_enters_the_chosen_one(self, world, event):
        mia = signed_in("mia")
        page = body(mia, event)
        assert ">ant v1</option>" in page
        assert "bee v1" not in page
        assert "cat v1" not in page
        assert "ant v1 is entered in Open." in post(mia, "event-enter", event.slug, version=world.ant.pk)
        assert "Leave" in body(mia, event)
        post(mia, "event-leave", event.slug, entry=event.entries.get().pk)
        assert not event.entries.exists()

    def test_explains_refusals_and_does_not_find_unknown_versions(self, world, event):
        mia, address = signed_in("mia"), reverse("event-enter", args=[event.slug])
        assert "bee is not your bot" in post(mia, "event-enter", event.slug, version=world.bee.pk)
        for version in ("", "x", "0", "9" * 30, "\x00"):
            assert mia.post(address, {"version": version}).status_code == 404

    def test_links_signed_out_visitors_to_the_sign_in(self, client, event):
        assert "to enter a bot" in body(client, event)
        answer = client.post(reverse("event-enter", args=[event.slug]), {"version": 1})
        assert answer["Location"].startswith("/account/")

    def test_lists_the_entries_before_the_start(self, client, event):
        enter_event(event=event, version=make_version("<b>dog</b>"), actor=make_user("mia"), now=timezone.now())
        page = body(client, event)
        assert "<h2> Entries </h2>" in " ".join(page.split())
        assert "<b>dog</b>" not in page


class TestOrganising:
    def test_offers_buttons_to_the_events_organiser_only(self, world):
        event = announce(world.ladder, versions=[world.ant, world.bee])
        mia, organiser = signed_in("mia"), signed_in("organiser")
        assert "Organising" not in body(mia, event)
        assert "Only its organiser" in post(mia, "event-run", event.slug, "cancel")
        for verb, word in (("start", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
            assert reverse("event-run", args=[event.slug, verb]) in body(organiser, event)
            post(organiser, "event-run", event.slug, verb)
            event.refresh_from_db()
            assert event.status == word


class TestAPrivateEvent:
    def test_is_not_found_by_uninvited_users(self, client, event):
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
        assert "private" in page
        assert "noor" not in page
        post(organiser, "event-uninvite", event.slug, username="mia")
        visits.body(mia, reverse("event", args=[event.slug]), expect=404)


class TestSeries:
    def test_have_a_page_with_events_and_the_organisers_buttons(self, client, world):
        series = create_series(name="Weekly", ladder=world.ladder, cron="0 18 * * FRI", now=timezone.now(),
                               created_by=make_user("organiser", staff=True))
        address = reverse("series", args=[series.slug])
        assert address in visits.body(client, reverse("events"))
        assert address in body(client, series.events.get())
        assert "Organising" not in visits.body(client, address)
        organiser = signed_in("organiser")
        for verb, done in (("pause", "is paused"), ("resume", "is resumed"), ("end", "has ended")):
            assert f"Weekly {done}." in post(organiser, "series-run", series.slug, verb)
        assert "Only its organiser" in post(signed_in("mia"), "series-run", series.slug, "end")


class TestTheCrosstable:
    def test_has_its_own_page_with_many_bots(self, client, world, monkeypatch):
        event = announce(world.ladder, versions=[world.ant, world.bee, make_version("dog")])
        start_event(event=event, now=timezone.now())
        address = reverse("event-crosstable", args=[event.slug])
        page = body(client, event)
        assert (address in page, 'class="cross"' in page) == (False, True)
        monkeypatch.setattr(events, "CROSSTABLE_INLINE", 2)
        monkeypatch.setattr(events, "CROSSTABLE_SHOWN", 2)
        page = body(client, event)
        assert (address in page, 'class="cross"' in page) == (True, False)
        page = visits.body(client, address)
        assert page.count('<tr id="cross-') == 2
        assert "the first 2 of 3 bots" in page

    def test_does_not_exist_for_a_knockout(self, client, world):
        event = announce(world.ladder, format="knockout", versions=[world.ant, world.bee])
        visits.body(client, reverse("event-crosstable", args=[event.slug]), expect=404)


class TestLinkedRounds:
    def test_are_all_rounds_or_only_the_nearest(self):
        few, many = ([RoundSummary(n, n, "", 1, 0) for n in range(1, count + 1)] for count in (30, 1000))
        assert events.linked(few, few[3]) == few
        shown = events.linked(many, many[449])
        numbers = [each.number for each in shown if each]
        assert {1, 400, 410, 445, 449, 450, 455, 460, 500, 900, 1000} <= set(numbers)
        assert numbers == sorted(set(numbers))
        assert len(shown) < 80
        assert None in shown
