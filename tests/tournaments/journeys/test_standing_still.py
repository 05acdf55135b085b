"""An event of ordinary authors' bots next to a real worker that may not play them, until one arrives that may."""

import os
import shutil

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.tournaments.site import Site, finished
from tests.tournaments.worker.test_start import WITHOUT_CGROUPS
from tournaments.models import Delivery, Event, Game, Standstill, Worker
from tournaments.operations.counts import snapshot
from tournaments.operations.metrics import families

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]
WHY = "No worker of the tier “standard” that plays Square Grid Hex is online; others play only bots"


@pytest.fixture
def event(enter, schedule) -> Event:
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        pytest.skip("needs cgroups: only root can hide those of this machine")
    return schedule({}, enter("ant"), enter("bee"))


def told(event: Event, staff) -> dict[str, bool]:
    """Return by its name whether each place says that no worker plays the event."""
    page, desk = Client(), Client()
    desk.force_login(staff)
    api = APIClient().get(f"/api/events/{event.slug}/").json()["waiting"]
    state = {family.name: family.samples for family in families(snapshot(timezone.now()), timezone.now())}
    return {
        "page": WHY in page.get(reverse("event", args=[event.slug])).content.decode(),
        "german page": "kein Worker der Stufe" in page.get(
            reverse("event", args=[event.slug]), headers={"accept-language": "de"}).content.decode(),
        "api": any(wait["reason"] == "worker" and wait["text"].startswith(WHY) for wait in api),
        "metric": any(sample.labels == {"queue": "square-grid-hex", "reason": "tier"}
                      for sample in state["squarefield_standstill_seconds"]),
        "dashboard": WHY in desk.get(reverse("admin:live")).content.decode(),
    }


class TestAnEventThatNoWorkerMayPlay:
    def test_alarms_everywhere_until_a_worker_may_play_it(self, site: Site, event: Event, staff):
        staff.email = "staff@example.org"
        staff.save()
        site.environment["SQUAREFIELD_STANDSTILL_SECONDS"] = "1"
        site.start("worker", "--concurrency", "1", before=WITHOUT_CGROUPS)
        site.wait_for(lambda: Worker.objects.filter(tier="reduced").exists())
        coordinators = [site.start("coordinator") for _ in range(2)]
        site.wait_for(Delivery.objects.exists)
        assert all(told(event, staff).values()), told(event, staff)
        assert not Game.objects.exists()

        site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: finished(event) and not Standstill.objects.filter(ended_at=None).exists())
        assert not any(told(event, staff).values()), told(event, staff)
        assert list(Delivery.objects.order_by("pk").values_list("kind", "user")) == [
            ("standstill.began", staff.pk), ("standstill.ended", staff.pk)]
        logs = "".join(coordinator.log.read_text() for coordinator in coordinators)
        assert [logs.count(said) for said in ("no worker has been able to take its work", "this is over")] == [1, 1]
