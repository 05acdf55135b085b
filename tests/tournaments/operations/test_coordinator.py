"""The coordinator's step, with one and with several coordinators."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from tests.factories import START, make_event, make_version, play_match
from tournaments.coordinator import loop, steps
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.services.events.events import cancel_event, pause_event

pytestmark = pytest.mark.serial


def scheduled(**facts) -> Event:
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False,
                      **facts)


def status(event) -> str:
    event.refresh_from_db()
    return event.status


@pytest.mark.django_db
class TestStep:
    def test_starts_an_event_at_its_time_and_not_before(self, redis_url):
        event = scheduled()
        assert steps.step(START - timedelta(seconds=1))["start events"] == 0
        assert steps.step(START)["start events"] == 1
        assert steps.step(START)["start events"] == 0
        assert (status(event), event.started_at) == (EventStatus.RUNNING, START)

    def test_leaves_cancelled_events_alone(self, redis_url):
        event = scheduled()
        cancel_event(event=event, now=START)
        assert steps.step(START)["start events"] == 0

    def test_finishes_an_event_in_the_step_after_its_last_match(self, redis_url):
        event = scheduled()
        steps.step(START)
        play_match(Match.objects.get())
        after = steps.step(START + timedelta(minutes=1))
        assert (after["rate ladders"], after["finish events"]) == (1, 1)
        assert (status(event), event.ended_at) == (EventStatus.FINISHED, START + timedelta(minutes=1))

    def test_requeues_and_publishes_matches_of_lost_workers_in_one_step(self, redis_url):
        from tournaments.services.matches.matches import claim

        scheduled()
        assert steps.step(START)["publish"] == 1
        assert claim(match_id=Match.objects.get().pk, worker="w", tier="standard", now=START)
        after = steps.step(START + timedelta(minutes=5))
        assert (after["reap matches"], after["publish"]) == (1, 1)

    def test_does_not_finish_a_paused_event(self, redis_url):
        event = scheduled()
        steps.step(START)
        play_match(Match.objects.get())
        pause_event(event=event, now=START)
        after = steps.step(START)
        assert (after["rate ladders"], after["finish events"]) == (1, 0)


@pytest.mark.django_db(transaction=True)
class TestSeveralCoordinators:
    def test_start_each_event_once(self):
        events = [scheduled(name=f"Event {number}") for number in range(8)]
        started = at_once(4, lambda: steps.start_due(START))
        assert sum(started) == 8
        assert Match.objects.count() == 8
        assert all(event.rounds.count() == 1 for event in events)

    def test_rate_each_round_once_and_finish_each_event_once(self):
        from ratings.models import Period, Rating
        from tournaments.services.ladders.rating import rate_due

        events = [scheduled(name=f"Event {number}") for number in range(4)]
        steps.start_due(START)
        for match in Match.objects.order_by("pk"):
            play_match(match)
        assert sum(at_once(4, lambda: rate_due(START))) == 4
        assert sorted(Period.objects.values_list("number", flat=True)) == [1, 2, 3, 4]
        assert set(Rating.objects.values_list("games", flat=True)) == {8}
        assert sum(at_once(4, lambda: steps.finish_due(START))) == len(events)

    def test_reap_each_lost_lease_once(self):
        from tournaments.models import Attempt
        from tournaments.services.matches.matches import claim, reap

        for number in range(4):
            scheduled(name=f"Event {number}")
        steps.start_due(START)
        for match in Match.objects.all():
            assert claim(match_id=match.pk, worker="w", tier="standard", now=START)
        assert sum(at_once(4, lambda: reap(START + timedelta(minutes=5)))) == 4
        assert Attempt.objects.filter(status="void").count() == 4


@pytest.mark.django_db(transaction=True)
class TestLoop:
    def test_runs_until_it_is_stopped(self, redis_url):
        event = scheduled()
        stop = threading.Event()
        thread = threading.Thread(target=in_thread(lambda: loop.run(stop, clock=lambda: START)))
        thread.start()
        waiting = threading.Event()
        while status(event) == EventStatus.SCHEDULED:
            waiting.wait(0.05)
        stop.set()
        thread.join()


def at_once(count, call):
    """Run `call` in the given number of threads at once, each with its own connection, and return the results."""
    results, barrier = [], threading.Barrier(count)

    def run():
        barrier.wait()
        results.append(call())

    threads = [threading.Thread(target=in_thread(run)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count
    return results


def in_thread(call):
    def run():
        try:
            call()
        finally:
            connection.close()

    return run
