"""The dispatcher: shallow queues, fair among events, and no harm when Redis forgets or is away."""

from datetime import timedelta

import kombu
import pytest

from tests.factories import make_event, make_version
from tournaments.celery import app, queue_of
from tournaments.embedded import EmbeddedRedis
from tournaments.models import Match
from tournaments.services.dispatch import publish_due
from tournaments.services.events import pause_event

pytestmark = [pytest.mark.django_db, pytest.mark.serial]
LATER = timedelta(seconds=9)


@pytest.fixture
def queue(redis_url):
    """Read the ids on a ruleset's queue, oldest first; the Redis is empty before and after."""
    connection = kombu.Connection(redis_url)
    client = connection.default_channel.client
    client.flushdb()

    def ids(ruleset: str) -> list[int]:
        channel = connection.default_channel
        messages = [channel.Message(app_payload(raw), channel) for raw in client.lrange(queue_of(ruleset), 0, -1)]
        return [message.payload[0][0] for message in reversed(messages)]

    def app_payload(raw):
        return kombu.utils.json.loads(raw)

    ids.flush = client.flushdb
    yield ids
    client.flushdb()
    connection.release()


@pytest.fixture
def versions(db):
    return [make_version(f"bot {number}") for number in range(6)]


def ids_of(event) -> list[int]:
    return list(Match.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))


class TestPublishing:
    def test_puts_ids_on_their_rulesets_queue_in_the_order_of_the_schedule(self, queue, versions, now):
        squ, scware = make_event(versions, ruleset="squ"), make_event(versions, ruleset="scware")
        assert publish_due(now) == 30
        assert (queue("squ"), queue("scware")) == (ids_of(squ), ids_of(scware))

    def test_lets_events_on_one_ruleset_take_turns(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 6
        first, second = make_event(versions), make_event(versions)
        publish_due(now)
        assert queue("scware") == [
            match for pair in zip(ids_of(first)[:3], ids_of(second)[:3], strict=True) for match in pair]

    def test_keeps_the_queue_as_shallow_as_the_window(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 4
        make_event(versions)
        assert [publish_due(now + LATER * step) for step in range(3)] == [4, 0, 0]
        assert len(queue("scware")) == 4

    def test_lets_one_rulesets_queue_be_full_without_stopping_another(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 4
        make_event(versions, ruleset="scware")
        publish_due(now)
        make_event(versions, ruleset="squ")
        assert publish_due(now) == 4
        assert len(queue("squ")) == 4

    def test_leaves_paused_events_alone(self, queue, versions, now):
        pause_event(event=make_event(versions), now=now)
        assert publish_due(now) == 0
        assert queue("scware") == []

    def test_repeats_an_id_that_nobody_claimed_but_not_at_once(self, queue, versions, now):
        make_event(versions)
        assert publish_due(now) == 15
        queue.flush()
        assert publish_due(now + timedelta(seconds=1)) == 0
        assert publish_due(now + LATER) == 15


class TestRedisAway:
    def test_is_survived_and_made_up_for(self, versions, now, monkeypatch, caplog):
        make_event(versions)
        with EmbeddedRedis() as redis:
            monkeypatch.setattr(app.conf, "broker_write_url", redis.url)
            assert publish_due(now) == 15
            redis.kill()
            assert [publish_due(now + LATER * step) for step in (1, 2)] == [0, 0]
            assert len([record for record in caplog.records if "Redis is away" in record.message]) == 1
            redis.start()
            assert publish_due(now + LATER * 3) == 15
