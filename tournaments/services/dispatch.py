"""Dispatcher: publishes IDs on Redis, in one queue per ruleset for matches, and one each for all other work.

The queues of matches are shallow; `queueing` decides what comes next. An ID on a queue is a hint, not a right: workers
claim in the database. An ID may therefore be lost (it is republished) or arrive twice (the second claim finds the row
taken). While all workers that take some work are of a lower tier, IDs that they may not claim stay unpublished.
"""

from datetime import datetime
from functools import partial
from typing import Final

from django.conf import settings
from kombu import Connection

from tournaments.models import Analysis, Match, Question, Submission
from tournaments.models.leased import Leased
from tournaments.models.lifecycle import MatchKind
from tournaments.operations import workers
from tournaments.operations.workers import Fleet
from tournaments.platform.messaging import queues
from tournaments.platform.messaging.queue_messages import oldest, publish
from tournaments.platform.outage import Outage
from tournaments.services.matches.queueing import Queue, kinds_waiting, mark_next, queued
from tournaments.services.matches.shares import window_for
from tournaments.services.shared.failures import Tries
from tournaments.services.shared.leases import lost_before, mark_published, to_publish, trusted

# Work that every worker takes: the model, its queue and its task.
_OF_EVERY_WORKER: Final = (
    (Question, queues.QUESTIONS_QUEUE, queues.ANSWER_QUESTION),
    (Submission, queues.SUBMISSIONS_QUEUE, queues.CHECK_SUBMISSION),
    (Analysis, queues.ANALYSES_QUEUE, queues.ANALYSE_GAME),
)

_redis = Outage("Redis")


def publish_due(now: datetime) -> int:
    """Fill up every queue; return how many IDs were published, 0 while Redis is unavailable."""
    kinds = kinds_waiting(now)
    others = [kind for kind in _OF_EVERY_WORKER if to_publish(kind[0], now).exists()]
    if not kinds and not others:
        return 0
    published = 0
    fleet = workers.fleet(now)
    try:
        with queues.connected(queues.COORDINATOR) as connection:
            # A failing queue does not affect the others. An outage of Redis is not attributed to a queue.
            tries = Tries("publish", now, outages=queues.AWAY)
            for model, queue, task in others:
                published += tries.attempt(queue, partial(_publish, connection, model, queue, task, fleet, now))
            for ruleset, some in kinds.items():
                published += tries.attempt(ruleset, partial(_publish_matches, connection, ruleset, some, fleet, now))
    except queues.AWAY as error:
        _redis.met(error, "matches, submissions, questions and analyses wait in the database")
    else:
        _redis.over()
    return published


def _publish(connection: Connection, model: type[Leased], queue: str, task: str, fleet: Fleet, now: datetime) -> int:
    room = settings.DISPATCH_WINDOW - oldest(connection.default_channel.client, queue)[0]
    due = to_publish(model, now)
    rows = trusted(due) if fleet.only_trusted(None) else due
    return publish(connection.default_channel.client, queue, task, mark_published(rows, now, room))


def _publish_matches(connection: Connection, ruleset: str, kinds: set[MatchKind], fleet: Fleet, now: datetime) -> int:
    queue = _look(connection, ruleset, kinds, fleet, now)
    return publish(connection.default_channel.client, queues.queue_of(ruleset), queues.PLAY_MATCH,
                   mark_next(queue, now=now))


def _window(fleet: Fleet, ruleset: str) -> int:
    """Return how many IDs may wait for the ruleset. Slots that may not play all of its matches do not count."""
    if not fleet.by_tier():
        return settings.DISPATCH_WINDOW
    fewest, most = fleet.slots(ruleset, trusted=False), fleet.slots(ruleset, trusted=True)
    if 0 < fewest < most and queued(ruleset).exclude(Match.TRUSTED).exists():
        return window_for(fewest)
    return window_for(most)


def _look(connection: Connection, ruleset: str, kinds: set[MatchKind], fleet: Fleet, now: datetime) -> Queue:
    """Return the state of the ruleset's queue.

    IDs leave it in the order in which they came, so IDs published before its oldest one have already left.
    """
    length, work = oldest(connection.default_channel.client, queues.queue_of(ruleset))
    lost = lost_before(now)
    if work is not None:
        published = Match.objects.filter(pk=work.pk, published_at__lt=lost)
        lost = published.values_list("published_at", flat=True).first() or lost
    return Queue(ruleset, kinds, _window(fleet, ruleset), length, lost, fleet.only_trusted(ruleset))
