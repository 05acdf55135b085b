"""The queues on Redis: their names, what they carry, and how ids are put on them.

A message is a task's name and an id, nothing else (`queue_messages`). The tasks are looked up by the worker: whoever
publishes needs to know none of their code.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

PLAY_MATCH: Final = "squarefield.play_match"
CHECK_SUBMISSION: Final = "squarefield.check_submission"
ANSWER_QUESTION: Final = "squarefield.answer_question"

# Holds ids of submissions to check; every worker serves it.
SUBMISSIONS_QUEUE: Final = "submissions"
# Holds ids of questions to bots; every worker serves it, before the others.
QUESTIONS_QUEUE: Final = "questions"

# A Redis that hangs must not keep the coordinator from reaping and rating.
COORDINATOR: Final = {"socket_connect_timeout": 2, "socket_timeout": 5}
# A request waits for it: it gives up sooner than the coordinator.
REQUEST: Final = {"socket_connect_timeout": 0.3, "socket_timeout": 0.5}
# What is raised when Redis is away.
AWAY: Final = (OperationalError, RedisError)


def queue_of(ruleset: str) -> str:
    """The name of the queue that holds ids of matches of a ruleset."""
    return f"matches.{ruleset}"


@contextmanager
def connected(timeouts: dict[str, float]) -> Iterator[Connection]:
    """A connection of its own: there is none to go stale, and one costs a millisecond. Raises one of AWAY."""
    with current_app.connection_for_write(transport_options=timeouts) as connection:
        connection.ensure_connection(max_retries=0)
        yield connection


def publish(connection: Connection, queue: str, task: str, ids: Iterable[int]) -> int:
    """Put a message for each of the ids on the queue; returns how many. Raises one of AWAY."""
    producer = current_app.amqp.Producer(connection)
    published = 0
    for pk in ids:
        current_app.send_task(task, (pk,), queue=queue, retry=False, producer=producer, ignore_result=True)
        published += 1
    return published
