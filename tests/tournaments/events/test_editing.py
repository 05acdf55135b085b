"""Changing an event before it starts."""

from datetime import timedelta

import pytest

from tests.factories import START, make_user
from tests.tournaments.events.test_entries import HOUR, announce, enter
from tests.tournaments.events.test_series import FRIDAY, WEEK, found
from tournaments.models import AuditEntry, Delivery, Event, Webhook
from tournaments.selectors.events.permissions import OverEventQuota
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.events.editing import edit_event
from tournaments.services.events.events import start_event
from tournaments.services.events.scheduling import EventRefused
from tournaments.services.events.series import announce_due

pytestmark = pytest.mark.django_db


def edit(event: Event, by: str = "organiser", at=START, **changes) -> Event:
    return edit_event(event=event, actor=make_user(by), now=at, **changes)


class TestEditing:
    def test_changes_texts_times_and_limits_and_notifies_entrants(self):
        event = announce()
        enter(event, "ant")
        Webhook.objects.create(owner=make_user("mia"), url="https://mia.example/", secret="x", created_at=START)
        edited = edit(event, name=" Closed ", description="Bring a bot.", cycles=3, max_entries=8,
                      starts_at=START + 5 * HOUR, registration_closes_at=START + 4 * HOUR)
        assert (edited.name, edited.slug, edited.description) == ("Closed", "open", "Bring a bot.")
        assert (edited.cycles, edited.max_entries, edited.starts_at) == (3, 8, START + 5 * HOUR)
        assert edited.registration_closes_at == START + 4 * HOUR
        entry = AuditEntry.objects.get(verb="edit")
        assert (entry.actor.username, entry.detail["changed"]["cycles"]) == ("organiser", [1, 3])
        notice = Delivery.objects.get(kind="event.changed")
        assert notice.user == make_user("mia")
        assert notice.payload["changed"] == ["cycles", "description", "max_entries", "name", "registration_closes_at",
                                             "starts_at"]

    def test_is_validated_like_a_new_event_and_audited_only_if_it_changes_something(self):
        event = announce()
        for name in ("ant", "bee", "cat"):
            enter(event, name)
        event.refresh_from_db()
        edit(event, name="Open", cycles=1)
        assert Event.objects.get().revision == event.revision
        for changes, sentence in (
                ({"name": " "}, "1 to 80 characters"), ({"cycles": 1001}, "1 to 1,000 cycles"),
                ({"swiss_rounds": 3}, "The number of rounds cannot be set"),
                ({"max_entries": 2}, "limited to 2 entries, but has 3"),
                ({"starts_at": START - HOUR}, "is in the past"),
                ({"starts_at": START + HOUR / 2}, "Registration must close by the start"),
                ({"registration_closes_at": START}, "Registration must open before it closes")):
            with pytest.raises(EventRefused, match=sentence):
                edit(event, **changes)
        assert not AuditEntry.objects.filter(verb="edit").exists()
        start_event(event=event, now=START)
        with pytest.raises(EventRefused, match="Open is running: an event can be changed only before it starts"):
            edit(event, name="Late")

    def test_keeps_a_past_deadline_when_the_start_is_postponed(self):
        event = edit(announce(), at=START + HOUR * 1.5, starts_at=START + 9 * HOUR, name="Late")
        assert (event.starts_at, event.registration_closes_at) == (START + 9 * HOUR, START + HOUR)

    def test_is_only_for_the_organiser_and_within_their_limits(self):
        event = announce(created_by=make_user("mia"))
        assert edit(event, "mia", max_entries=5000).max_entries == 64
        with pytest.raises(OverEventQuota, match="at most 10 matches"):
            edit(event, "mia", cycles=11)
        with pytest.raises(Forbidden, match="Only its organiser"):
            edit(event, "noor", name="Mine")

    def test_keeps_the_start_times_of_a_series_distinct(self):
        series = found()
        announce_due(FRIDAY)
        second = series.events.get(starts_at=FRIDAY + WEEK)
        with pytest.raises(EventRefused, match="Another event of Weekly Blitz starts at"):
            edit(second, starts_at=FRIDAY, registration_closes_at=None)
        assert edit(second, starts_at=FRIDAY + timedelta(hours=1)).starts_at == FRIDAY + timedelta(hours=1)
