"""When each step of this coordinator is next due: by the database, by a wake-up, or by a look from time to time."""

import random
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from math import inf
from typing import Final

from tournaments.coordinator.times import next_times
from tournaments.platform.messaging.wakeup_set import ALL, SOON
from tournaments.services.casual.games import AT_ONCE
from tournaments.services.shared.leases import REAPED_AT_ONCE
from tournaments.services.shared.wakeups import REAPING, Step

# All steps run together this often, in case a wake-up was lost. With the times of `next_times`, an alarm about a
# standstill is raised within a minute.
POLL_SECONDS: Final = 15.0
# Steps whose work may wait for this many seconds.
_RARE: Final[Mapping[str, float]] = {
    Step.FORGET_WORKERS: 600.0, Step.DELETE_OLD_ROWS: 600.0, Step.FIND_STORIES: 600.0, Step.TELL_FOLLOWERS: 60.0}
# A step that may wait runs this long after it has run. Rating looks at all open matches of an event.
SOON_SECONDS: Final = 0.5
_SOON: Final[Mapping[str, float]] = {Step.RATE_LADDERS: 5.0}
# The times in the database are read at most this often.
_READ_SECONDS: Final = 0.5
# Keeps several coordinators from acting at the same moment, and makes a time that has come lie in the past.
_JITTER_SECONDS: Final = (0.002, 0.03)
# A step that reports this many may have left some.
_MORE: Final = {
    Step.DELETE_OLD_ROWS: 1, Step.COMPUTE_RATINGS: 1, Step.COUNT_OPENINGS: 1, Step.END_CASUAL_GAMES: AT_ONCE,
    **dict.fromkeys(REAPING, REAPED_AT_ONCE)}


class Agenda:
    """Times at which steps are due, by `monotonic`, a clock in seconds. At first, all are due."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic,
                 read: Callable[[datetime], Mapping[str, datetime]] = next_times) -> None:
        self._monotonic, self._read = monotonic, read
        self._due = dict.fromkeys(map(str, Step), monotonic())
        self._ran_at = dict.fromkeys(self._due, -inf)
        self._next_look = monotonic()
        self._next_read = monotonic()
        # The first pass whose effect on the times in the database has not been read: its time by both clocks.
        self._unread: tuple[datetime, float] | None = None

    def due(self) -> set[str]:
        """Return the steps that are due now."""
        moment = self._monotonic()
        if moment >= self._next_look:
            self._next_look = moment + POLL_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 - not for secrets
            self._due |= {name: moment for name in self._due if name not in _RARE}
        return {name for name, at in self._due.items() if at <= moment}

    def seconds(self) -> float:
        """Return how long to sleep until the next step is due."""
        waits = [self._next_look, *self._due.values(), *([self._next_read] if self._unread else [])]
        return max(0.0, min(waits) - self._monotonic())

    def wake(self, names: Iterable[str]) -> None:
        """Make these steps due now, or every step for ALL, or soon for names with SOON. Unknown names are ignored."""
        moment = self._monotonic()
        woken = set(names)
        self._due |= dict.fromkeys(self._due if ALL in woken else self._due.keys() & woken, moment)
        for name in self._due.keys() & {name.removeprefix(SOON) for name in woken}:
            self._due[name] = min(self._due[name], max(moment, self._ran_at[name] + _SOON.get(name, SOON_SECONDS)))

    def ran(self, done: Mapping[str, int]) -> None:
        """Take from the agenda the steps that have just reported these counts, unless they may have left work."""
        moment = self._monotonic()
        for name, count in done.items():
            more = count >= _MORE.get(Step(name), count + 1)
            self._due[name] = moment if more else moment + _RARE.get(name, inf)
            self._ran_at[name] = moment

    def look_ahead(self, now: datetime, began: float) -> None:
        """Read when steps are next due, after a pass that began at `now`, which was `began` by `monotonic`.

        Not more often than every _READ_SECONDS; `seconds` then returns in time for the next call.
        """
        # The first of several passes, because something may have become due since then.
        self._unread = self._unread or (now, began)
        if self._monotonic() < self._next_read:
            return
        now, began = self._unread
        for name, at in self._read(now).items():
            if name in self._due:
                jitter = random.uniform(*_JITTER_SECONDS)  # noqa: S311 - as above
                self._due[name] = min(self._due[name], began + (at - now).total_seconds() + jitter)
        self._next_read, self._unread = self._monotonic() + _READ_SECONDS, None
