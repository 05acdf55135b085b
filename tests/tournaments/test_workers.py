"""Real worker processes, real sandboxes, a real broker: small round-robins, and what happens when parts are killed."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from engines.record import GameRecord, verify
from ratings.models import Rating
from tournaments.bootstrap.children import Child, tied_to_parent
from tournaments.embedded import EmbeddedRedis
from tournaments.lifecycle import AttemptStatus, EventStatus, MatchStatus
from tournaments.models import Attempt, Event, Game, Match
from tournaments.services.events import cancel_event, create_event
from tournaments.services.ladders import create_ladder
from tournaments.services.rating import rebuild

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60
# Answers the handshake and then thinks for as long as it is let.
THINKER = """
import time
from engines.sdk import Bot, run

class Thinker(Bot):
    name = "thinker"

    def choose(self, position, clock):
        time.sleep(1000)

run(Thinker())
"""


class Site:
    """The service's processes for one test, on the test's own database and broker."""

    def __init__(self, environment: dict[str, str], logs: Path) -> None:
        self.environment = environment
        self.logs = logs
        self.children: list[Child] = []

    def start(self, command: str, *arguments: str) -> Child:
        log = self.logs / f"{command}-{len(self.children)}.log"
        child = Child(tied_to_parent([sys.executable, "manage.py", command, *arguments]), log, env=self.environment,
                      cwd=ROOT)
        child.start()
        self.children.append(child)
        return child

    def stop(self) -> None:
        for child in self.children:
            child.stop()

    def wait_for(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, "\n".join(f"{c.log.name}:\n{c.log_tail(30)}" for c in self.children)
            time.sleep(0.05)


@pytest.fixture
def broker(tmp_path):
    """A broker that the test may kill."""
    with EmbeddedRedis() as redis:
        yield redis


@pytest.fixture
def site(site_environment, broker, archives, tmp_path):
    environment = {**site_environment, "REDIS_URL": broker.url, "SQUAREFIELD_ARCHIVES": str(archives),
                   "SQUAREFIELD_LEASE_SECONDS": "3", "SQUAREFIELD_REPUBLISH_SECONDS": "2"}
    site = Site(environment, tmp_path)
    yield site
    site.stop()


@pytest.fixture
def schedule(enter, staff):
    """An event that starts now, of bots by name (with their code, where it is not a random player's)."""

    def schedule(bots: dict[str, str | None], *, ruleset: str = "square-grid-hex", size: int = 3, cycles: int = 1,
                 base_seconds: float = 60.0) -> Event:
        ladder = create_ladder(ruleset=ruleset, size=size, base_seconds=base_seconds)
        now = timezone.now()
        return create_event(name=f"{ruleset} {size}", ladder=ladder, versions=[enter(name, staff, code)
                            for name, code in bots.items()], cycles=cycles, starts_at=now, created_by=staff, now=now,
                            seed=3)

    return schedule


def finished(*events: Event) -> bool:
    return not Event.objects.filter(pk__in=[event.pk for event in events]).exclude(status=EventStatus.FINISHED).exists()


def running_attempt() -> Attempt | None:
    return Attempt.objects.filter(status=AttemptStatus.RUNNING).first()


def counted_attempts() -> list[int]:
    """How many attempts count, of each match."""
    return [match.attempts.filter(status=AttemptStatus.COUNTED).count() for match in Match.objects.all()]


class TestService:
    def test_plays_round_robins_in_two_rulesets_to_the_ratings(self, site, schedule):
        events = [schedule({"ant": None, "bee": None, "cat": None}, ruleset="squ", size=4),
                  schedule({"dog": None, "eel": None, "fox": None})]
        for _ in range(2):
            site.start("coordinator")
        worker = site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: finished(*events))
        assert Game.objects.count() == 12
        for game in Game.objects.all():
            record = GameRecord.from_dict(game.record)
            verify(record)
            assert (game.ended_by, record.tier) == ("rule", game.attempt.tier)
            assert [seat.name for seat in record.seats] == [str(game.seat0), str(game.seat1)]
        assert counted_attempts() == [1] * 6
        assert not Attempt.objects.filter(status=AttemptStatus.VOID).exists()
        assert Rating.objects.count() == 6
        assert all(rebuild(event.ladder, check_only=True) for event in events)
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.wait(20) == 0

    def test_counts_a_build_that_fails_as_the_bots_crash(self, site, enter, staff, schedule):
        from tests.tournaments.conftest import make_archive
        from tournaments.services.submissions import accept_upload

        now = timezone.now()
        broken = accept_upload(archive=make_archive("gnu", build='["false"]'), filename="gnu.zip", uploader=staff, now=now)
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)
        event = create_event(name="Builds", ladder=ladder, versions=[broken, enter("ant", staff)], cycles=1,
                             starts_at=now, created_by=staff, now=now, seed=1)
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: finished(event))
        for game in Game.objects.all():
            assert (game.ended_by, game.reason) == ("conduct", "crash")
            assert [game.seat0, game.seat1][game.winner] != broken
            verify(GameRecord.from_dict(game.record))


