"""The page of an accelerated Swiss lists the virtual points used for its pairings; the table leaves them out."""

from datetime import timedelta

import pytest
from django.urls import reverse

from tests.factories import START, make_user
from tests.tournaments.events.test_rounds import hold_event, play_round
from tournaments.models import Event

pytestmark = pytest.mark.django_db


def page(client, event: Event, language: str = "en") -> str:
    return client.get(reverse("event", args=[event.slug]), headers={"Accept-Language": language}).content.decode()


class TestThePage:
    def test_lists_the_virtual_points_by_round(self, client):
        event = hold_event(8, "accelerated swiss", swiss_rounds=5)
        said = page(client, event)
        assert "Accelerated Swiss, 5 rounds" in said
        assert "They count for the pairings, but not in the standings." in said
        assert "Virtual points of the top 4 in the draw, by round: 1, 1, ½, 0, 0." in said

    def test_leaves_them_out_of_the_points(self, client):
        event = hold_event(4, "accelerated swiss", swiss_rounds=3)
        play_round(event)
        assert "<strong>2</strong>" not in page(client, event)

    def test_has_no_numbers_before_the_start(self, client):
        event = hold_event(4, "accelerated swiss", started=False, starts_at=START + timedelta(days=9000))
        said = page(client, event)
        assert "They count for the pairings" in said
        assert "round by round" not in said

    def test_is_translated(self, client):
        said = page(client, hold_event(8, "accelerated swiss", swiss_rounds=5), "de")
        assert "Beschleunigtes Schweizer System, 5 Runden" in said
        assert "Virtuelle Punkte der ersten 4 der Auslosung, Runde für Runde: 1, 1, ½, 0, 0." in said


class TestTheForm:
    def test_offers_it(self, client):
        client.force_login(make_user("organiser", staff=True))
        assert '<option value="accelerated swiss"' in client.get(reverse("event-new")).content.decode()
