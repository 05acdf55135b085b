"""Wake-ups on Redis: one sorted set, which processes add to and the coordinators wait at (docs/decisions/0040).

A member names steps of the coordinator, separated by commas. Redis gives each member to one coordinator. A wake-up may
be lost at any time, so coordinators also look from time to time without one. The names are untrusted input: a
coordinator ignores those that it does not know.
"""

import functools
import os
import select
import threading
import time
from collections.abc import Iterable
from typing import Any, Final, Self

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tournaments.platform.cache import redis_address
from tournaments.platform.outage import Outage

KEY: Final = "squarefield:wakeups"
# In place of a name: wake-ups may have been lost, so every step is due.
ALL: Final = "*"
# Begins a name whose step may wait for a moment if it has just run.
SOON: Final = "~"
# A verb does not wait longer for Redis, and then sends nothing for a while.
_CONNECT_SECONDS: Final = 0.3
_ANSWER_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 2.0
# Interval between a coordinator's tries to reach Redis.
_RETRY_SECONDS: Final = 1.0
# Redis ends a wait in time; without its answer after this much longer, the connection is dead.
_GRACE_SECONDS: Final = 5.0
_AT_ONCE: Final = 100


def send(names: Iterable[str]) -> None:
    """Wake one coordinator for these steps. Never fails; without Redis, nothing is sent."""
    if address := redis_address(settings.REDIS_URL):
        _sender(address).send(names)


class _Sender:
    """Sender of wake-ups. After a failure it pauses, and its first wake-up after that is for every step."""

    def __init__(self, address: str) -> None:
        # One retry, for a connection that Redis has closed in the meantime.
        self._redis = redis.Redis.from_url(address, socket_connect_timeout=_CONNECT_SECONDS,
                                           socket_timeout=_ANSWER_SECONDS, retry=Retry(NoBackoff(), 1))
        self._outage = Outage("Redis")
        self._next_try = 0.0

    def send(self, names: Iterable[str]) -> None:
        if time.monotonic() < self._next_try:
            return
        member = ALL if self._outage.lasts else ",".join(sorted(names))
        try:
            self._redis.zadd(KEY, {member: time.time()})
        except (RedisError, OSError) as error:
            self._outage.met(error, "coordinators find work at their next look")
            self._next_try = time.monotonic() + _PAUSE_SECONDS
        else:
            self._outage.over()


@functools.cache
def _sender(address: str) -> _Sender:
    return _Sender(address)


class Receiver:
    """A coordinator's end of the set. A wait ends at once when `stop` is set. Use it as a context manager."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._stopped, self._tell = os.pipe()
        address = redis_address(settings.REDIS_URL)
        # Not RESP 3, by which Redis may send more than answers.
        self._redis = redis.Redis.from_url(
            address, protocol=2, single_connection_client=False, socket_connect_timeout=2,
            socket_timeout=_GRACE_SECONDS, retry=Retry(NoBackoff(), 0)) if address else None
        self._connection: Any = None
        self._outage = Outage("Redis")
        # In its own thread, because `select` cannot wait for an event.
        threading.Thread(target=self._watch, name="stop", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect()

    def wait(self, seconds: float) -> set[str]:
        """Return the names in the next wake-up, or none after this time or once `stop` is set.

        While Redis is unavailable, wait no longer than a second; afterwards, return ALL.
        """
        if self._redis is None:
            self._stop.wait(seconds)
            return set()
        try:
            if self._connection is None:
                self._connect()
                if self._outage.lasts:
                    self._outage.over()
                    return {ALL}
            return self._pop("BZPOPMIN", KEY, round(max(0.001, seconds), 3), seconds=seconds)
        except (RedisError, OSError) as error:
            self._outage.met(error, "the coordinator looks for work without being woken")
            self._disconnect()
            self._stop.wait(min(seconds, _RETRY_SECONDS))
            return set()

    def rest(self) -> set[str]:
        """Return the names in the wake-ups that are waiting now."""
        if self._connection is None:
            return set()
        try:
            return self._pop("ZPOPMIN", KEY, _AT_ONCE, seconds=0.0)
        except (RedisError, OSError):
            # The next wait meets the outage and logs it.
            self._disconnect()
            return {ALL}

    def _pop(self, *command: Any, seconds: float) -> set[str]:
        connection = self._connection
        connection.send_command(*command)
        deadline = time.monotonic() + seconds + _GRACE_SECONDS
        while True:
            left = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([connection._sock, self._stopped], [], [], left)  # noqa: SLF001 - no other way
            if self._stopped in ready:
                self._disconnect()
                return set()
            if not ready:
                raise redis.TimeoutError("no answer")
            # On TLS, what has arrived need not be an answer.
            if connection.can_read(timeout=0):
                return _names(connection.read_response())

    def _connect(self) -> None:
        assert self._redis is not None
        connection = self._redis.connection_pool.get_connection()
        # A key of another type would end every wait at once.
        connection.send_command("TYPE", KEY)
        if connection.read_response() not in (b"zset", b"none"):
            connection.send_command("DEL", KEY)
            connection.read_response()
        self._connection = connection

    def _disconnect(self) -> None:
        if self._redis is not None and self._connection is not None:
            self._connection.disconnect()
            self._redis.connection_pool.release(self._connection)
        self._connection = None

    def _watch(self) -> None:
        self._stop.wait()
        os.write(self._tell, b".")


def _names(answer: Any) -> set[str]:
    """Return the names in Redis's answer: key, member, score, or members and scores in turn; None after a wait."""
    if not answer:
        return set()
    members = [answer[1]] if answer[0] == KEY.encode() and len(answer) == 3 else answer[::2]
    return {name for member in members for name in member.decode(errors="replace").split(",")}
