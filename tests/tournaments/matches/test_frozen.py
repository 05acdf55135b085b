"""Frozen processes: they keep their locks, and nothing else waits for them for long (docs/decisions/0077)."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.databases import empty_database
from tests.factories import START, make_event, make_user, make_version, play_match, random_record
from tests.tournaments.matches.frozen import frozen
from tests.tournaments.site import Site
from tests.waiting import wait_for
from tournaments.coordinator import steps
from tournaments.models import Event, Failure, Match, Submission, Worker
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import MatchStatus
from tournaments.services.bots import check_notes, qualification
from tournaments.services.events import events
from tournaments.services.ladders.ladder_play import join
from tournaments.services.matches import matches, starvation, workers
from tournaments.services.matches.matches import MatchLease
from tournaments.services.matches.silence import end_leases_of_silent_workers, last_call
from tournaments.services.matches.workers import Declaration
from tournaments.services.shared import leases
from tournaments.services.shared.locks import unlocked
from tournaments.services.shared.wakeups import REAPING, Step

pytestmark = [pytest.mark.needs_servers, pytest.mark.serial, pytest.mark.django_db(transaction=True)]
MINUTE = timedelta(minutes=1)
LATER = START + 5 * MINUTE
# The sessions of frozen processes; PostgreSQL never ends them by itself.
FOR_EVER = "SET idle_in_transaction_session_timeout TO 0"
DECLARATION = Declaration("h:1", "h", FULL_TIER, ["squ"], 4, 2, "0.1.0")


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Let this process, which is the coordinator, wait for locks for a shorter time than usual."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout TO '50ms'")
    yield
    connection.close()


def two_events() -> list[Event]:
    """Return two events of a match each."""
    return [make_event([make_version("ant"), make_version("bee")], name=name, ruleset="squ", size=4)
            for name in ("First", "Second")]


def claimed(match: Match) -> MatchLease:
    lease = matches.claim(match_id=match.pk, worker="h:1:7", tier=FULL_TIER, now=START)
    assert lease is not None
    return lease


def records() -> list[Any]:
    return [random_record("squ", 4, ("ant", "bee"), seed) for seed in (1, 2)]


class TestAFrozenWorker:
    def test_keeps_its_own_match_only_and_that_not_for_long(self, redis_url: str) -> None:
        two_events()
        first, second = (claimed(match) for match in Match.objects.order_by("pk"))
        workers.beat(DECLARATION, load=None, at_work=True, now=START)
        end_leases_of_silent_workers(START + MINUTE)
        silent = START + MINUTE + last_call()
        # In the transaction that ends the first match, which has locked its row.
        with frozen(lambda: matches.finish(first, records(), START), 1,
                    settings="SET idle_in_transaction_session_timeout TO '1s'") as stopped:
            assert stopped
            done = steps.step(silent)
            assert (done["miss heartbeats"], done["reap matches"]) == (0, 1)
            assert Failure.objects.get().error == "StillLocked"
            assert Match.objects.get(pk=second.work.pk).status == MatchStatus.QUEUED
            assert Match.objects.get(pk=first.work.pk).status == MatchStatus.RUNNING
            # PostgreSQL ends the transaction, although the process is still frozen.
            again = silent + 2 * MINUTE
            wait_for(lambda: steps.step(again)["reap matches"] == 1, "the match is repeated")
        steps.step(again + MINUTE)
        assert not Failure.objects.exists()
        assert Worker.objects.get().beat_by is None


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.workers
def test_a_frozen_process_of_a_worker_is_replaced_and_a_frozen_main_process_is_killed(site: Site) -> None:
    site.environment["SQUAREFIELD_STUCK_SECONDS"] = "20"
    worker = site.start("worker", "--concurrency", "1")
    site.wait_for(lambda: "Started consuming" in worker.log_tail(50))

    def children() -> list[str]:
        return Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()

    [first] = children()
    os.kill(int(first), signal.SIGSTOP)
    site.wait_for(lambda: children() not in ([], [first]), "another process")
    os.kill(worker.pid, signal.SIGSTOP)
    site.wait_for(lambda: worker.process and worker.process.poll() == -signal.SIGKILL, "the end of the worker")


# --- every kind of process at each of its statements ------------------------------------------------------------------


def _worker_with(verb: Callable[[MatchLease], object]) -> Callable[[], object]:
    lease = claimed(Match.objects.order_by("pk")[0])
    return lambda: verb(lease)


def _submission() -> Submission:
    return Submission.objects.create(uploader=make_user("ann"), received_at=START, filename="a.zip", size=1000,
                                     sha256="0" * 64, name="cat", slug="cat", archive="bots/cat", due_at=START)


def _check_with(verb: Callable[[Any], object]) -> Callable[[], object]:
    lease = qualification.claim(submission_id=_submission().pk, worker="h:1:7", tier=FULL_TIER, now=START)
    return lambda: verb(lease)


def _coordinator(name: str) -> Callable[[], object]:
    """Return the step, as another coordinator makes it: of a match that is over, or whose worker is lost."""
    first = Match.objects.order_by("pk")[0]
    if name in (*REAPING, Step.MISS_HEARTBEATS):
        claimed(first)
        workers.beat(DECLARATION, load=None, at_work=True, now=START)
        end_leases_of_silent_workers(START + MINUTE)
    else:
        play_match(first)
    act = dict(steps.STEPS)[name]
    return lambda: act(LATER)


def _joins() -> Callable[[], object]:
    version, ladder = make_version("ant"), Event.objects.order_by("pk")[0].ladder
    return lambda: join(version=version, ladder=ladder, actor=version.bot.owner, now=START)


CASES: dict[str, Callable[[], Callable[[], object]]] = {
    "worker: declare": lambda: lambda: workers.declare(DECLARATION, now=START),
    "worker: beat": lambda: lambda: workers.beat(DECLARATION, load=None, at_work=True, now=START),
    "worker: stop": lambda: lambda: workers.stop("h:1", now=START),
    "worker: claim": lambda: lambda: claimed(Match.objects.order_by("pk")[0]),
    "worker: finish": lambda: _worker_with(lambda lease: matches.finish(lease, records(), START)),
    "worker: void": lambda: _worker_with(lambda lease: matches.void(lease, "a test", START)),
    "worker: starved": lambda: _worker_with(lambda lease: starvation.note(lease, lease.work.first, START)),
    "worker: renew": lambda: _worker_with(lambda lease: leases.renew(Match, {lease.work.pk: 1}, START)),
    "worker: run out": lambda: _worker_with(lambda lease: leases.run_out(Match, {lease.work.pk: 1}, START)),
    "check: claim": lambda: partial(
        qualification.claim, submission_id=_submission().pk, worker="h:1:7", tier=FULL_TIER, now=START),
    "check: void": lambda: _check_with(lambda lease: qualification.void(lease, "a test", START)),
    "check: note": lambda: _check_with(lambda lease: check_notes.note_game(lease.check, 1, records()[0])),
    **{f"coordinator: {name}": partial(_coordinator, name) for name, _ in steps.STEPS},
    "web: join": _joins,
    "web: cancel": lambda: lambda: events.cancel_event(event=Event.objects.order_by("pk")[0], now=START),
}


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", CASES)
def test_a_process_that_is_frozen_at_any_statement_keeps_no_other_work(case: str, redis_url: str) -> None:
    """The other event's match, whose worker is lost, is repeated; once the process is dead, nothing is left over."""
    statement, stopped = 0, True
    while stopped:
        statement += 1
        empty_database()
        _, other = two_events()
        act = CASES[case]()
        lost = claimed(Match.objects.get(event=other)).work
        with frozen(act, statement, settings=FOR_EVER) as stopped:
            if stopped:
                # The frozen process may be a coordinator that has just begun to repeat this match.
                free = unlocked(Match.objects.filter(pk=lost.pk)) and unlocked(Event.objects.filter(pk=other.pk))
                steps.step(LATER)
                lost.refresh_from_db()
                assert lost.status == MatchStatus.QUEUED or not free, f"{case}, statement {statement}"
        for minutes in (10, 20):
            steps.step(START + minutes * MINUTE)
        assert not Failure.objects.exists(), f"{case}, statement {statement}"
        lost.refresh_from_db()
        assert lost.status == MatchStatus.QUEUED
