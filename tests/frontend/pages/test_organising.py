"""Rulings and pairings by hand on pages, in the API and in the admin: preview, warnings, confirmation, refusals."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user, make_version
from tests.frontend.visits import body, signed_in
from tests.tournaments.events.test_pairings_by_hand import bot, pairs_of
from tests.tournaments.events.test_rulings import entry_at, hold
from tournaments.models import ByeRequest, ChangedPairing, Disqualification, Entry, Event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of a Swiss of three rounds, the first of which awaits its confirmation."""
    return hold(4, swiss_rounds=3, confirm_rounds=True, late_rounds=1, byes_allowed=1, bye_points=0.5,
                registration_opens_at=START, starts_at=START + timedelta(hours=1)).pk


@pytest.fixture
def event(made: int) -> Event:
    return Event.objects.select_related("created_by", "ladder").get(pk=made)


def said(client: Client, name: str, event: Event, **form: object) -> str:
    """What the event's page says after this form."""
    return client.post(reverse(name, args=[event.slug]), form, follow=True).content.decode()


class TestThePageOfAnEvent:
    def test_states_a_disqualification_with_its_reason_and_effect(self, event: Event):
        entry = entry_at(event, 1).pk
        organiser, stranger = signed_in("organiser"), signed_in("stranger")
        assert "needs a public reason" in said(organiser, "event-disqualify", event, entry=entry, reason=" ")
        assert "Only its organiser, organiser" in said(stranger, "event-disqualify", event, entry=entry, reason="x")
        assert not Disqualification.objects.exists()
        page = said(organiser, "event-disqualify", event, entry=entry, reason="<b>copied</b>", annulled="on")
        assert "disqualified: &lt;b&gt;copied&lt;/b&gt;, games not counted" in page

    def test_takes_requests_for_byes_and_refuses_bad_rounds(self, event: Event):
        mia, entry = signed_in("mia"), entry_at(event, 1)
        assert "Request a bye" in body(mia, reverse("event", args=[event.slug]))
        for number in ("x", "9" * 30, "1"):
            assert "is already paired: request a bye for round 2" in said(mia, "event-bye", event, entry=entry.pk,
                                                                          number=number)
        assert f"{entry.bot} sits out round 2 of Cup." in said(mia, "event-bye", event, entry=entry.pk, number="2")
        assert ByeRequest.objects.get().number == 2

    def test_lets_authors_enter_late_and_states_the_regulations(self, event: Event):
        late, noor = make_version("late", owner="noor"), signed_in("noor")
        assert "Late entrants can miss 1 round, which counts ½." in body(noor, reverse("event", args=[event.slug]))
        said(noor, "event-enter", event, version=late.pk)
        assert Entry.objects.get(version=late).place == 4


class TestThePageOfPairings:
    def test_shows_warnings_before_it_changes_and_then_confirms(self, event: Event):
        client, url = signed_in("organiser"), reverse("event-pairings", args=[event.slug])
        page = body(client, url)
        assert "Confirm the round" in page
        assert "These pairings would be made now. Nothing is stored." in page
        pairs = pairs_of(event, 1)
        form = {"first": bot(event, pairs[0][0]).pk, "second": bot(event, pairs[1][0]).pk, "reason": "<b>x</b>"}
        assert "The change breaks no rule." in client.post(url, form).content.decode()
        assert pairs_of(event, 1) == pairs
        assert "The pairings of round 1 are changed." in said(client, "event-pairings", event, **form, store="1")
        assert pairs_of(event, 1) != pairs
        page = body(client, reverse("event", args=[event.slug]))
        assert "Reason: <bdi>&lt;b&gt;x&lt;/b&gt;</bdi>" in page
        assert "the round waits until the organiser has confirmed it" in page
        client.post(reverse("event-confirm", args=[event.slug]))
        assert not event.rounds.filter(awaits_confirmation=True).exists()

    def test_refuses_a_bot_against_itself_and_strangers(self, event: Event):
        url, same = reverse("event-pairings", args=[event.slug]), bot(event, 0)
        answer = signed_in("organiser").post(url, {"first": same.pk, "second": same.pk, "reason": "x", "store": "1"})
        assert answer.status_code == 409
        assert f"{same.name} cannot meet itself in round 1 of Cup" in answer.content.decode()
        body(signed_in("stranger"), url, expect=404)
        assert not ChangedPairing.objects.exists()


class TestTheApi:
    def test_previews_checks_changes_and_confirms_pairings(self, event: Event):
        client, pairs = signed_in("organiser"), pairs_of(event, 1)
        form = {"first": bot(event, pairs[0][0]).slug, "second": bot(event, pairs[1][0]).slug}

        def post(verb: str, **facts: object):
            return client.post(f"/api/events/{event.slug}/{verb}/", facts, content_type="application/json")

        assert post("preview").json()["open_matches"] == 2
        tried = post("pair", **form, dry_run=True).json()
        assert (tried["round"], tried["stored"], tried["warnings"], len(tried["pairs"])) == (1, False, [], 2)
        refused = post("pair", first=form["first"], second=form["first"], reason="x")
        assert (refused.status_code, pairs_of(event, 1)) == (409, pairs)
        assert post("pair", **form, reason="a request").json()["stored"]
        assert post("confirm").json()["confirm_rounds"] is True
        round_ = client.get(f"/api/rounds/?event={event.slug}").json()["results"][0]
        assert (round_["changes"], round_["awaits_confirmation"]) == (["a request"], False)


class TestTheAdmin:
    def test_makes_rulings_and_pairings_with_the_services_refusals(self, event: Event):
        admin = signed_in(make_user("organiser", staff=True))

        def add(model: str, **form: object) -> str:
            return admin.post(reverse(f"admin:tournaments_{model}_add"), form, follow=True).content.decode()

        pairs, entry = pairs_of(event, 1), entry_at(event, 1).pk
        first, second = (bot(event, place) for place in (pairs[0][0], pairs[1][0]))
        assert "cannot meet itself in round 1" in add("changedpairing", event=event.slug, first=first.slug,
                                                      second=first.slug, reason="x")
        add("changedpairing", event=event.slug, first=first.slug, second=second.slug, reason="x")
        assert ChangedPairing.objects.get().reason == "x"
        page = body(admin, reverse("admin:tournaments_changedpairing_changelist"))
        assert f"{second.name} v1 in Cup" in page
        assert "There is no entry 999" in add("disqualification", entry=999, reason="copied")
        assert "is already paired" in add("byerequest", entry=entry, number=1)
        add("byerequest", entry=entry, number=2)
        add("disqualification", entry=entry, reason="copied", annulled="on")
        assert (ByeRequest.objects.count(), Disqualification.objects.get().annulled) == (1, True)
        for model in ("byerequest", "disqualification"):
            body(admin, reverse(f"admin:tournaments_{model}_changelist"))
