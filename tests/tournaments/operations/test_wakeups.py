"""Wake-ups: a verb starts the coordinator's work, through one coordinator, with Redis or without."""

import threading
from typing import Any

import pytest
import redis
from django.db import transaction

from tests.factories import START, make_event, make_version, play_match
from tests.tournaments.events.test_rounds import hold_event
from tests.tournaments.operations.test_coordinator import looping, status
from tests.waiting import wait_for
from tournaments.coordinator import loop, steps
from tournaments.coordinator.agenda import Agenda
from tournaments.models import Match
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.cache import redis_address
from tournaments.platform.messaging import wakeup_set
from tournaments.platform.messaging.wakeup_set import ALL, KEY, Receiver
from tournaments.services.shared import wakeups
from tournaments.services.shared.wakeups import Step, wake
from tournaments.setup.embedded import EmbeddedRedis

pytestmark = pytest.mark.broker
# Longer than a test may take: whoever waits for this has not been woken.
FOREVER = 1000.0


@pytest.fixture
def client(redis_url: str, monkeypatch: Any) -> Any:
    """A client of the Redis of these tests, where no wake-up is waiting, and which may answer late."""
    for name in ("_CONNECT_SECONDS", "_ANSWER_SECONDS", "_GRACE_SECONDS"):
        monkeypatch.setattr(wakeup_set, name, 60.0)
    wakeup_set._sender.cache_clear()
    return redis.Redis.from_url(redis_address(redis_url))


@pytest.fixture
def receiver(client: Any) -> Any:
    stop = threading.Event()
    with Receiver(stop) as made:
        yield made
        stop.set()


def waiting(client: Any) -> set[str]:
    """Return the names in the wake-ups that no coordinator has taken."""
    return {name for member in client.zrange(KEY, 0, -1) for name in member.decode().split(",")}


@pytest.mark.django_db(transaction=True)
class TestAVerb:
    def test_wakes_none_before_its_commit_and_none_after_a_rollback(self, client):
        with transaction.atomic():
            wake(Step.PUBLISH)
            assert waiting(client) == set()
        assert waiting(client) == {Step.PUBLISH}
        client.delete(KEY)
        with transaction.atomic():
            wake(Step.PUBLISH)
            transaction.set_rollback(True)
        assert waiting(client) == set()

    def test_that_ends_a_match_wakes_soon_what_may_follow_and_at_once_what_follows_the_last(self, client):
        make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, cycles=2)
        matches = list(Match.objects.all())
        client.delete(KEY)
        play_match(matches[0])
        assert waiting(client) == {"~rate ladders", "~publish"}
        client.delete(KEY)
        play_match(matches[1])
        assert waiting(client) == {"pair rounds", "rate ladders", "finish events", "publish"}
        arena = hold_event(4, "arena")
        client.delete(KEY)
        play_match(arena.matches.order_by("pk")[0])
        assert waiting(client) == {"~pair rounds", "~rate ladders", "~publish"}

    def test_succeeds_without_redis(self, settings):
        for address in ("memory://", "redis+socket:///nowhere/redis.sock", "redis://127.0.0.1:1/0"):
            settings.REDIS_URL = address
            wake(Step.PUBLISH)
            wake(Step.PUBLISH)


def sleepers_of(client):
    """Return how many coordinators wait for a wake-up."""
    return client.info("clients")["blocked_clients"]


