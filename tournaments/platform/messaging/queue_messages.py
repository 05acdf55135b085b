"""Messages of the queues, read without trust: whoever can write to Redis can put anything there.

A message says one thing: the task and the id of a row. Whatever says something else is dropped, with a line in the log
and a count for the metrics. What counts is in the database, which publishes the id again.
"""

import base64
import json
import logging
from contextlib import suppress
from typing import Any, Final, NamedTuple

import redis
from redis.exceptions import RedisError, ResponseError

from tournaments.platform.messaging.queues import ANSWER_QUESTION, CHECK_SUBMISSION, PLAY_MATCH

log = logging.getLogger(__name__)
# A hundred times what the coordinator writes. A longer message is not parsed.
MOST_BYTES: Final = 64 * 1024
# The largest id that the database can hold.
LARGEST_ID: Final = 2**63 - 1
_TASKS: Final = frozenset({PLAY_MATCH, CHECK_SUBMISSION, ANSWER_QUESTION})
_COUNTER: Final = "squarefield:messages-dropped"
# Of each queue no more of its oldest messages are looked through at a time.
_AT_ONCE: Final = 1000
# Returns the queue's length, its oldest message that is short enough, and how many were dropped for it. In Redis, for a
# long message is not worth its way to us.
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
    """A message that no coordinator has written; the text says why, and shows nothing of it."""


class Work(NamedTuple):
    """What a message says: which task is to be done with which row."""

    task: str
    pk: int


def read(raw: bytes | str) -> Work:
    """Return what the message says. Raises Unreadable."""
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
        raise Unreadable("it names no task of this site")
    if not isinstance(args, list) or len(args) != 1 or options != {}:
        raise Unreadable("its task takes one argument")
    pk = args[0]
    if type(pk) is not int or not 0 < pk <= LARGEST_ID:
        raise Unreadable("its argument is no id")
    return Work(task, pk)


def oldest(client: redis.Redis, queue: str) -> tuple[int, Work | None]:
    """The length of the queue, and what its oldest readable message says; what is unreadable before it is dropped."""
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
            # This message and no other, should a worker take it at this moment.
            if client.lrem(queue, -1, raw):
                length -= 1
                drop(client, queue, str(reason))
    return length, work


def free(client: redis.Redis, keys: dict[str, str]) -> bool:
    """Delete those of the keys that have another type of Redis than these; whether there were any."""
    wrong = [key for key, kind in keys.items() if _text(client.type(key)) not in ("none", kind)]
    for key in wrong:
        client.delete(key)
        drop(client, key, f"the key is no {keys[key]}")
    return bool(wrong)


def drop(client: redis.Redis, queue: str, reason: str, *, number: int = 1) -> None:
    """Say that messages of the queue were dropped, and count them."""
    log.warning("dropped %d unreadable message(s) of %s: %s", number, queue, reason)
    with suppress(RedisError):
        try:
            client.incrby(_COUNTER, number)
        except ResponseError:
            # The count itself is in Redis.
            client.set(_COUNTER, number)


def dropped(client: redis.Redis) -> int:
    """How many messages were dropped since Redis lost its data last."""
    try:
        return int(client.get(_COUNTER) or 0)  # type: ignore[arg-type]
    except (ResponseError, ValueError):
        return 0


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
