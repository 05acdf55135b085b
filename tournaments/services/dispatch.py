"""The dispatcher: puts ids of queued matches on Redis, one shallow queue a ruleset, and of submissions on another.

It decides nothing else. An id on a queue is a hint, not a right: workers claim in the database. So an id may be lost
(it is published again) or come twice (the second claim finds the match or submission taken).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice, zip_longest

from celery import Task
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from tournaments.celery import SUBMISSIONS_QUEUE, app, queue_of
from tournaments.lifecycle import EventStatus, MatchStatus
from tournaments.models import Event, Match, Submission
from tournaments.outage import Outage
from tournaments.services.qualification import checkable
from tournaments.tasks import check_submission, play_match

_redis = Outage("Redis")


def publish_due(now: datetime) -> int:
    """Fill up every queue; returns how many ids were published, 0 while Redis is away."""
    if not _publishable(now).exists() and not checkable(now).exists():
        return 0
    published = 0
    # A connection for each step: there is none to go stale, and one costs a millisecond.
    with app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=0)
            published += _fill(connection, SUBMISSIONS_QUEUE, check_submission, partial(_mark_submissions, now=now))
            for ruleset, events in _running_events().items():
                published += _fill(connection, queue_of(ruleset), play_match, partial(_mark, events, now=now))
        except (OperationalError, RedisError) as error:
            _redis.met(error, "matches and submissions wait in the database")
        else:
            _redis.over()
    return published


def _fill(connection: Connection, queue: str, task: Task, mark: Callable[[int], list[int]]) -> int:
    """Publish as many ids for this task as the queue has room for: those that `mark` marks."""
    producer = app.amqp.Producer(connection)
    ids = mark(settings.DISPATCH_WINDOW - int(producer.channel.client.llen(queue)))
    for pk in ids:
        task.apply_async((pk,), queue=queue, retry=False, producer=producer)
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


def _mark(events: list[int], room: int, *, now: datetime) -> list[int]:
    """Mark up to `room` matches as published, the events taking turns; returns the ids to publish after commit."""
    if room <= 0:
        return []
    ids = _interleaved([_publishable(now).filter(event=event).order_by("pk").values_list("pk", flat=True)[:room]
                        for event in events], room)
    with transaction.atomic():
        # Another coordinator may have marked some in the meantime; what it holds is skipped, not waited for.
        free = _publishable(now).filter(pk__in=ids).select_for_update(skip_locked=True)
        mine = set(free.values_list("pk", flat=True))
        Match.objects.filter(pk__in=mine).update(published_at=now)
    return [match_id for match_id in ids if match_id in mine]


def _mark_submissions(room: int, *, now: datetime) -> list[int]:
    """Mark up to `room` submissions as published, those due longest first; returns the ids to publish after commit."""
    if room <= 0:
        return []
    with transaction.atomic():
        mine = list(checkable(now).order_by("due_at", "pk").select_for_update(skip_locked=True)
                    .values_list("pk", flat=True)[:room])
        Submission.objects.filter(pk__in=mine).update(published_at=now)
    return mine


def _interleaved(queues: list[Iterable[int]], count: int) -> list[int]:
    """The first of each queue, the second of each … up to `count`."""
    turns = chain.from_iterable(zip_longest(*queues))
    return list(islice((match_id for match_id in turns if match_id is not None), count))
