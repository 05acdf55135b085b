"""Rows that this release cannot read: lists show all others, and staff see them under Failures."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_event, make_user, make_version
from tournaments.models import Event, Version, Worker
from tournaments.operations.workers import fleet


@pytest.mark.database
@pytest.mark.django_db
class TestAnUnreadableRow:
    @pytest.mark.parametrize("broken", [{"format": "of tomorrow"}, {"tie_breaks": 7}, {"tie_breaks": {"a": 1}}])
    def test_of_an_event_is_left_out_of_lists_and_named_to_staff(
        self, client: Client, broken: dict[str, object]
    ) -> None:
        versions = [make_version(name) for name in ("Alder", "Birch")]
        event, other = (make_event(versions, name=name) for name in ("Cup", "Masters"))
        Event.objects.filter(pk=event.pk).update(**broken)
        for address in ("/", "/events/", "/live/", "/api/events/", reverse("event", args=[other.slug])):
            page = client.get(address)
            assert page.status_code == 200, address
            assert "Cup" not in page.content.decode(), address
        assert client.get(reverse("event", args=[event.slug])).status_code == 404
        client.force_login(make_user("boss", staff=True))
        failures = client.get(reverse("admin:tournaments_failure_changelist")).content.decode()
        assert f"Event {event.pk}, Cup, cannot be read and is left out of lists: its " in failures

    def test_of_a_worker_or_version_counts_as_playing_nothing_and_is_named_to_staff(self, client: Client) -> None:
        now, version = timezone.now(), make_version("Alder")
        for number, rulesets in enumerate((7, [7, None], ["squ"], ["squ", "scware"], [])):
            Worker.objects.create(name=f"w{number}", host="h", tier="standard", rulesets=rulesets, cores=1,
                                  concurrency=1, software="", started_at=now, seen_at=now)
        Version.objects.filter(pk=version.pk).update(rulesets={"squ": 1})
        client.force_login(make_user("boss", staff=True))
        for address in ("/bots/", reverse("bot", args=[version.bot.slug]), "/api/bots/",
                        reverse("admin:tournaments_worker_changelist")):
            assert client.get(address).status_code == 200, address
        failures = client.get(reverse("admin:tournaments_failure_changelist")).content.decode()
        assert failures.count("counts as playing no ruleset") == 3
        assert f"Version {version.pk}, Alder v1, counts as" in failures
        assert fleet(now).by_tier() == {("squ", "standard"): 2, ("scware", "standard"): 1}
