"""The coordinator's step and loop, with one and with several coordinators."""

import threading
from contextlib import contextmanager
from datetime import timedelta
from itertools import count

import pytest
from django.db import connection

from ratings.models import OfficialTable, RatedGame, Rating
from tests.factories import START, make_event, make_version, play_match
from tests.tournaments.ladders.official import STANDS
from tests.waiting import wait_for
from tournaments.coordinator import loop, steps
from tournaments.models import Attempt, Event, Failure, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.services.events import events
from tournaments.services.events.events import cancel_event
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.matches import claim, reap

MINUTE = timedelta(minutes=1)


def scheduled(*, size=3, **facts) -> Event:
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=size, started=False,
                      **facts)


def status(event) -> str:
    event.refresh_from_db()
    return event.status


@pytest.mark.django_db
class TestStep:
    @pytest.mark.slow
    def test_starts_an_event_at_its_time_and_finishes_it_after_its_last_match(self, redis_url):
        event, cancelled = scheduled(), scheduled(name="Another")
        cancel_event(event=cancelled, now=START)
        assert steps.step(START - timedelta(seconds=1))["start events"] == 0
        assert steps.step(START)["start events"] == 1
        assert steps.step(START)["start events"] == 0
        assert (status(event), event.started_at) == (EventStatus.RUNNING, START)
        play_match(Match.objects.get())
        after = steps.step(START + MINUTE)
        assert (after["rate ladders"], after["finish events"]) == (1, 1)
        assert (status(event), event.ended_at) == (EventStatus.FINISHED, START + MINUTE)

    def test_requeues_and_publishes_matches_of_lost_workers_in_one_step(self, redis_url):
        scheduled()
        assert steps.step(START)["publish"] == 1
        assert claim(match_id=Match.objects.get().pk, worker="w", tier="standard", now=START)
        after = steps.step(START + 5 * MINUTE)
        assert (after["reap matches"], after["publish"]) == (1, 1)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestSeveralCoordinators:
    def test_start_each_event_rate_each_round_and_finish_each_event_once(self):
        started = [scheduled(name=f"Event {number}") for number in range(4)]
        assert sum(at_once(4, lambda: steps.start_due(START))) == 4
        assert Match.objects.count() == 4
        assert all(event.rounds.count() == 1 for event in started)
        for match in Match.objects.order_by("pk"):
            play_match(match)
        assert sum(at_once(4, lambda: rate_due(START))) == 4
        assert sorted(set(RatedGame.objects.values_list("period", flat=True))) == [1, 2, 3, 4]
        assert RatedGame.objects.count() == 8
        assert compute_due(START) == 1
        # Each event has new versions of the two bots.
        assert list(Rating.objects.values_list("games", flat=True)) == [2, 2]
        assert sum(at_once(4, lambda: steps.finish_due(START))) == 4

    @pytest.mark.slow
    def test_count_and_compute_the_ratings_of_each_ladder_once(self):
        for size in (3, 4, 5):
            scheduled(size=size)
        steps.start_due(START)
        for match in Match.objects.all():
            play_match(match, most_plies=4)
        at_once(4, lambda: rate_due(START))
        assert sum(at_once(4, lambda: compute_due(START))) == 3
        assert set(OfficialTable.objects.values_list("revision", "games")) == {(1, 2)}
        for table in OfficialTable.objects.select_related("ladder"):
            assert rebuild_official(table.ladder, START, check_only=True) == STANDS

    def test_reap_each_lost_lease_once(self):
        for number in range(4):
            scheduled(name=f"Event {number}")
        steps.start_due(START)
        for match in Match.objects.all():
            assert claim(match_id=match.pk, worker="w", tier="standard", now=START)
        assert sum(at_once(4, lambda: reap(START + 5 * MINUTE))) == 4
        assert Attempt.objects.filter(status="void").count() == 4


@pytest.mark.database
@pytest.mark.broker
@pytest.mark.django_db(transaction=True)
def test_the_loop_starts_an_event_while_another_cannot_start_and_retries(redis_url, monkeypatch):
    bad, good, broken, minutes = scheduled(), scheduled(name="Another"), threading.Event(), count()
    broken.set()

    def start(*, event, now):
        if event == bad and broken.is_set():
            raise ZeroDivisionError("planted")
        return events.start_event(event=event, now=now)

    monkeypatch.setattr(steps, "start_event", start)
    # Time passes with every pass, so each retry is due in the next.
    with looping(lambda: START + MINUTE * next(minutes)):
        wait_for(lambda: status(good) == EventStatus.RUNNING, "the other event is running")
        wait_for(lambda: Failure.objects.filter(tries__gt=1).exists(), "the failed start is retried")
        assert status(bad) == EventStatus.SCHEDULED
        broken.clear()
        wait_for(lambda: status(bad) == EventStatus.RUNNING, "the event is running")
        wait_for(lambda: not Failure.objects.exists(), "the failure is forgotten")


@contextmanager
def looping(clock):
    """Run the coordinator's loop in a thread."""
    stop = threading.Event()
    thread = threading.Thread(target=in_thread(lambda: loop.run(stop, clock=clock)))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def at_once(number, call):
    """Run `call` in the given number of threads at once, each with its own connection, and return the results."""
    results, barrier = [], threading.Barrier(number)

    def run():
        barrier.wait()
        results.append(call())

    threads = [threading.Thread(target=in_thread(run)) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == number
    return results


def in_thread(call):
    def run():
        try:
            call()
        finally:
            connection.close()

    return run
