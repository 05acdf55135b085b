"""Publishing of the turns of the current match, without ever blocking the referee.

The referee's thread appends each turn to a list in memory. Another thread sends new turns to Redis twice a second; if
Redis does not answer, it retries later and replaces the whole list, because it cannot tell which turns have arrived. A
match that ends sooner is never shown, and causes no traffic.
"""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from redis.exceptions import RedisError

from engines.records.record import TurnRecord
from tournaments.platform.outage import Outage
from tournaments.selectors.matches.live_turns import MOST_BYTES, GameKey, LiveTurn, LiveTurns, live_turns

# Pages poll every two seconds.
CARRY_SECONDS: Final = 0.5
# Pause after a failure.
PAUSE_SECONDS: Final = 5.0


class TurnLog:
    """Turns of one game, and the number already published. Written by the referee's thread, read by the publisher's.

    Turns beyond MOST_BYTES are omitted, so the list is no larger than a page can show.
    """

    def __init__(self, key: GameKey) -> None:
        self.key = key
        self.entries: list[LiveTurn | None] = []
        self.carried = 0
        self.doubtful = False
        self._bytes = 0

    def turn(self, record: TurnRecord) -> None:
        """Record a turn."""
        self._bytes += len(record.turn) + 12 + (len(record.view.line()) if record.view else 0)
        if self._bytes <= MOST_BYTES:
            self.entries.append(LiveTurn(record.turn, round(record.seconds, 3), record.view))

    def over(self) -> None:
        """Record the end of the game."""
        self.entries.append(None)


class Broadcast:
    """Turn logs of a match in progress."""

    def __init__(self, match: int, attempt: int) -> None:
        self._match, self._attempt = match, attempt
        self.logs: list[TurnLog] = []

    def game(self) -> TurnLog:
        """Start the log of the next game, and return it."""
        if self.logs:
            self.logs[-1].over()
        log = TurnLog(GameKey(self._match, self._attempt, len(self.logs) + 1))
        self.logs.append(log)
        return log


class Publisher:
    """Thread that publishes turn logs to Redis. One per process, started with the first match."""

    def __init__(self, store: LiveTurns) -> None:
        self._store = store
        self._playing: Broadcast | None = None
        self._changed = threading.Event()
        self._outage = Outage("Redis")
        threading.Thread(target=self._run, name="live turns", daemon=True).start()

    def play(self, broadcast: Broadcast | None) -> None:
        """Publish this match from now on, and remove the one before. Returns at once."""
        self._playing = broadcast
        self._changed.set()

    def _run(self) -> None:
        while True:
            self._changed.wait()
            self._changed.clear()
            shown = self._playing
            if shown is not None:
                self._carry_until_changed(shown)

    def _carry_until_changed(self, shown: Broadcast) -> None:
        wait = CARRY_SECONDS
        while not self._changed.wait(wait):
            wait = CARRY_SECONDS if self._try(functools.partial(self._carry, shown)) else PAUSE_SECONDS
        self._try(functools.partial(self._forget, shown))

    def _carry(self, shown: Broadcast) -> None:
        for log in list(shown.logs):
            new = log.entries[0 if log.doubtful else log.carried:]
            if not new:
                continue
            # Without an answer it is unknown which turns have arrived.
            again, log.doubtful = log.doubtful, True
            self._store.append(log.key, new, anew=again)
            log.carried, log.doubtful = (len(new) if again else log.carried + len(new)), False

    def _forget(self, shown: Broadcast) -> None:
        if keys := [log.key for log in shown.logs if log.carried or log.doubtful]:
            self._store.remove(keys)

    def _try(self, act: functools.partial[None]) -> bool:
        try:
            act()
        except (RedisError, OSError) as error:
            self._outage.met(error, "games appear only when they are over")
            return False
        self._outage.over()
        return True


# By process ID, because forked processes do not inherit threads.
_publishers: dict[int, Publisher | None] = {}


def _publisher() -> Publisher | None:
    process = os.getpid()
    if process not in _publishers:
        store = live_turns()
        _publishers[process] = Publisher(store) if store else None
    return _publishers[process]


@contextmanager
def broadcast(match: int, attempt: int) -> Iterator[Broadcast]:
    """Publish the match's games until the context ends."""
    publisher = _publisher()
    shown = Broadcast(match, attempt)
    if publisher is None:
        yield shown
        return
    publisher.play(shown)
    try:
        yield shown
    finally:
        publisher.play(None)
