"""Turns of running games on Redis: written by workers, read by pages, never stored permanently.

A game has a list under `squarefield:turns:<match>:<attempt>:<game>`. Its entries are JSON: `["e5", 0.31]` is a turn and
the seconds that the clock charged, with the line of the bot's view as a third text if there is one; `null` says that
the game is over. The list may be lost at any time, or end early; the database is authoritative once the match is
finished (docs/decisions/0015-live-turns.md). An entry that no worker has written is left out, with all that follow it.
"""

import functools
import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import redis
from django.conf import settings
from redis.exceptions import RedisError, ResponseError

from engines.view import View
from tournaments.platform.cache import redis_address
from tournaments.platform.messaging.queue_messages import drop
from tournaments.platform.outage import Outage

# No thread of a worker and no page waits for Redis for longer.
CONNECT_SECONDS: Final = 0.3
ANSWER_SECONDS: Final = 0.5
# The lists of a worker that died expire after this time.
EXPIRY_SECONDS: Final = 3600
# Turns after this many bytes are shown only once the game is over.
MOST_BYTES: Final = 256 * 1024
# The shortest entry, `null`, has half as many bytes as the shortest turn.
_MOST_ENTRIES: Final = MOST_BYTES // 8
_MOST_TOLD: Final = 1000
# After a failure, pages do not read Redis for this time.
PAUSE_SECONDS: Final = 5.0


class GameKey(NamedTuple):
    """Key of a game: its match, the attempt, and its number."""

    match: int
    attempt: int
    number: int

    def __str__(self) -> str:
        return f"squarefield:turns:{self.match}:{self.attempt}:{self.number}"


class LiveTurn(NamedTuple):
    """A turn in canonical notation, the seconds that it was charged, and the bot's view, if it reported one."""

    text: str
    seconds: float | None
    view: View | None = None


class GameProgress(NamedTuple):
    """A game's turns so far, and whether it is over."""

    turns: tuple[LiveTurn, ...]
    over: bool


class LiveTurns:
    """The lists. Writing raises RedisError; reading finds nothing while Redis is unavailable."""

    def __init__(self, address: str) -> None:
        self._redis = redis.Redis.from_url(
            address, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=ANSWER_SECONDS,
            # A retry would wait for as long again.
            retry=None, retry_on_timeout=False)
        self._outage = Outage("Redis")
        self._next_try = 0.0
        # Lists whose unreadable entries have been logged.
        self._told: set[GameKey] = set()

    def append(self, key: GameKey, entries: Sequence[LiveTurn | None], *, anew: bool) -> None:
        """Add entries to the game's list, None for its end; with `anew`, they replace the existing ones."""
        with self._redis.pipeline(transaction=True) as pipe:
            if anew:
                pipe.unlink(str(key))
            pipe.rpush(str(key), *(json.dumps(_entry(entry), separators=(",", ":")) for entry in entries))
            pipe.expire(str(key), EXPIRY_SECONDS)
            pipe.execute()

    def remove(self, keys: Sequence[GameKey]) -> None:
        """Delete the lists of these games."""
        self._redis.unlink(*map(str, keys))

    def read(self, keys: Sequence[GameKey]) -> list[GameProgress | None]:
        """Return the progress of each of the games, None for a game without a list."""
        if not keys or time.monotonic() < self._next_try:
            return [None] * len(keys)
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for key in keys:
                    pipe.lrange(str(key), 0, _MOST_ENTRIES)
                found = pipe.execute(raise_on_error=False)
            return [self._so_far(key, entries) for key, entries in zip(keys, found, strict=True)]
        except (RedisError, OSError) as error:
            self._outage.met(error, "games are shown only when they are over")
            self._next_try = time.monotonic() + PAUSE_SECONDS
            return [None] * len(keys)

    def _so_far(self, key: GameKey, entries: Any) -> GameProgress | None:
        if isinstance(entries, Exception) and not isinstance(entries, ResponseError):
            raise entries
        self._outage.over()
        readable = [] if isinstance(entries, ResponseError) else list(_readable(entries))
        if (isinstance(entries, ResponseError) or len(readable) < len(entries)) and key not in self._told:
            # The list stays: its worker adds to it and removes it. Log it once only, because it is read every two
            # seconds.
            self._told = {key, *self._told} if len(self._told) < _MOST_TOLD else {key}
            drop(self._redis, str(key), "the rest of the list was not written by a worker")
        turns = tuple(turn for turn in readable if turn is not None)
        return GameProgress(turns, None in readable) if readable else None


def _readable(entries: Sequence[bytes]) -> Iterator[LiveTurn | None]:
    """Yield the entries up to the first one that no worker writes."""
    size = 0
    for entry in entries:
        size += len(entry)
        if size > 2 * MOST_BYTES:
            return
        try:
            read = json.loads(entry)
            yield None if read is None else _turn(*read)
        except (ValueError, TypeError, RecursionError):
            return


def _entry(turn: LiveTurn | None) -> tuple[object, ...] | None:
    if turn is None:
        return None
    return (turn.text, turn.seconds, turn.view.line()) if turn.view else (turn.text, turn.seconds)


def _turn(text: Any, seconds: Any, view: Any = "") -> LiveTurn:
    if not isinstance(text, str) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise TypeError("not a text and seconds")
    return LiveTurn(text, seconds, View.parse(view) if isinstance(view, str) else None)


@functools.cache
def _at(address: str) -> LiveTurns:
    return LiveTurns(address)


def live_turns() -> LiveTurns | None:
    """Return the lists of this installation; None if the broker is not Redis."""
    address = redis_address(settings.REDIS_URL)
    return _at(address) if address else None
