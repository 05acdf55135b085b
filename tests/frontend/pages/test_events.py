"""Event pages: entering, formats, private events and series."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from frontend.views.events import events
from tests.factories import make_user, make_version, play_match
from tournaments.models import Event, Match
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.events import RoundSummary
from tournaments.services.events.entries import enter_event, invite
from tournaments.services.events.events import create_event, finish_event, start_event
from tournaments.services.events.rounds import pair_next
from tournaments.services.events.series import create_series
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db


def announce(**facts) -> Event:
    now = timezone.now()
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_event(**{"name": "Open", "ladder": ladder, "registration_opens_at": now,
                           "starts_at": now + timedelta(hours=1), "now": now, "seed": 7,
                           "created_by": make_user("organiser", staff=True), **facts})


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name))
    return client


def body(client: Client, event: Event, **query: object) -> str:
    response = client.get(reverse("event", args=[event.slug]), query)
    assert response.status_code == 200
    return response.content.decode()


def post(client: Client, name: str, *args: object, **data: object):
    return client.post(reverse(name, args=args), data, follow=True)


class TestTakingPart:
    def test_offers_the_users_ready_versions_and_enters_the_chosen_one(self):
        event, mia = announce(), signed_in("mia")
        version = make_version("ant")
        make_version("bee", owner="noor")
        make_version("cat", rulesets=["squ"])
        page = body(mia, event)
        assert ">ant v1</option>" in page
        assert "bee v1" not in page
        assert "cat v1" not in page
        assert "ant v1 is entered in Open." in post(mia, "event-enter", event.slug, version=version.pk).content.decode()
        entry = event.entries.get()
        assert "Leave" in body(mia, event)
        post(mia, "event-leave", event.slug, entry=entry.pk)
        assert not event.entries.exists()

    def test_explains_refusals(self):
        event, mia = announce(), signed_in("mia")
        foreign = make_version("bee", owner="noor")
        page = post(mia, "event-enter", event.slug, version=foreign.pk).content.decode()
        assert "bee is not your bot: only its owner and its team can enter it." in page

    def test_links_signed_out_visitors_to_the_sign_in(self, client):
        event = announce()
        assert "to enter a bot" in body(client, event)
        assert post(client, "event-enter", event.slug, version=1).redirect_chain[0][0].startswith("/account/")

    @pytest.mark.parametrize("version", ["", "x", "0", "9" * 30, "\x00"])
    def test_refuses_an_unknown_version(self, version):
        assert post(signed_in("mia"), "event-enter", announce().slug, version=version).status_code == 404


class TestOrganising:
    def test_offers_buttons_to_the_events_organiser(self):
        event, organiser = announce(versions=[make_version("ant"), make_version("bee")]), signed_in("organiser")
        for verb, word in (("start", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
            assert reverse("event-run", args=[event.slug, verb]) in body(organiser, event)
            post(organiser, "event-run", event.slug, verb)
            event.refresh_from_db()
            assert event.status == word

    def test_is_refused_to_others(self):
        event, mia = announce(), signed_in("mia")
        assert "Organising" not in body(mia, event)
        assert "Only its organiser" in post(mia, "event-run", event.slug, "cancel").content.decode()


class TestAPrivateEvent:
    def test_is_not_found_by_uninvited_users(self, client):
        event = announce(private=True)
        for visitor in (client, signed_in("mia")):
            for name in ("event", "event-live"):
                assert visitor.get(reverse(name, args=[event.slug])).status_code == 404
            assert "Open" not in visitor.get(reverse("events")).content.decode()
        post(signed_in("organiser"), "event-invite", event.slug, username="mia")
        assert "private" in body(signed_in("mia"), event)
        post(signed_in("organiser"), "event-uninvite", event.slug, username="mia")
        assert signed_in("mia").get(reverse("event", args=[event.slug])).status_code == 404

    def test_reports_an_unknown_account_when_inviting(self):
        page = post(signed_in("organiser"), "event-invite", announce(private=True).slug, username="nobody")
        assert "There is no account" in page.content.decode()


class TestFormats:
    def test_show_a_knockout_as_a_bracket(self, client):
        event = announce(format="knockout", versions=[make_version(name) for name in ("ant", "bee", "cat")])
        start_event(event=event, now=timezone.now())
        assert "to be decided" in body(client, event)
        while match := Match.objects.filter(status="queued").first():
            play_match(match)
            pair_next(event=event, now=timezone.now())
        page = body(client, event)
        assert "Semi-finals" in page
        assert "the better seed advances" in page
        assert 'aria-label="advances"' in page
        assert "Crosstable" not in page

    def test_show_who_is_in_who_is_out_and_the_champion_with_its_path(self, client):
        event = announce(format="knockout", rated=False,
                         versions=[make_version(name) for name in ("ant", "bee", "cat")])
        start_event(event=event, now=timezone.now())
        page = body(client, event)
        assert (page.count("still in"), 'class="champion"' in page, ' path"' in page) == (3, False, False)
        assert body(client, event, path=2).count(' e2 path"') == 1
        while match := Match.objects.filter(status="queued").first():
            play_match(match)
            pair_next(event=event, now=timezone.now())
        assert finish_event(event=event, now=timezone.now())
        event.refresh_from_db()
        page, best = body(client, event), reads.standings(event)[0].entry
        assert re.search(rf'Champion:\s*<a href="/bots/{best.bot.slug}/">', page)
        assert (page.count("still in"), page.count('class="out"'), page.count("<strong>champion</strong>")) == (0, 2, 1)
        assert set(re.findall(r' (e\d) path"', page)) == {f"e{best.place + 1}"}
        assert set(re.findall(r' (e\d) path"', body(client, event, path=2))) == {"e2"}

    def test_say_how_progress_is_measured(self, client):
        four = [make_version(name) for name in ("ant", "bee", "cat", "dog")]
        arena = announce(name="Arena", format="arena", minutes=60, versions=four)
        start_event(event=arena, now=timezone.now() - timedelta(minutes=15))
        assert "Time played: 25.0%" in body(client, arena)
        assert re.search(r"<dt>Time left</dt>\s*<dd>\s*45", body(client, arena))
        precise = announce(name="Precise", format="precision", target="ratings", target_value=50, max_matches=500,
                           versions=four)
        start_event(event=precise, now=timezone.now())
        page = body(client, precise)
        assert "<small>of at most 1\u202f000</small>" in page
        assert "Information so far: 0.0%" in page

    def test_show_the_progress_of_a_double_knockout(self, client):
        event = announce(format="double knockout", versions=[make_version(name) for name in ("ant", "bee", "cat")])
        start_event(event=event, now=timezone.now())
        page = body(client, event)
        assert "of at least 8</small>" in page
        assert "round 1 of 4 to 5" in page
        assert '<td class="n rank">1–3</td>' in page

    def test_show_a_swiss_with_its_tie_breaks_and_byes(self, client):
        event = announce(format="swiss", swiss_rounds=2, versions=[make_version(n) for n in ("ant", "bee", "cat")])
        start_event(event=event, now=timezone.now())
        page = body(client, event)
        assert "Swiss, 2 rounds" in page
        assert "Buchholz cut 1</th>" in page
        assert ">bye</span>" in page

    def test_list_the_entries_before_the_start(self, client):
        event = announce()
        enter_event(event=event, version=make_version("<b>ant</b>"), actor=make_user("mia"), now=timezone.now())
        page = body(client, event)
        assert "<h2> Entries </h2>" in " ".join(page.split())
        assert "<b>ant</b>" not in page


class TestSeries:
    def test_have_a_page_with_events_and_the_organisers_buttons(self, client):
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
        series = create_series(name="Weekly", ladder=ladder, cron="0 18 * * FRI", now=timezone.now(),
                               created_by=make_user("organiser", staff=True))
        address = reverse("series", args=[series.slug])
        assert address in client.get(reverse("events")).content.decode()
        assert address in body(client, series.events.get())
        assert "Organising" not in client.get(address).content.decode()
        organiser = signed_in("organiser")
        for verb, done in (("pause", "is paused"), ("resume", "is resumed"), ("end", "has ended")):
            assert f"Weekly {done}." in post(organiser, "series-run", series.slug, verb).content.decode()
        assert "Only its organiser" in post(signed_in("mia"), "series-run", series.slug, "end").content.decode()


class TestInvitations:
    def test_are_listed_only_for_the_organiser(self):
        event = announce(private=True)
        invite(event=event, user=make_user("noor"), actor=event.created_by, now=timezone.now())
        invite(event=event, user=make_user("mia"), actor=event.created_by, now=timezone.now())
        assert "noor" in body(signed_in("organiser"), event)
        assert "noor" not in body(signed_in("mia"), event)


class TestTheCrosstable:
    def test_has_its_own_page_with_many_bots(self, client, monkeypatch):
        event = announce(versions=[make_version(name) for name in ("ant", "bee", "cat")])
        start_event(event=event, now=timezone.now())
        address = reverse("event-crosstable", args=[event.slug])
        assert address not in body(client, event)
        assert 'class="cross"' in body(client, event)
        monkeypatch.setattr(events, "CROSSTABLE_INLINE", 2)
        monkeypatch.setattr(events, "CROSSTABLE_SHOWN", 2)
        assert address in body(client, event)
        assert 'class="cross"' not in body(client, event)
        page = client.get(address).content.decode()
        assert page.count('<tr id="cross-') == 2
        assert "the first 2 of 3 bots" in page

    def test_does_not_exist_for_a_knockout(self, client):
        event = announce(format="knockout", versions=[make_version(name) for name in ("ant", "bee")])
        assert client.get(reverse("event-crosstable", args=[event.slug])).status_code == 404


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
