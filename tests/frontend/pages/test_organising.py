"""Rulings on pages and in the admin, and their refusals."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user
from tests.frontend.visits import body, signed_in
from tests.tournaments.events.test_rulings import entry_at, hold
from tournaments.models import Disqualification, Event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of a Swiss of three rounds."""
    return hold(4, swiss_rounds=3, registration_opens_at=START, starts_at=START + timedelta(hours=1)).pk


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


class TestTheAdmin:
    def test_makes_rulings_with_the_services_refusals(self, event: Event):
        admin = signed_in(make_user("organiser", staff=True))

        def add(model: str, **form: object) -> str:
            return admin.post(reverse(f"admin:tournaments_{model}_add"), form, follow=True).content.decode()

        entry = entry_at(event, 1).pk
        assert "There is no entry 999" in add("disqualification", entry=999, reason="copied")
        add("disqualification", entry=entry, reason="copied", annulled="on")
        assert Disqualification.objects.get().annulled
        body(admin, reverse("admin:tournaments_disqualification_changelist"))
