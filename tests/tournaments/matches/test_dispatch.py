"""The dispatcher: short queues, fairness between events, and recovery when Redis loses data or is unavailable."""

from collections import Counter
from datetime import timedelta

import kombu
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_event, make_version
from tournaments.celery import app
from tournaments.models import Candidacy, Challenge, Event, Match, Version
from tournaments.models.lifecycle import MatchKind
from tournaments.platform.messaging.queues import queue_of
from tournaments.services.dispatch import publish_due
from tournaments.services.events.events import pause_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.matches.matches import MatchLease, claim, void
from tournaments.services.matches.queueing import Queue, mark_next
from tournaments.services.matches.shares import share_out, window_for
from tournaments.services.matches.workers import Declaration, declare
from tournaments.setup.embedded import EmbeddedRedis

pytestmark = pytest.mark.django_db
LATER = timedelta(seconds=9)


class Queues:
    """The queues of the rulesets in an empty Redis."""

    def __init__(self, connection: kombu.Connection) -> None:
        self.channel = connection.default_channel
        self.flush = self.channel.client.flushdb

    def __call__(self, ruleset: str) -> list[int]:
        """Return the ids on a queue, oldest first."""
        return [self._id(raw) for raw in reversed(self.channel.client.lrange(queue_of(ruleset), 0, -1))]

    def take(self, ruleset: str) -> int | None:
        """Take the oldest id off the queue, as a worker does."""
        raw = self.channel.client.rpop(queue_of(ruleset))
        return self._id(raw) if raw else None

    def _id(self, raw: bytes) -> int:
        return self.channel.Message(kombu.utils.json.loads(raw), self.channel).payload[0][0]


@pytest.fixture
def queue(redis_url):
    with kombu.Connection(redis_url) as connection:
        yield Queues(connection)


@pytest.fixture
def versions(db):
    return [make_version(f"bot {number}") for number in range(6)]


@pytest.fixture
def background(versions, now, staff):
    """Return a function that creates ladder, trial or challenge matches in the events' ruleset and returns the ids."""
    ladder = create_ladder(ruleset="scware", size=6, base_seconds=5.0, increment_seconds=0.1)

    def make(kind: MatchKind, count: int, waited: timedelta = timedelta(0)) -> list[int]:
        challenge = candidacy = None
        if kind == MatchKind.CHALLENGE:
            challenge = Challenge.objects.create(ladder=ladder, first=versions[0], second=versions[1],
                                                 created_by=staff, created_at=now)
        if kind == MatchKind.TRIAL:
            candidacy = Candidacy.objects.create(
                ladder=ladder, bot=versions[0].bot, candidate=versions[0], current=versions[1], elo0=0, elo1=30,
                alpha=0.05, beta=0.05, most_pairs=400, seed=1, started_at=now)
        matches = Match.objects.bulk_create(
            Match(kind=kind, ladder=ladder, challenge=challenge, candidacy=candidacy, rated=kind == MatchKind.LADDER,
                  created_at=now - waited, first=versions[0], second=versions[1], seed=seed, ruleset="scware",
                  number=seed + 1 if candidacy else None) for seed in range(count))
        return [match.pk for match in matches]

    return make


def ids_of(event) -> list[int]:
    return list(Match.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))


