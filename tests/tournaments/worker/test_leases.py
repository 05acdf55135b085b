"""Leases of a worker: its main process renews them, and they end if it, or a process that it forked, dies."""

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.factories import START, make_event, make_version
from tests.tournaments.matches.test_workers import descendants, process_of, running_attempt, slow_bot
from tests.tournaments.site import Site, finished
from tournaments.models import Attempt, Event, Match, Worker
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import MatchStatus
from tournaments.services.matches import matches, workers
from tournaments.services.matches.silence import end_leases_of_silent_workers, last_call
from tournaments.services.matches.workers import LATE, Declaration

SECOND = timedelta(seconds=1)
REAL = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]


@pytest.mark.django_db
class TestASilentWorker:
    """A worker with a match sends its last heartbeat at START; with the usual settings, the next is due 8 s later."""

    @pytest.fixture(autouse=True)
    def at_work(self, settings: Any) -> None:
        settings.SILENCE_SECONDS = 12
        make_event([make_version("ant"), make_version("bee")])
        self.beat()
        assert matches.claim(match_id=Match.objects.get().pk, worker="h:1:7", tier=FULL_TIER, now=START)
        self.overdue = START + timedelta(seconds=12 * LATE) + SECOND

    def beat(self, seconds: int = 0, *, at_work: bool = True) -> None:
        workers.beat(Declaration("h:1", "h", FULL_TIER, ["scware"], 4, 2, "0.1.0"), load=None, at_work=at_work,
                     now=START + seconds * SECOND)

    def test_loses_its_leases_if_it_also_misses_the_last_call(self) -> None:
        assert end_leases_of_silent_workers(self.overdue - 2 * SECOND) == 0
        assert end_leases_of_silent_workers(self.overdue) == 0
        assert end_leases_of_silent_workers(self.overdue + last_call() - SECOND) == 0
        at = self.overdue + last_call()
        assert at - START <= 15 * SECOND
        assert end_leases_of_silent_workers(at) == 1
        assert matches.reap(at) == 1
        assert Match.objects.get().status == MatchStatus.QUEUED
        assert end_leases_of_silent_workers(at) == 0

    def test_keeps_them_if_it_answers_the_last_call_as_after_an_outage_of_the_database(self) -> None:
        hour = 3600
        assert end_leases_of_silent_workers(START + hour * SECOND) == 0
        self.beat(hour + 4)
        assert end_leases_of_silent_workers(START + (hour + 6) * SECOND) == 0
        assert Worker.objects.get().overdue_since is None

    @pytest.mark.parametrize("ends", ["idle", "stopped"])
    def test_is_not_missed_when_it_is_idle_or_has_stopped(self, ends: str) -> None:
        if ends == "idle":
            self.beat(at_work=False)
        else:
            workers.stop("h:1", now=START)
        for seconds in (60, 120):
            assert end_leases_of_silent_workers(START + seconds * SECOND) == 0
        assert Worker.objects.get().overdue_since is None

    def test_takes_no_leases_of_another_with_it(self) -> None:
        Attempt.objects.update(worker="h:11:7")
        end_leases_of_silent_workers(self.overdue)
        assert end_leases_of_silent_workers(self.overdue + last_call()) == 1
        assert matches.reap(self.overdue + last_call()) == 0


def play_until(site: Site, event: Event, strike: Callable[[int], object]) -> list[str]:
    """Start a coordinator and a worker, call `strike` with the process that plays; return how the attempts ended."""
    site.start("coordinator")
    site.start("worker", "--concurrency", "2")
    site.wait_for(lambda: running_attempt(1))
    attempt = running_attempt(1)
    assert attempt is not None
    child = process_of(attempt)
    # Its bots have started, so it gives signs of life; and its worker has promised to send the next heartbeat soon.
    site.wait_for(lambda: descendants(child) and Worker.objects.exclude(beat_by=None))
    strike(child)
    site.wait_for(lambda: finished(event))
    return list(Attempt.objects.order_by("number").values_list("status", flat=True))


class TestAFrozenChild:
    pytestmark = REAL

    def test_loses_its_lease_although_the_main_process_works(self, site: Site, schedule: Any) -> None:
        event = schedule({"ant": slow_bot(1.0), "bee": None})
        frozen: list[int] = []

        def freeze(child: int) -> None:
            frozen.append(child)
            os.kill(child, signal.SIGSTOP)

        try:
            assert play_until(site, event, freeze) == ["void", "counted"]
        finally:
            for child in frozen:
                os.kill(child, signal.SIGCONT)


class TestADeadProcess:
    """The leases are longer than the tests wait, so they would fail if a match waited for one to run out."""

    pytestmark = REAL

    @pytest.fixture(autouse=True)
    def long_leases(self, site: Site) -> None:
        site.environment |= {"SQUAREFIELD_LEASE_SECONDS": "600", "SQUAREFIELD_SILENCE_SECONDS": "6"}

    def test_has_its_match_repeated_at_once_if_it_was_a_child(self, site: Site, schedule: Any) -> None:
        event = schedule({"ant": slow_bot(1.0), "bee": None})
        assert play_until(site, event, lambda child: os.kill(child, signal.SIGKILL)) == ["void", "counted"]

    def test_has_its_match_repeated_soon_if_it_was_a_whole_worker(self, site: Site, schedule: Any) -> None:
        event = schedule({"ant": slow_bot(1.0), "bee": None})

        def kill(_: int) -> None:
            worker = site.children[-1].process
            assert worker is not None
            worker.kill()
            site.start("worker", "--concurrency", "1")

        assert play_until(site, event, kill) == ["void", "counted"]
