"""The dispatcher: puts ids of queued matches on Redis, one shallow queue a ruleset. It decides nothing else.

An id on a queue is a hint, not a right: workers claim in the database. So an id may be lost (it is published again)
or come twice (the second claim finds the match taken).
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import chain, islice, zip_longest

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from tournaments.celery import app, queue_of
from tournaments.lifecycle import EventStatus, MatchStatus
from tournaments.models import Event, Match
from tournaments.outage import Outage
from tournaments.tasks import play_match

_redis = Outage("Redis")


def publish_due(now: datetime) -> int:
    """Fill up the queue of every ruleset; returns how many ids were published, 0 while Redis is away."""
    if not _publishable(now).exists():
        return 0
    published = 0
    # A connection for each step: there is none to go stale, and one costs a millisecond.
    with app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=0)
            for ruleset, events in _running_events().items():
                published += _fill(connection, ruleset, events, now)
        except (OperationalError, RedisError) as error:
            _redis.met(error, "matches wait in the database")
        else:
            _redis.over()
    return published


def _fill(connection: Connection, ruleset: str, events: list[int], now: datetime) -> int:
    """Publish as many matches of these events as the ruleset's queue has room for."""
    queue = queue_of(ruleset)
    producer = app.amqp.Producer(connection)
    ids = _mark(events, settings.DISPATCH_WINDOW - int(producer.channel.client.llen(queue)), now)
    for match_id in ids:
        play_match.apply_async((match_id,), queue=queue, retry=False, producer=producer)
    return len(ids)


def _publishable(now: datetime) -> QuerySet[Match]:
    """Matches to play whose id is not on its way: never published, or so long ago that it may be lost."""
    stale = now - timedelta(seconds=settings.REPUBLISH_SECONDS)
    return Match.objects.filter(Q(published_at=None) | Q(published_at__lt=stale),
                                status=MatchStatus.QUEUED, held=False)


def _running_events() -> dict[str, list[int]]:
    """Ids of running events by ruleset, oldest start first."""
    by_ruleset: dict[str, list[int]] = defaultdict(list)
    running = Event.objects.filter(status=EventStatus.RUNNING).order_by("started_at", "pk")
    for event_id, ruleset in running.values_list("pk", "ladder__ruleset"):
        by_ruleset[ruleset].append(event_id)
    return by_ruleset


def _mark(events: list[int], room: int, now: datetime) -> list[int]:
    """Mark up to `room` matches as published, the events taking turns; returns the ids to publish after commit."""
    if room <= 0:
        return []
    ids = _interleaved([_publishable(now).filter(round__event=event).order_by("pk").values_list("pk", flat=True)[:room]
                        for event in events], room)
    with transaction.atomic():
        # Another coordinator may have marked some in the meantime; what it holds is skipped, not waited for.
        free = _publishable(now).filter(pk__in=ids).select_for_update(skip_locked=True)
        mine = set(free.values_list("pk", flat=True))
        Match.objects.filter(pk__in=mine).update(published_at=now)
    return [match_id for match_id in ids if match_id in mine]


def _interleaved(queues: list[Iterable[int]], count: int) -> list[int]:
    """The first of each queue, the second of each … up to `count`."""
    turns = chain.from_iterable(zip_longest(*queues))
    return list(islice((match_id for match_id in turns if match_id is not None), count))