class TestLostWorker:
    def test_has_its_match_played_again_and_one_attempt_counts(self, site, schedule):
        # Ant thinks for ten seconds on its first turn ever, then plays: long enough to be killed in the middle.
        event = schedule({"ant": None, "bee": slow_bot(1.0)})
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        site.wait_for(running_attempt)
        os.kill(process_of(running_attempt()), signal.SIGKILL)
        site.wait_for(lambda: finished(event))
        assert counted_attempts() == [1]
        lost, counted = Attempt.objects.order_by("number")
        assert (lost.status, counted.status) == (AttemptStatus.VOID, AttemptStatus.COUNTED)
        assert lost.reason == f"the lease of {lost.worker} ran out"
        assert set(Game.objects.values_list("attempt", flat=True)) == {counted.pk}

    def test_takes_its_children_and_their_bots_with_it(self, site, schedule):
        schedule({"ant": THINKER, "bee": THINKER})
        site.start("coordinator")
        worker = site.start("worker", "--concurrency", "1")
        site.wait_for(running_attempt)
        child = process_of(running_attempt())
        site.wait_for(lambda: descendants(child))
        family = {child, *descendants(child)}
        os.kill(worker.pid, signal.SIGKILL)
        site.wait_for(lambda: not any(alive(pid) for pid in family))

    def test_keeps_its_lease_while_a_bot_thinks_for_longer(self, site, schedule):
        event = schedule({"ant": slow_bot(5.0), "bee": None})
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: finished(event))
        assert Attempt.objects.count() == 1


class TestCancelledEvent:
    def test_ends_the_match_under_way_though_a_bot_is_thinking(self, site, schedule):
        event = schedule({"ant": THINKER, "bee": THINKER}, base_seconds=3600)
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        site.wait_for(running_attempt)
        child = process_of(running_attempt())
        site.wait_for(lambda: descendants(child))
        cancel_event(event=event, now=timezone.now())
        site.wait_for(lambda: not descendants(child))
        assert alive(child)
        assert [match.status for match in Match.objects.all()] == [MatchStatus.CANCELLED]
        assert not Game.objects.exists()


class TestLostBroker:
    def test_costs_nothing_when_it_comes_back_empty(self, site, schedule, broker):
        event = schedule({name: None for name in ("ant", "bee", "cat", "dog", "eel")}, cycles=2)
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: Game.objects.count() >= 4)
        broker.kill()
        for file in broker.directory.glob("appendonlydir/*"):
            file.unlink()
        time.sleep(1)
        assert not finished(event)
        broker.start()
        site.wait_for(lambda: finished(event))
        assert counted_attempts() == [1] * 20


class TestPlay:
    def test_finds_nothing_to_do_when_an_id_is_delivered_twice(self, transactional_db, schedule):
        from tournaments import worker
        from tournaments.coordinator import start_due

        schedule({"ant": None, "bee": None})
        start_due(timezone.now())
        match = Match.objects.get()
        worker.play(match.pk)
        worker.play(match.pk)
        assert counted_attempts() == [1]
        assert Game.objects.count() == 2

    def test_voids_the_attempt_when_the_archive_is_damaged(self, transactional_db, schedule, archives):
        from tournaments import worker
        from tournaments.coordinator import start_due

        schedule({"ant": "print(1)  # never staged before", "bee": None})
        start_due(timezone.now())
        for file in archives.rglob("*"):
            if file.is_file():
                file.write_bytes(b"rot")
        worker.play(Match.objects.get().pk)
        assert Match.objects.get().status == MatchStatus.QUEUED
        assert "its storage is damaged" in Attempt.objects.get().reason


def slow_bot(seconds: float) -> str:
    """A random player that needs so long for its first turn of a game."""
    return f"""
import time
from random import Random
from engines.sdk import Bot, run

class Slow(Bot):
    name = "slow"
    rng = Random(1)
    waited = False

    def choose(self, position, clock):
        if not self.waited:
            time.sleep({seconds})
            self.waited = True
        return position.random_turn(self.rng)

run(Slow())
"""


def process_of(attempt: Attempt) -> int:
    """The process that plays the attempt."""
    return int(attempt.worker.rsplit(":", 1)[1])


def descendants(pid: int) -> list[int]:
    """Every process below this one that is not a zombie."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in path.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)] if alive(child) else descendants(child)
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
