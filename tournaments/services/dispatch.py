"""The dispatcher: puts ids on Redis. Of matches, one shallow queue a ruleset; of submissions and questions, one each.

What comes next `queueing` decides. An id on a queue is a hint, not a right: workers claim in the database. So an id
may be lost (it is published again) or come twice (the second claim finds what it names taken).
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final

from celery import Task
from django.conf import settings
from django.db import transaction
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from engines.rules.registry import RULESETS
from tournaments.celery import QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, app, queue_of
from tournaments.models import Match, Question, Submission
from tournaments.models.lifecycle import MatchKind
from tournaments.operations import workers
from tournaments.platform.outage import Outage
from tournaments.platform.queue_messages import oldest
from tournaments.services.bots.qualification import checkable
from tournaments.services.casual.answers import askable
from tournaments.services.matches.publishing import lost_before
from tournaments.services.matches.queueing import Queue, kinds_waiting, mark_next
from tournaments.services.matches.shares import window_for
from tournaments.services.shared.failures import Tries
from tournaments.tasks import answer_question, check_submission, play_match

# A Redis that hangs must not keep the coordinator from reaping and rating.
_COORDINATOR: Final = {"socket_connect_timeout": 2, "socket_timeout": 5}
# Who has asked waits at a page: the door gives up sooner than the coordinator.
_DOOR: Final = {"socket_connect_timeout": 0.3, "socket_timeout": 0.5}

_redis = Outage("Redis")


def publish_due(now: datetime) -> int:
    """Fill up every queue; returns how many ids were published, 0 while Redis is away."""
    lost = lost_before(now)
    kinds, submissions, questions = kinds_waiting(lost), checkable(now).exists(), askable(lost).exists()
    if not kinds and not submissions and not questions:
        return 0
    published = 0
    windows = _windows(now)
    # A connection for each step: there is none to go stale, and one costs a millisecond.
    with app.connection_for_write(transport_options=_COORDINATOR) as connection:
        try:
            connection.ensure_connection(max_retries=0)
            # One queue that fails leaves the others alone; Redis being away is no queue's fault.
            tries = Tries("publish", now, outages=(OperationalError, RedisError))
            if questions:
                published += tries.attempt(QUESTIONS_QUEUE, partial(_publish_questions, connection, now))
            if submissions:
                published += tries.attempt(SUBMISSIONS_QUEUE, partial(_publish_submissions, connection, now))
            for ruleset, some in kinds.items():
                window = windows.get(ruleset, settings.DISPATCH_WINDOW)
                published += tries.attempt(ruleset, partial(_publish_matches, connection, ruleset, some, window, now))
        except (OperationalError, RedisError) as error:
            _redis.met(error, "matches, submissions and questions wait in the database")
        else:
            _redis.over()
    return published


def publish_question(question_id: int, now: datetime) -> None:
    """Put a new question's id on the queue at once; while Redis is away the coordinator does it later."""
    with app.connection_for_write(transport_options=_DOOR) as connection:
        try:
            connection.ensure_connection(max_retries=0)
            _publish(connection, QUESTIONS_QUEUE, answer_question, [question_id])
        except (OperationalError, RedisError) as error:
            _redis.met(error, "questions wait in the database")
            return
    _redis.over()
    Question.objects.filter(pk=question_id, published_at=None).update(published_at=now)


def _publish_questions(connection: Connection, now: datetime) -> int:
    room = settings.DISPATCH_WINDOW - _length(connection, QUESTIONS_QUEUE)
    return _publish(connection, QUESTIONS_QUEUE, answer_question, _mark_questions(room, now=now))


def _publish_submissions(connection: Connection, now: datetime) -> int:
    room = settings.DISPATCH_WINDOW - _length(connection, SUBMISSIONS_QUEUE)
    return _publish(connection, SUBMISSIONS_QUEUE, check_submission, _mark_submissions(room, now=now))


def _publish_matches(connection: Connection, ruleset: str, kinds: set[MatchKind], window: int, now: datetime) -> int:
    queue = _look(connection, ruleset, kinds, window, now)
    return _publish(connection, queue_of(ruleset), play_match, mark_next(queue, now=now))


def _windows(now: datetime) -> dict[str, int]:
    """How many ids may wait for each ruleset; empty while no worker has declared what it plays."""
    places = workers.slots(now)
    return {ruleset: window_for(places.get(ruleset, 0)) for ruleset in RULESETS} if places else {}


def _look(connection: Connection, ruleset: str, kinds: set[MatchKind], window: int, now: datetime) -> Queue:
    """The ruleset's queue. Ids leave it in the order in which they came, so what came before its oldest has left."""
    length, work = oldest(connection.default_channel.client, queue_of(ruleset))
    lost = lost_before(now)
    if work is not None:
        published = Match.objects.filter(pk=work.pk, published_at__lt=lost)
        lost = published.values_list("published_at", flat=True).first() or lost
    return Queue(ruleset, kinds, window, length, lost)


def _length(connection: Connection, queue: str) -> int:
    return oldest(connection.default_channel.client, queue)[0]


def _publish(connection: Connection, queue: str, task: Task, ids: Iterable[int]) -> int:
    producer = app.amqp.Producer(connection)
    published = 0
    for pk in ids:
        task.apply_async((pk,), queue=queue, retry=False, producer=producer)
        published += 1
    return published


def _mark_questions(room: int, *, now: datetime) -> list[int]:
    """Mark up to `room` questions as published, the oldest first; returns the ids to publish after commit."""
    if room <= 0:
        return []
    with transaction.atomic():
        mine = list(askable(lost_before(now)).order_by("pk").select_for_update(skip_locked=True)
                    .values_list("pk", flat=True)[:room])
        Question.objects.filter(pk__in=mine).update(published_at=now)
    return mine


def _mark_submissions(room: int, *, now: datetime) -> list[int]:
    """Mark up to `room` submissions as published, those due longest first; returns the ids to publish after commit."""
    if room <= 0:
        return []
    with transaction.atomic():
        mine = list(checkable(now).order_by("due_at", "pk").select_for_update(skip_locked=True)
                    .values_list("pk", flat=True)[:room])
        Submission.objects.filter(pk__in=mine).update(published_at=now)
    return mine
