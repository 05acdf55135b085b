"""Small round-robins with real workers, sandboxes and a real broker, and recovery when parts are killed."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from engines.records.record import GameRecord, verify
from ratings.models import Rating
from tests.engines.referee.children import crowd
from tests.tournaments.site import PATIENCE_SECONDS, finished
from tournaments.coordinator.steps import start_due
from tournaments.models import Attempt, Game, Match, StarvedVoid, Version
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.services.events.events import cancel_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.rating import rebuild
from tournaments.services.matches.matches import reap
from tournaments.worker.worker import play as play_id
from tournaments.worker.worker import this_process

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]

# Completes the handshake and then thinks until it is stopped.
THINKER = """
import time
from engines.sdk import Bot, run

class Thinker(Bot):
    name = "thinker"

    def choose(self, position, clock):
        time.sleep(1000)

run(Thinker())
"""


LOOPER = """
from engines.sdk import Bot, run

class Looper(Bot):
    name = "looper"

    def choose(self, position, clock):
        while True:
            pass

run(Looper())
"""


def running_attempt(number: int = 1) -> Attempt | None:
    return Attempt.objects.filter(status=AttemptStatus.RUNNING, number=number).first()


def counted_attempts() -> list[int]:
    """Number of attempts that count, per match."""
    return [match.attempts.filter(status=AttemptStatus.COUNTED).count() for match in Match.objects.all()]


class TestService:
    def test_plays_and_rates_round_robins_in_two_rulesets(self, site, schedule):
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

        # A worker that is asked to stop finishes its match first.
        last = schedule({"gnu": slow_bot(1.0), "hen": None})
        site.wait_for(running_attempt)
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.wait(PATIENCE_SECONDS) == 0
        assert Match.objects.get(event=last).status == MatchStatus.FINISHED
        assert list(Attempt.objects.filter(match__event=last).values_list("number", flat=True)) == [1]


@pytest.mark.needs_servers
class TestLostWorkers:
    def test_have_their_match_replayed_and_one_attempt_counts(self, site, schedule):
        event = schedule({"ant": None, "bee": slow_bot(1.0)})
        site.start("coordinator")
        worker = site.start("worker", "--concurrency", "1")

        # Kill the child that plays; its parent starts another.
        site.wait_for(lambda: running_attempt(1))
        os.kill(process_of(running_attempt(1)), signal.SIGKILL)

        # Kill the parent; its child and the bots die with it. A bot that bubblewrap has not yet tied to itself, before
        # its program starts, survives until the next worker removes it.
        site.wait_for(lambda: running_attempt(2))
        child = process_of(running_attempt(2))
        site.wait_for(lambda: descendants(child))
        family = {child, *descendants(child)}
        os.kill(worker.pid, signal.SIGKILL)
        site.wait_for(lambda: not alive(child))

        site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: finished(event))
        site.wait_for(lambda: not any(alive(pid) for pid in family))
        assert list(Attempt.objects.order_by("number").values_list("status", flat=True)) == ["void", "void", "counted"]
        for lost in Attempt.objects.filter(status=AttemptStatus.VOID):
            assert lost.reason == f"the lease of {lost.worker} ran out"
        assert set(Game.objects.values_list("attempt__number", flat=True)) == {3}


@pytest.mark.needs_servers
class TestLostBroker:
    def test_loses_no_match_when_it_comes_back_empty(self, site, schedule, broker):
        event = schedule(dict.fromkeys(("ant", "bee", "cat", "dog", "eel")), cycles=2)
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
    """The worker's part of a match, in this process."""

    @pytest.fixture
    def play(self, transactional_db):
        """Return a function that starts the scheduled event and plays its only match."""

        def play() -> Match:
            start_due(timezone.now())
            play_id(Match.objects.get().pk)
            return Match.objects.get()

        return play

    def test_does_nothing_when_an_id_is_delivered_twice(self, play, schedule):
        schedule({"ant": None, "bee": None})
        assert play().status == MatchStatus.FINISHED
        play()
        assert counted_attempts() == [1]
        assert Game.objects.count() == 2

    def test_keeps_its_lease_during_a_long_turn(self, play, schedule, settings):
        settings.LEASE_SECONDS = 2
        schedule({"ant": slow_bot(3.0), "bee": None})
        with in_background(lambda: reap(timezone.now())):
            assert play().status == MatchStatus.FINISHED
        assert Attempt.objects.count() == 1

    def test_stops_when_the_event_is_cancelled_during_a_turn(self, play, schedule, settings):
        settings.LEASE_SECONDS = 1
        event = schedule({"ant": THINKER, "bee": THINKER}, base_seconds=3600)
        with in_background(lambda: running_attempt() and cancel_event(event=event, now=timezone.now())):
            assert play().status == MatchStatus.CANCELLED
        assert not Game.objects.exists()
        assert Attempt.objects.get().reason == "the event was cancelled"

    def test_voids_the_attempt_when_the_archive_is_damaged(self, play, schedule, archives):
        schedule({"ant": "print(1)  # not built on this machine yet", "bee": None})
        for file in archives.rglob("*"):
            if file.is_file():
                file.write_bytes(b"rot")
        assert play().status == MatchStatus.QUEUED
        assert "its storage is damaged" in Attempt.objects.get().reason

    def test_voids_the_attempt_when_the_archive_is_missing(self, play, schedule, archives):
        schedule({"ant": "print(2)  # not built on this machine yet", "bee": None})
        for file in archives.rglob("*"):
            if file.is_file():
                file.unlink()
        with pytest.raises(FileNotFoundError):
            play()
        assert Attempt.objects.get().reason.startswith("the worker failed: FileNotFoundError")

    def test_voids_the_attempt_when_a_bots_files_vanish_and_refetches_them(self, play, schedule, settings):
        settings.REPUBLISH_SECONDS = 0
        schedule({"ant": None, "bee": None})
        version = play().first
        (swept,) = this_process().sandbox.runtime.root.glob(f"builds/{version.artefact_sha256}-built/bot/main.py")
        swept.unlink()
        again = schedule({}, *Version.objects.all())
        start_due(timezone.now())
        match = Match.objects.get(event=again)
        play_id(match.pk)
        attempt = Attempt.objects.get(match=match)
        assert attempt.reason == (f"the sandbox failed: files of {version} are missing; "
                                  "did a cleaner of temporary files remove them?")
        play_id(match.pk)
        assert set(Game.objects.filter(match=match).values_list("ended_by", flat=True)) == {"rule"}

    def test_starts_both_games_with_the_opening_and_records_the_seed(self, play, schedule):
        schedule({"ant": None, "bee": None}, size=5)
        match = play()
        assert len(match.opening) == 1
        for game in Game.objects.all():
            record = GameRecord.from_dict(game.record)
            assert (list(record.opening), record.seed) == (match.opening, match.seed)
            assert all(turn.overhead > 0 for turn in record.turns)

    def test_uses_a_fixed_time_per_turn_and_pondering_if_the_ladder_does(self, play, schedule):
        event = schedule({"ant": None, "bee": None})
        event.ladder = create_ladder(ruleset="square-grid-hex", size=3, per_turn_seconds=30, pondering=True)
        event.save(update_fields=["ladder"])
        assert play().status == MatchStatus.FINISHED
        assert {game.record["time_control"] for game in Game.objects.all()} == {"30/turn"}

    def test_voids_the_attempt_when_the_host_was_starved(self, play, schedule):
        schedule({"ant": LOOPER, "bee": LOOPER}, base_seconds=0.5)
        with crowd(os.sched_getaffinity(0)):
            assert play().status == MatchStatus.QUEUED
        assert not Game.objects.exists()
        assert Attempt.objects.get().reason.startswith("the host was starved: ")
        assert StarvedVoid.objects.get().version in Version.objects.all()

    def test_counts_losses_on_time_of_a_bot_excused_too_often(self, play, schedule, settings):
        settings.STARVED_VOIDS_PER_DAY = 0
        schedule({"ant": LOOPER, "bee": LOOPER}, base_seconds=0.5)
        with crowd(os.sched_getaffinity(0)):
            assert play().status == MatchStatus.FINISHED
        assert {game.reason for game in Game.objects.all()} == {"time"}


@contextlib.contextmanager
def in_background(act: Callable[[], object]) -> Iterator[None]:
    """Repeat `act` in a thread during the test."""
    over = threading.Event()

    def run() -> None:
        while not over.wait(0.1):
            act()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def slow_bot(seconds: float) -> str:
    """A random player that takes the given seconds for the first turn of each game."""
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
    """Id of the process that plays the attempt."""
    return int(attempt.worker.rsplit(":", 1)[1])


def descendants(pid: int) -> list[int]:
    """Ids of all descendant processes except zombies."""
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
