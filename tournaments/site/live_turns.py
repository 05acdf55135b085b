"""The turns of games that are being played, on Redis: written by workers, read by pages, kept by nobody.

A game has a list under `squarefield:turns:<match>:<attempt>:<game>`. Its entries are JSON: `["e5", 0.31]` is a turn and
the seconds that the clock charged, `null` says that the game is over. The list may be lost at any time, or end early;
what counts is in the database once the match is finished (docs/decisions/0015-live-turns.md).
"""

import functools
import json
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import redis
from django.conf import settings
from redis.exceptions import RedisError

from tournaments.site.cache import redis_address
from tournaments.site.outage import Outage

# Neither a worker's thread nor a page waits for Redis for longer.
CONNECT_SECONDS: Final = 0.3
ANSWER_SECONDS: Final = 0.5
# What a worker that died leaves behind goes by itself.
EXPIRY_SECONDS: Final = 3600
# Of a game that goes on and on, what comes after so many bytes is not shown before its end.
MOST_BYTES: Final = 256 * 1024
# After a failure pages do without for so long.
PAUSE_SECONDS: Final = 5.0


class GameKey(NamedTuple):
    """Which game of which attempt at which match."""

    match: int
    attempt: int
    number: int

    def __str__(self) -> str:
        return f"squarefield:turns:{self.match}:{self.attempt}:{self.number}"


class LiveTurn(NamedTuple):
    """A turn in canonical notation and the seconds that it was charged."""

    text: str
    seconds: float


class SoFar(NamedTuple):
    """A game's turns so far, and whether it is over."""

    turns: tuple[LiveTurn, ...]
    over: bool


class LiveTurns:
    """The lists. What writes raises RedisError; what reads finds nothing while Redis is away."""

    def __init__(self, address: str) -> None:
        self._redis = redis.Redis.from_url(
            address, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=ANSWER_SECONDS, decode_responses=True,
            # A second try would wait for as long again.
            retry=None, retry_on_timeout=False)
        self._outage = Outage("Redis")
        self._next_try = 0.0

    def append(self, key: GameKey, entries: Sequence[LiveTurn | None], *, anew: bool) -> None:
        """Add entries to the game's list, None for its end; `anew` to put them in place of all that is there."""
        with self._redis.pipeline(transaction=True) as pipe:
            if anew:
                pipe.unlink(str(key))
            pipe.rpush(str(key), *(json.dumps(entry, separators=(",", ":")) for entry in entries))
            pipe.expire(str(key), EXPIRY_SECONDS)
            pipe.execute()

    def remove(self, keys: Sequence[GameKey]) -> None:
        """Forget these games."""
        self._redis.unlink(*map(str, keys))

    def read(self, keys: Sequence[GameKey]) -> list[SoFar | None]:
        """For each of the games what is known of it, None where nothing is."""
        if not keys or time.monotonic() < self._next_try:
            return [None] * len(keys)
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for key in keys:
                    pipe.lrange(str(key), 0, -1)
                found = pipe.execute()
        except (RedisError, OSError) as error:
            self._outage.met(error, "games are shown when they are over")
            self._next_try = time.monotonic() + PAUSE_SECONDS
            return [None] * len(keys)
        self._outage.over()
        return [_so_far(entries) if entries else None for entries in found]


def _so_far(entries: Sequence[str]) -> SoFar:
    read = [json.loads(entry) for entry in entries]
    return SoFar(tuple(LiveTurn(*entry) for entry in read if entry is not None), None in read)


@functools.cache
def _at(address: str) -> LiveTurns:
    return LiveTurns(address)


def live_turns() -> LiveTurns | None:
    """The lists of this installation; None where the broker is no Redis."""
    address = redis_address(settings.REDIS_URL)
    return _at(address) if address else None
