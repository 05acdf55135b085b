"""The organiser's page of pairings, the API and the admin: preview, a change with its warnings, confirmation."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tests.frontend.pages.test_rulings import signed_in
from tests.tournaments.events.test_pairings_by_hand import bot, pairs_of
from tests.tournaments.events.test_rulings import hold, organiser
from tournaments.models import ChangedPairing, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return hold(4, swiss_rounds=3, confirm_rounds=True)


class TestThePageOfPairings:
    def test_shows_warnings_before_it_changes_and_then_confirms(self, event: Event):
        client, url = signed_in(organiser()), reverse("event-pairings", args=[event.slug])
        page = client.get(url).content.decode()
        assert "Confirm the round" in page
        assert "These pairings would be made now. Nothing is stored." in page
        pairs = pairs_of(event, 1)
        form = {"first": bot(event, pairs[0][0]).pk, "second": bot(event, pairs[1][0]).pk, "reason": "<b>x</b>"}
        assert "The change breaks no rule." in client.post(url, form).content.decode()
        assert pairs_of(event, 1) == pairs
        assert "The pairings of round 1 are changed." in client.post(
            url, form | {"store": "1"}, follow=True).content.decode()
        assert pairs_of(event, 1) != pairs
        page = client.get(reverse("event", args=[event.slug])).content.decode()
        assert "Reason: <bdi>&lt;b&gt;x&lt;/b&gt;</bdi>" in page
        assert "the round waits until the organiser has confirmed it" in page
        client.post(reverse("event-confirm", args=[event.slug]))
        assert not event.rounds.filter(awaits_confirmation=True).exists()

    def test_refuses_a_bot_against_itself_and_strangers(self, event: Event):
        url, same = reverse("event-pairings", args=[event.slug]), bot(event, 0)
        answer = signed_in(organiser()).post(url, {"first": same.pk, "second": same.pk, "reason": "x", "store": "1"})
        assert answer.status_code == 409
        assert f"{same.name} cannot meet itself in round 1 of Cup" in answer.content.decode()
        assert signed_in(make_user("stranger")).get(url).status_code == 404
        assert not ChangedPairing.objects.exists()


class TestTheApi:
    def test_previews_checks_changes_and_confirms(self, event: Event):
        client, pairs = signed_in(organiser()), pairs_of(event, 1)
        form = {"first": bot(event, pairs[0][0]).slug, "second": bot(event, pairs[1][0]).slug}

        def post(verb: str, **facts):
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
    def test_changes_a_pairing_with_the_services_refusals(self, event: Event, admin_client: Client):
        pairs = pairs_of(event, 1)
        first, second = bot(event, pairs[0][0]).slug, bot(event, pairs[1][0]).slug
        url = reverse("admin:tournaments_changedpairing_add")
        form = {"event": event.slug, "first": first, "second": first, "reason": "x"}
        assert "cannot meet itself in round 1" in admin_client.post(url, form).content.decode()
        admin_client.post(url, form | {"second": second})
        assert ChangedPairing.objects.get().reason == "x"
        page = admin_client.get(reverse("admin:tournaments_changedpairing_changelist")).content.decode()
        assert f"{bot(event, pairs[1][0]).name} v1 in Cup" in page
