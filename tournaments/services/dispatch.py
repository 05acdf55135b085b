"""The dispatcher: puts ids of queued matches on Redis, one shallow queue a ruleset, and of submissions on another.

What comes next `queueing` decides. An id on a queue is a hint, not a right: workers claim in the database. So an id
may be lost (it is published again) or come twice (the second claim finds the match or submission taken).
"""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from celery import Task
from django.conf import settings
from django.db import transaction
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from engines.registry import RULESETS
from tournaments.celery import SUBMISSIONS_QUEUE, app, queue_of
from tournaments.lifecycle import MatchKind
from tournaments.models import Match, Submission
from tournaments.selectors import workers
from tournaments.services.qualification import checkable
from tournaments.services.queueing import Queue, kinds_waiting, mark_next
from tournaments.services.shares import window_for
from tournaments.site.outage import Outage
from tournaments.tasks import check_submission, play_match

_redis = Outage("Redis")


def publish_due(now: datetime) -> int:
    """Fill up every queue; returns how many ids were published, 0 while Redis is away."""
    kinds, submissions = kinds_waiting(_stale(now)), checkable(now).exists()
    if not kinds and not submissions:
        return 0
    published = 0
    windows = _windows(now)
    # A connection for each step: there is none to go stale, and one costs a millisecond.
    with app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=0)
            if submissions:
                room = settings.DISPATCH_WINDOW - _length(connection, SUBMISSIONS_QUEUE)
                published += _publish(connection, SUBMISSIONS_QUEUE, check_submission,
                                      _mark_submissions(room, now=now))
            for ruleset, some in kinds.items():
                queue = _look(connection, ruleset, some, windows.get(ruleset, settings.DISPATCH_WINDOW), now)
                published += _publish(connection, queue_of(ruleset), play_match, mark_next(queue, now=now))
        except (OperationalError, RedisError) as error:
            _redis.met(error, "matches and submissions wait in the database")
        else:
            _redis.over()
    return published


def _windows(now: datetime) -> dict[str, int]:
    """How many ids may wait for each ruleset; empty while no worker has declared what it plays."""
    places = workers.slots(now)
    return {ruleset: window_for(places.get(ruleset, 0)) for ruleset in RULESETS} if places else {}


def _look(connection: Connection, ruleset: str, kinds: set[MatchKind], window: int, now: datetime) -> Queue:
    """The ruleset's queue. Ids leave it in the order in which they came, so what came before its oldest has left."""
    length = _length(connection, queue_of(ruleset))
    lost_before = _stale(now)
    raw = connection.default_channel.client.lindex(queue_of(ruleset), -1) if length else None
    if raw is not None:
        message = connection.default_channel.Message(json.loads(raw), connection.default_channel)
        oldest = Match.objects.filter(pk=message.payload[0][0], published_at__lt=lost_before)
        lost_before = oldest.values_list("published_at", flat=True).first() or lost_before
    return Queue(ruleset, kinds, window, length, lost_before)


def _length(connection: Connection, queue: str) -> int:
    return int(connection.default_channel.client.llen(queue))


def _stale(now: datetime) -> datetime:
    return now - timedelta(seconds=settings.REPUBLISH_SECONDS)


def _publish(connection: Connection, queue: str, task: Task, ids: Iterable[int]) -> int:
    producer = app.amqp.Producer(connection)
    published = 0
    for pk in ids:
        task.apply_async((pk,), queue=queue, retry=False, producer=producer)
        published += 1
    return published


def _mark_submissions(room: int, *, now: datetime) -> list[int]:
    """Mark up to `room` submissions as published, those due longest first; returns the ids to publish after commit."""
    if room <= 0:
        return []
    with transaction.atomic():
        mine = list(checkable(now).order_by("due_at", "pk").select_for_update(skip_locked=True)
                    .values_list("pk", flat=True)[:room])
        Submission.objects.filter(pk__in=mine).update(published_at=now)
    return mine
