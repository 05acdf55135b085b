"""Leases of a worker, which its main process renews."""

import os
import signal
from typing import Any

import pytest

from tests.tournaments.matches.test_workers import descendants, process_of, running_attempt, slow_bot
from tests.tournaments.site import Site, finished
from tournaments.models import Attempt

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]


class TestAFrozenChild:
    def test_loses_its_lease_although_the_main_process_works(self, site: Site, schedule: Any) -> None:
        event = schedule({"ant": slow_bot(1.0), "bee": None})
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: running_attempt(1))
        attempt = running_attempt(1)
        assert attempt is not None
        child = process_of(attempt)
        # Its bots have started, so it gives signs of life.
        site.wait_for(lambda: descendants(child))
        os.kill(child, signal.SIGSTOP)
        try:
            site.wait_for(lambda: finished(event))
        finally:
            os.kill(child, signal.SIGCONT)
        assert list(Attempt.objects.order_by("number").values_list("status", flat=True)) == ["void", "counted"]
