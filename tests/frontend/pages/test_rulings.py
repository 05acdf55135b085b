"""Rulings on the pages and in the admin: disqualifications, requested byes, late entries."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user, make_version
from tests.tournaments.events.test_rulings import entry_at, hold, organiser
from tournaments.models import ByeRequest, Disqualification, Entry, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return hold(4, swiss_rounds=3, late_rounds=1, byes_allowed=1, bye_points=0.5, registration_opens_at=START,
                starts_at=START + timedelta(hours=1))


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def said(client: Client, name: str, event: Event, **form) -> str:
    """What the event's page says after this form."""
    return client.post(reverse(name, args=[event.slug]), form, follow=True).content.decode()


class TestThePageOfAnEvent:
    def test_states_a_disqualification_with_its_reason_and_effect(self, event: Event):
        page = said(signed_in(organiser()), "event-disqualify", event, entry=entry_at(event, 1).pk,
                    reason="<b>copied</b>", annulled="on")
        assert "disqualified: &lt;b&gt;copied&lt;/b&gt;, games not counted" in page

    def test_says_what_is_wrong_with_a_disqualification(self, event: Event):
        page = said(signed_in(organiser()), "event-disqualify", event, entry=entry_at(event, 1).pk, reason=" ")
        assert "A disqualification needs a public reason of 1 to 300 visible characters on one line." in page
        page = said(signed_in(make_user("stranger")), "event-disqualify", event, entry=entry_at(event, 1).pk,
                    reason="copied")
        assert "Only its organiser, organiser" in page
        assert not Disqualification.objects.exists()

    def test_takes_requests_for_byes_and_refuses_bad_rounds(self, event: Event):
        mia, entry = signed_in(make_user("mia")), entry_at(event, 1)
        assert "Request a bye" in mia.get(reverse("event", args=[event.slug])).content.decode()
        for number in ("x", "-1", "9" * 30, "1"):
            assert "is already paired: request a bye for round 2" in said(mia, "event-bye", event, entry=entry.pk,
                                                                          number=number)
        assert f"{entry.bot} sits out round 2 of Cup." in said(mia, "event-bye", event, entry=entry.pk, number="2")
        assert ByeRequest.objects.get().number == 2

    def test_lets_authors_enter_late_and_states_the_regulations(self, event: Event):
        late = make_version("late", owner="noor")
        noor = signed_in(make_user("noor"))
        assert "Late entrants can miss 1 round, which counts ½." in noor.get(
            reverse("event", args=[event.slug])).content.decode()
        said(noor, "event-enter", event, version=late.pk)
        assert Entry.objects.get(version=late).place == 4


class TestTheAdmin:
    def test_disqualifies_and_grants_byes_with_the_services_refusals(self, event: Event, admin_client: Client):
        def add(model: str, **form) -> str:
            return admin_client.post(reverse(f"admin:tournaments_{model}_add"), form, follow=True).content.decode()

        entry = entry_at(event, 1).pk
        assert "There is no entry 999" in add("disqualification", entry=999, reason="copied")
        assert "is already paired" in add("byerequest", entry=entry, number=1)
        add("byerequest", entry=entry, number=2)
        add("disqualification", entry=entry, reason="copied", annulled="on")
        assert (ByeRequest.objects.count(), Disqualification.objects.get().annulled) == (1, True)
        for model in ("byerequest", "disqualification"):
            assert admin_client.get(reverse(f"admin:tournaments_{model}_changelist")).status_code == 200