class TestAWakeUp:
    def test_goes_to_one_of_several_coordinators(self, client):
        stop, found = threading.Event(), []
        receivers = [Receiver(stop) for _ in range(3)]
        sleepers = [threading.Thread(target=lambda one=one: found.append(one.wait(FOREVER))) for one in receivers]
        for sleeper in sleepers:
            sleeper.start()
        wait_for(lambda: sleepers_of(client) >= 3, "all three wait")
        wakeup_set.send([Step.PUBLISH, Step.PAIR_ROUNDS])
        wait_for(lambda: found, "one is woken")
        # Of the others, none has it: the end of the coordinators ends their wait.
        stop.set()
        for sleeper in sleepers:
            sleeper.join()
        assert sorted(found, key=len) == [set(), set(), {Step.PUBLISH, Step.PAIR_ROUNDS}]

    def test_that_comes_during_a_pass_is_not_lost(self, receiver):
        for names in ([Step.PUBLISH], [Step.PUBLISH], [Step.PAIR_ROUNDS, Step.RATE_LADDERS]):
            wakeup_set.send(names)
        assert receiver.wait(FOREVER) | receiver.rest() == {Step.PUBLISH, Step.PAIR_ROUNDS, Step.RATE_LADDERS}
        assert receiver.rest() == set()

    def test_may_be_anything(self, client, receiver):
        client.zadd(KEY, {b"\xff\x00": 1.0})
        assert receiver.wait(FOREVER)
        client.set(KEY, "of another type")
        wait_for(lambda: receiver.wait(0.01) == {ALL}, "the key is given up")
        wakeup_set.send([Step.PUBLISH])
        assert receiver.wait(FOREVER) == {Step.PUBLISH}


class TestWithoutRedis:
    def test_coordinators_look_at_everything_once_it_is_back(self, settings, tmp_path, monkeypatch, caplog):
        monkeypatch.setattr(wakeup_set, "_PAUSE_SECONDS", 0.0)
        with EmbeddedRedis(tmp_path) as server:
            settings.REDIS_URL = server.url
            stop = threading.Event()
            with Receiver(stop) as receiver:
                assert receiver.wait(0.01) == set()
                server.kill()
                assert receiver.wait(0.01) == receiver.wait(0.01) == set()
                server.start()
                assert receiver.wait(FOREVER) == {ALL}
                wakeup_set.send([Step.PUBLISH])
                assert receiver.wait(FOREVER) == {Step.PUBLISH}
                stop.set()
            assert [record.getMessage().split(",")[0] for record in caplog.records
                    if "Redis" in record.getMessage()] == ["Redis is unavailable", "Redis is available again"]
            # And so does one that slept, if a verb could not wake it.
            server.kill()
            wakeup_set.send([Step.PUBLISH])
            server.start()
            wakeup_set.send([Step.PUBLISH])
            wakeup_set.send([Step.PUBLISH])
            assert waiting(redis.Redis.from_url(redis_address(server.url))) == {ALL, Step.PUBLISH}


@pytest.mark.django_db(transaction=True)
def test_the_loop_plays_an_event_to_its_end_by_wake_ups_alone(client, monkeypatch):
    """Without a look from time to time, and with times in the database that never come."""
    monkeypatch.setattr(loop, "Agenda", lambda: Agenda(read=lambda now: {}))
    monkeypatch.setattr("tournaments.coordinator.agenda.POLL_SECONDS", FOREVER)
    with looping(lambda: START):
        wait_for(lambda: sleepers_of(client), "the coordinator sleeps")
        event = make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False)
        play_match(wait_for(Match.objects.filter(published_at__isnull=False).first, "the match is published"))
        wait_for(lambda: status(event) == EventStatus.FINISHED, "the event is finished")


@pytest.mark.django_db(transaction=True)
def test_a_pass_runs_steps_that_others_wake_or_leaves_them_to_the_next(monkeypatch):
    ran: list[str] = []

    def noted(name: str, *woken: Step) -> Any:
        def act(_: Any) -> int:
            ran.append(name)
            wake(*woken)
            return 0

        return act

    monkeypatch.setattr(steps, "STEPS", [
        (Step.PAIR_ROUNDS, noted("pair rounds", Step.PUBLISH)), (Step.RATE_LADDERS, noted("rate ladders")),
        (Step.PUBLISH, noted("publish", Step.PAIR_ROUNDS))])
    due: set[str] = {Step.PAIR_ROUNDS}
    with wakeups.collecting(due):
        steps.step(START, due)
    assert (ran, due) == (["pair rounds", "publish"], {Step.PAIR_ROUNDS})
