"""Queue messages: they are written here, and validated, because anyone who can write to Redis can enqueue anything.

A message consists of a task and the ID of a row. Any other message is dropped, logged and counted for the metrics.
Nothing is lost: the state is in the database, and the coordinator publishes the ID again.
"""

import base64
import json
import logging
import uuid
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, NamedTuple

import redis
from redis.exceptions import RedisError, ResponseError

from tournaments.platform.messaging.queues import ANALYSE_GAME, ANSWER_QUESTION, CHECK_SUBMISSION, PLAY_MATCH

log = logging.getLogger(__name__)
# A hundred times the size of the coordinator's messages. Longer messages are not parsed.
MOST_BYTES: Final = 64 * 1024
# The largest ID that the database can store.
LARGEST_ID: Final = 2**63 - 1
_TASKS: Final = frozenset({PLAY_MATCH, CHECK_SUBMISSION, ANSWER_QUESTION, ANALYSE_GAME})
_COUNTER: Final = "squarefield:messages-dropped"
# Maximum number of messages per queue that are written, or inspected, at a time.
_AT_ONCE: Final = 1000
# Returns the queue's length, its oldest message that is short enough, and the number of messages dropped before it.
# Runs in Redis, so that long messages are not transferred.
_OLDEST: Final = """
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'list' and kind ~= 'none' then
  redis.call('DEL', KEYS[1])
  return {0, false, 1}
end
local dropped, raw = 0, redis.call('LINDEX', KEYS[1], -1)
while raw and #raw > tonumber(ARGV[1]) do
  redis.call('RPOP', KEYS[1])
  dropped, raw = dropped + 1, redis.call('LINDEX', KEYS[1], -1)
end
return {redis.call('LLEN', KEYS[1]), raw, dropped}
"""


class Unreadable(ValueError):
    """Message that no coordinator has written; the text gives the reason without quoting the message."""


class Work(NamedTuple):
    """Content of a message: a task, and the row that it applies to."""

    task: str
    pk: int


def read(raw: bytes | str) -> Work:
    """Return the content of the message. Raises Unreadable."""
    if len(raw) > MOST_BYTES:
        raise Unreadable(f"it has {len(raw)} bytes, more than {MOST_BYTES}")
    try:
        message = json.loads(raw)
        task, encoding = message["headers"]["task"], message["properties"]["body_encoding"]
        if message["content-type"] != "application/json" or encoding != "base64":
            raise Unreadable("its body is not JSON in base64")
        args, options, _ = json.loads(base64.b64decode(message["body"], validate=True))
    except Unreadable:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise Unreadable(f"it cannot be parsed ({type(error).__name__})") from None
    if not isinstance(task, str) or task not in _TASKS:
        raise Unreadable("it does not name a task of this site")
    if not isinstance(args, list) or len(args) != 1 or options != {}:
        raise Unreadable("its task must have exactly one argument")
    pk = args[0]
    if type(pk) is not int or not 0 < pk <= LARGEST_ID:
        raise Unreadable("its argument is not an ID")
    return Work(task, pk)


def written(work: Work, queue: str) -> dict[str, Any]:
    """Return the message in the format of Celery (its protocol 2) and kombu."""
    name = str(uuid.uuid4())
    body = json.dumps([[work.pk], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}])
    return {
        "body": base64.b64encode(body.encode()).decode(), "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": work.task, "id": name, "root_id": name, "parent_id": None, "group": None,
                    "argsrepr": f"({work.pk},)", "kwargsrepr": "{}", "origin": "", "retries": 0, "eta": None,
                    "expires": None, "timelimit": [None, None], "shadow": None, "ignore_result": True},
        "properties": {"correlation_id": name, "delivery_mode": 2, "delivery_tag": str(uuid.uuid4()), "priority": 0,
                       "body_encoding": "base64", "delivery_info": {"exchange": "", "routing_key": queue}},
    }


def publish(client: redis.Redis, queue: str, task: str, ids: Iterable[int]) -> int:
    """Enqueue a message for each ID, many with one command: Celery would wait for Redis after each.

    Returns the number of messages. Raises RedisError.
    """
    messages = [json.dumps(written(Work(task, pk), queue)) for pk in ids]
    for start in range(0, len(messages), _AT_ONCE):
        client.lpush(queue, *messages[start:start + _AT_ONCE])
    return len(messages)


def oldest(client: redis.Redis, queue: str) -> tuple[int, Work | None]:
    """Return the queue's length and its oldest readable message; unreadable messages before it are dropped."""
    length, work = 0, None
    for _ in range(_AT_ONCE):
        found: Any = client.eval(_OLDEST, 1, queue, MOST_BYTES)
        length, raw, too_long = found
        if too_long:
            drop(client, queue, "a key of another type, or too long", number=too_long)
        if raw is None:
            break
        try:
            work = read(raw)
            break
        except Unreadable as reason:
            # Remove by value, in case a worker takes the message at this moment.
            if client.lrem(queue, -1, raw):
                length -= 1
                drop(client, queue, str(reason))
    return length, work


def free(client: redis.Redis, keys: dict[str, str]) -> bool:
    """Delete the keys whose Redis type is not the given one. Returns whether there were any."""
    wrong = [key for key, kind in keys.items() if _text(client.type(key)) not in ("none", kind)]
    for key in wrong:
        client.delete(key)
        drop(client, key, f"the key is not a {keys[key]}")
    return bool(wrong)


def drop(client: redis.Redis, queue: str, reason: str, *, number: int = 1) -> None:
    """Log that messages of the queue were dropped, and count them."""
    log.warning("dropped %d unreadable message(s) of %s: %s", number, queue, reason)
    with suppress(RedisError):
        try:
            client.incrby(_COUNTER, number)
        except ResponseError:
            # The counter itself has the wrong type.
            client.set(_COUNTER, number)


def dropped(client: redis.Redis) -> int:
    """Return the number of messages dropped since Redis last lost its data."""
    try:
        return int(client.get(_COUNTER) or 0)  # type: ignore[arg-type]
    except (ResponseError, ValueError):
        return 0


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
