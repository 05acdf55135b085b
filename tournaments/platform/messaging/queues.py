"""Queues on Redis: their names and tasks, and connections to them.

A message is a task's name and an ID, nothing else (`queue_messages`). The worker looks up the task, so publishers do
not depend on its code.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

PLAY_MATCH: Final = "squarefield.play_match"
CHECK_SUBMISSION: Final = "squarefield.check_submission"
ANSWER_QUESTION: Final = "squarefield.answer_question"
ANALYSE_GAME: Final = "squarefield.analyse_game"

# Holds IDs of submissions to check; every worker consumes it.
SUBMISSIONS_QUEUE: Final = "submissions"
# Holds IDs of questions to bots; every worker consumes it, before the others.
QUESTIONS_QUEUE: Final = "questions"
# Holds IDs of analyses of games; every worker consumes it, after all others. Users of Redis have access to names that
# begin with "questions" (.docker/redis.acl).
ANALYSES_QUEUE: Final = "questions.analyses"

# A Redis that hangs must not keep the coordinator from reaping and rating.
COORDINATOR: Final = {"socket_connect_timeout": 2, "socket_timeout": 5}
# Requests give up sooner than the coordinator, because a user is waiting.
REQUEST: Final = {"socket_connect_timeout": 0.3, "socket_timeout": 0.5}
# Raised while Redis is unavailable.
AWAY: Final = (OperationalError, RedisError)


def queue_of(ruleset: str) -> str:
    """Return the name of the queue for IDs of a ruleset's matches."""
    return f"matches.{ruleset}"


@contextmanager
def connected(timeouts: dict[str, float]) -> Iterator[Connection]:
    """Open a new connection, which costs a millisecond but is never stale. Raises one of AWAY."""
    with current_app.connection_for_write(transport_options=timeouts) as connection:
        connection.ensure_connection(max_retries=0)
        yield connection
