"""Leases of a worker: its main process renews them, and they end if it, or a process that it forked, is silent."""

import socket
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DatabaseError

from tests.factories import START, make_event, make_version
from tournaments.models import Attempt, Match, Worker
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import MatchStatus
from tournaments.services.matches import matches, workers
from tournaments.services.matches.silence import end_leases_of_silent_workers, last_call
from tournaments.services.matches.workers import LATE, Declaration
from tournaments.worker.database import lease_keeper
from tournaments.worker.database.lease_keeper import ALIVE, DONE, LOST, LeaseKeeper
from tournaments.worker.database.lines import Line

SECOND = timedelta(seconds=1)


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

    @pytest.mark.database
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


@pytest.mark.django_db(transaction=True)
class TestLeaseKeeper:
    """The keeper of the lease on a running match, claimed at START, with a clock of its own."""

    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch: Any, settings: Any) -> Callable[[float], None]:
        """Return a function that moves the clock to this many seconds after START."""
        settings.LEASE_SECONDS = 90
        at = [0.0]
        monkeypatch.setattr(lease_keeper, "time", SimpleNamespace(monotonic=lambda: 1000 + at[0]))
        monkeypatch.setattr(lease_keeper, "shared_now", lambda: START + at[0] * SECOND)
        return lambda seconds: at.__setitem__(0, seconds)

    @pytest.fixture
    def match(self) -> Match:
        make_event([make_version("ant"), make_version("bee")])
        match = Match.objects.get()
        assert matches.claim(match_id=match.pk, worker="h:1:7", tier=FULL_TIER, now=START)
        return match

    @pytest.fixture
    def keeper(self, match: Match) -> LeaseKeeper:
        """A keeper on whose line a child has just announced the match."""
        keeper = LeaseKeeper()
        near, self.child = socket.socketpair()
        self.child.setblocking(False)
        self.line = Line(near, ["tournaments.Match", match.pk, 1])
        keeper.opened(self.line)
        return keeper

    def say(self, keeper: LeaseKeeper, sign: bytes) -> None:
        self.line.received += sign
        keeper.heard(self.line)

    def lease(self) -> float:
        """Return the end of the lease, in seconds after START."""
        return (Match.objects.get().lease_until - START).total_seconds()

    @pytest.mark.database
    def test_renews_it_every_third_of_its_time_while_the_child_gives_signs_of_life(self, keeper, clock):
        assert (keeper.at_work, keeper.pause()) == (True, 30)
        clock(30)
        self.say(keeper, ALIVE)
        assert keeper.pause() == 0
        keeper.act()
        assert (self.lease(), keeper.pause()) == (120, 30)

    def test_does_not_renew_it_while_the_child_is_frozen(self, keeper, clock):
        for seconds in (31, 62, 91):
            clock(seconds)
            keeper.act()
        assert self.lease() == 90
        assert matches.reap(START + 91 * SECOND) == 1

    @pytest.mark.database
    def test_ends_it_when_the_child_dies_and_not_when_its_work_is_done(self, keeper, clock):
        clock(5)
        self.say(keeper, DONE)
        keeper.ended(self.line)
        assert (keeper.at_work, keeper.pause()) == (False, None)
        keeper.opened(self.line)
        keeper.ended(self.line)
        assert keeper.pause() == 0
        keeper.act()
        assert matches.reap(START + 6 * SECOND) == 1
        assert Match.objects.get().status == MatchStatus.QUEUED
        assert keeper.pause() is None

    def test_tells_the_child_once_that_it_is_lost(self, keeper, clock):
        matches.reap(START + 91 * SECOND)
        clock(30)
        self.say(keeper, ALIVE)
        keeper.act()
        assert self.child.recv(10) == LOST
        assert not keeper.at_work

    def test_survives_an_unavailable_database(self, keeper, clock, monkeypatch, caplog):
        def refuse(*_: object) -> None:
            raise DatabaseError("no connection")

        clock(30)
        self.say(keeper, ALIVE)
        with monkeypatch.context() as away:
            away.setattr(lease_keeper, "renew", refuse)
            keeper.act()
        assert "the database is unavailable" in caplog.text
        assert (self.lease(), keeper.pause()) == (90, 30)
        clock(60)
        self.say(keeper, ALIVE)
        keeper.act()
        assert self.lease() == 150