class TestPublishing:
    @pytest.mark.broker
    @pytest.mark.database
    def test_puts_ids_on_their_rulesets_queue_in_the_order_of_the_schedule(self, queue, versions, now):
        squ, scware = make_event(versions, ruleset="squ"), make_event(versions, ruleset="scware")
        assert publish_due(now) == 30
        assert (queue("squ"), queue("scware")) == (ids_of(squ), ids_of(scware))

    @pytest.mark.database
    def test_alternates_between_events_of_a_ruleset(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 6
        first, second = make_event(versions), make_event(versions)
        publish_due(now)
        assert queue("scware") == [
            match for pair in zip(ids_of(first)[:3], ids_of(second)[:3], strict=True) for match in pair]

    def test_keeps_the_queue_no_longer_than_the_window(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 4
        make_event(versions)
        assert [publish_due(now + LATER * step) for step in range(3)] == [4, 0, 0]
        make_event(versions, ruleset="squ")
        assert publish_due(now + LATER * 3) == 4, "another ruleset has a queue of its own"
        assert (len(queue("scware")), len(queue("squ"))) == (4, 4)

    def test_leaves_paused_events_alone(self, queue, versions, now):
        pause_event(event=make_event(versions), now=now)
        assert publish_due(now) == 0
        assert queue("scware") == []

    def test_repeats_an_unclaimed_id_after_a_while(self, queue, versions, now):
        make_event(versions)
        assert publish_due(now) == 15
        queue.flush()
        assert publish_due(now + timedelta(seconds=1)) == 0
        assert publish_due(now + LATER) == 15


class TestShares:
    """The pure function that decides which event is served next."""

    def test_go_to_the_event_with_the_fewest_matches_in_progress(self):
        assert share_out({"old": [1, 2, 3, 4], "new": [11, 12, 13, 14]}, {"old": 2}, 5) == [11, 12, 1, 13, 2]

    def test_alternate_between_equals_in_the_given_order(self):
        assert share_out({"a": [1, 2], "b": [11, 12], "c": [21]}, {}, 9) == [1, 11, 21, 2, 12]

    def test_are_empty_without_room(self):
        assert [share_out({"a": [1]}, {}, room) for room in (0, -3)] == [[], []]

    def test_have_a_window_that_grows_with_the_workers(self):
        assert [window_for(slots) for slots in (0, 2, 10, 200)] == [16, 16, 20, 400]


class TestFairness:
    """The real dispatcher with a worker that takes the oldest id and claims its match."""

    @pytest.fixture
    def drained(self, queue, now):
        """Return a function that alternates publishing and claiming and returns the events of the first claims."""

        def drain(claims: int, *, keep: int) -> list[int]:
            taken: list[int] = []
            running: list[MatchLease] = []
            for second in range(10 * claims):
                at = now + timedelta(seconds=second)
                publish_due(at)
                match_id = queue.take("scware")
                lease = match_id and claim(match_id=match_id, worker="w", tier="standard", now=at)
                if lease:
                    running.append(lease)
                    taken.append(lease.work.event_id)
                if len(running) > keep:
                    void(running.pop(0), "played enough for this test", at)
                if len(taken) == claims:
                    return taken
            raise AssertionError(taken)

        return drain

    @pytest.mark.parametrize(("bots", "cycles"), [((6, 6), (1, 4)), ((6, 3), (1, 9))])
    def test_gives_two_events_half_of_the_workers_each_regardless_of_size(self, drained, versions, settings, bots,
                                                                            cycles):
        settings.DISPATCH_WINDOW, settings.MAX_ATTEMPTS = 6, 1000
        first, second = (make_event(versions[:count], name=str(count), cycles=times)
                         for count, times in zip(bots, cycles, strict=True))
        counts = Counter(drained(12, keep=3))
        assert abs(counts[first.pk] - counts[second.pk]) <= 2

    def test_gives_a_later_event_its_half_at_once(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 8
        make_event(versions)
        publish_due(now)
        for _ in range(8):
            assert claim(match_id=queue.take("scware"), worker="w", tier="standard", now=now)
        late = make_event(versions, name="late")
        publish_due(now)
        assert queue("scware") == ids_of(late)[:8]

    def test_does_not_republish_an_id_that_is_still_queued(self, queue, versions, now, settings):
        settings.DISPATCH_WINDOW = 4
        event = make_event(versions)
        publish_due(now)
        assert claim(match_id=queue.take("scware"), worker="w", tier="standard", now=now)
        publish_due(now + 9 * LATER)
        assert queue("scware") == ids_of(event)[1:5]


class TestOrder:
    @pytest.mark.database
    def test_serves_events_then_ladders_then_trials_then_challenges(self, queue, versions, now, settings, background):
        settings.DISPATCH_WINDOW = 64
        challenges, trials = background(MatchKind.CHALLENGE, 3), background(MatchKind.TRIAL, 3)
        ladder = background(MatchKind.LADDER, 3)
        event = make_event(versions)
        publish_due(now)
        assert queue("scware") == [*ids_of(event), *ladder, *trials, *challenges]

    def test_leaves_half_of_the_queue_free_for_an_event_that_starts(self, queue, versions, now, settings, background):
        settings.DISPATCH_WINDOW = 8
        ladder = background(MatchKind.LADDER, 20)
        publish_due(now)
        assert queue("scware") == ladder[:4]
        event = make_event(versions)
        publish_due(now)
        assert queue("scware") == [*ladder[:4], *ids_of(event)[:4]]

    @pytest.mark.parametrize("kind", [MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE])
    def test_lets_no_match_wait_forever(self, queue, versions, now, settings, background, kind):
        settings.DISPATCH_WINDOW = 32
        old = background(kind, 9, waited=timedelta(minutes=6))
        event = make_event(versions, cycles=4)
        publish_due(now)
        assert queue("scware") == [*old[:2], *ids_of(event)[:30]]
        for _ in range(16):
            assert claim(match_id=queue.take("scware"), worker="w", tier="standard", now=now)
        publish_due(now)
        assert not set(queue("scware")) & set(old), "two are in progress: one in sixteen"

    def test_adapts_to_the_declared_workers(self, queue, versions, now):
        make_event(versions, cycles=2)
        declare(Declaration("h:1", "h", "standard", ["scware"], 8, 12, "1"), now=now)
        assert publish_due(now) == 24


class TestTiers:
    """Which IDs are published while some or all workers are of the reduced tier."""

    @pytest.fixture
    def reduced(self, versions, now):
        """Start a worker of the reduced tier, next to an event of which some bots are not the staff's."""
        Version.objects.filter(pk__in=[version.pk for version in versions[:3]]).update(trusted=False)
        declare(Declaration("h:1", "h", "reduced", ["squ"], 8, 16, "1"), now=now)
        return make_event(versions, ruleset="squ")

    def test_leave_work_unpublished_that_no_worker_may_take(self, queue, reduced, now):
        publish_due(now)
        trusted = Match.objects.filter(Match.TRUSTED, event=reduced)
        assert set(queue("squ")) == set(trusted.values_list("pk", flat=True))
        assert trusted.count() == 3
        while queue.take("squ"):
            pass
        assert publish_due(now + LATER) == 3

    def test_publish_it_when_a_fitting_worker_arrives(self, queue, reduced, now):
        publish_due(now)
        declare(Declaration("h:2", "h", "standard", ["squ"], 1, 1, "1"), now=now)
        publish_due(now)
        assert set(queue("squ")) == set(ids_of(reduced))

    def test_count_only_the_slots_that_may_play_all_that_waits(self, queue, reduced, versions, now):
        declare(Declaration("h:2", "h", "standard", ["squ"], 1, 1, "1"), now=now)
        for number in range(3):
            make_event(versions, name=str(number), ruleset="squ")
        publish_due(now)
        assert len(queue("squ")) == window_for(1)
        Match.objects.filter(~Match.TRUSTED).update(status="cancelled", ended_at=now)
        Version.objects.update(trusted=True)
        make_event(versions, name="staff", ruleset="squ")
        while queue.take("squ"):
            pass
        publish_due(now + LATER)
        assert len(queue("squ")) == Match.objects.filter(status="queued").count() > window_for(1)


class TestQueries:
    def test_are_as_few_for_many_events_as_for_one(self, queue, versions, now):
        counts = []
        for events in (1, 3, 9):
            while Event.objects.count() < events:
                make_event(versions[:2], name=f"Event {Event.objects.count()}", ruleset="squ", size=4)
            Match.objects.update(published_at=None)
            some = Queue("squ", {MatchKind.EVENT}, 200, 0, now)
            with CaptureQueriesContext(connection) as queries:
                assert len(mark_next(some, now=now)) == events
            counts.append(len(queries))
        assert len(set(counts)) == 1


@pytest.mark.serial
class TestUnavailableRedis:
    def test_is_survived_and_the_queue_is_restored(self, versions, now, monkeypatch, caplog):
        make_event(versions)
        with EmbeddedRedis() as redis:
            monkeypatch.setattr(app.conf, "broker_write_url", redis.url)
            assert publish_due(now) == 15
            redis.kill()
            assert [publish_due(now + LATER * step) for step in (1, 2)] == [0, 0]
            assert len([record for record in caplog.records if "Redis is unavailable" in record.message]) == 1
            redis.start()
            assert publish_due(now + LATER * 3) == 0, "it has stored the ids"
            redis.kill()
            for file in redis.directory.glob("appendonlydir/*"):
                file.unlink()
            redis.start()
            assert publish_due(now + LATER * 4) == 15
