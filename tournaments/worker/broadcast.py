"""Shows the turns of the match that is being played, without the referee ever waiting for it.

The referee's thread appends each turn to a list in memory. A thread of the process carries what is new to Redis, twice
a second; when Redis does not answer, it tries again later, and puts the whole list in place of what may have arrived.
A match that is over sooner than that is never shown, and costs Redis nothing.
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

# The pages ask every two seconds.
CARRY_SECONDS: Final = 0.5
# After a failure.
PAUSE_SECONDS: Final = 5.0


class TurnLog:
    """One game's entries, and how many of them have been carried. Written by the referee's thread, read by the other.

    Whatever is over MOST_BYTES is left out, so the list is no larger than what a page can show.
    """

    def __init__(self, key: GameKey) -> None:
        self.key = key
        self.entries: list[LiveTurn | None] = []
        self.carried = 0
        self.doubtful = False
        self._bytes = 0

    def turn(self, record: TurnRecord) -> None:
        """Note a turn."""
        self._bytes += len(record.turn) + 12
        if self._bytes <= MOST_BYTES:
            self.entries.append(LiveTurn(record.turn, round(record.seconds, 3)))

    def over(self) -> None:
        """Note that the game has ended."""
        self.entries.append(None)


class Broadcast:
    """A match's journals, while it is played."""

    def __init__(self, match: int, attempt: int) -> None:
        self._match, self._attempt = match, attempt
        self.journals: list[TurnLog] = []

    def game(self) -> TurnLog:
        """The journal of the next game."""
        if self.journals:
            self.journals[-1].over()
        journal = TurnLog(GameKey(self._match, self._attempt, len(self.journals) + 1))
        self.journals.append(journal)
        return journal


class Publisher:
    """The thread that carries journals to Redis. One in a process, started with the first match."""

    def __init__(self, store: LiveTurns) -> None:
        self._store = store
        self._playing: Broadcast | None = None
        self._changed = threading.Event()
        self._outage = Outage("Redis")
        threading.Thread(target=self._run, name="live turns", daemon=True).start()

    def play(self, broadcast: Broadcast | None) -> None:
        """Carry this match from now on, and forget the one before; returns at once."""
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
        for journal in list(shown.journals):
            new = journal.entries[0 if journal.doubtful else journal.carried:]
            if not new:
                continue
            # Should the answer not come, nobody knows what has arrived.
            again, journal.doubtful = journal.doubtful, True
            self._store.append(journal.key, new, anew=again)
            journal.carried, journal.doubtful = (len(new) if again else journal.carried + len(new)), False

    def _forget(self, shown: Broadcast) -> None:
        if keys := [journal.key for journal in shown.journals if journal.carried or journal.doubtful]:
            self._store.remove(keys)

    def _try(self, act: functools.partial[None]) -> bool:
        try:
            act()
        except (RedisError, OSError) as error:
            self._outage.met(error, "games are shown when they are over")
            return False
        self._outage.over()
        return True


# By process id: a thread does not come along when a process is forked.
_carriers: dict[int, Publisher | None] = {}


def _carrier() -> Publisher | None:
    process = os.getpid()
    if process not in _carriers:
        store = live_turns()
        _carriers[process] = Publisher(store) if store else None
    return _carriers[process]


@contextmanager
def broadcast(match: int, attempt: int) -> Iterator[Broadcast]:
    """Show the match's games until the context ends."""
    carrier = _carrier()
    shown = Broadcast(match, attempt)
    if carrier is None:
        yield shown
        return
    carrier.play(shown)
    try:
        yield shown
    finally:
        carrier.play(None)
