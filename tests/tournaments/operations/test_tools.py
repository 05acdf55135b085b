"""The programs available to bots, declared by workers and published by the API."""

from datetime import timedelta

import pytest
from django.utils import timezone

from engines.sandbox.staging.tools import tools_here, versions_here
from tournaments.models import Worker
from tournaments.services.matches.workers import Declaration, beat, declare, stop

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(client):
    return lambda: client.get("/api/tools/").json()


def worker(number, tools):
    return Declaration(f"h:{number}", "h", "standard", ["squ"], 2, 2, "1", tools)


class TestTheSitesTools:
    def test_come_from_the_workers_and_say_which_are_everywhere(self, told):
        assert told() == {"workers": 0, "tools": []}
        now = timezone.now()
        declare(worker(1, {"python3": "3.11.2", "go": "1.19"}), now=now)
        declare(worker(2, {"python3": "3.13.1"}), now=now)
        # A worker of an earlier release, which declares no tools, and one that is offline.
        declare(worker(3, {}), now=now)
        Worker.objects.filter(name="h:3").update(tools=None)
        declare(worker(4, {"ruby": "3.1.2"}), now=now - timedelta(hours=1))
        assert told() == {"workers": 2, "tools": [
            {"name": "go", "versions": ["1.19"], "everywhere": False},
            {"name": "python3", "versions": ["3.11.2", "3.13.1"], "everywhere": True}]}

    def test_change_with_the_next_heartbeat_and_are_remembered_while_no_worker_is_online(self, told):
        declare(worker(1, {"python3": "3.11.2"}), now=timezone.now())
        beat(worker(1, {"python3": "3.11.2", "node": "18.19.0"}), load=None, now=timezone.now())
        assert [tool["name"] for tool in told()["tools"]] == ["node", "python3"]
        stop("h:1", now=timezone.now())
        assert told()["workers"] == 1

    def test_of_this_machine_have_versions(self):
        here = versions_here(tools_here())
        assert here["python3"].startswith("3.")
        assert all(here.values())
