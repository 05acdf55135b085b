"""An event from start to end while a fault strikes repeatedly, with the operator's measurements."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from django.db import DatabaseError, InterfaceError, connection

from tests.faults.backend import Backend
from tests.faults.invariants import Counts, Leftovers, broken_rules, left_at_the_end, left_while_idle
from tests.faults.report import Line
from tests.faults.site import FaultSite
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus

# An event without progress for this long will not finish on its own.
PATIENCE_SECONDS = 600
_LOOK_SECONDS = 0.1
# The fault strikes between these shares of the matches, so that some are left to measure the recovery with.
_FROM, _TO = 0.05, 0.85
# Share of the average number of matches finished per second that counts as a normal pace.
_NORMAL = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: `strike` causes it once and returns when it is over; repeated every `every` seconds, up to `most` times.

    `prepare` starts the site's processes; `after` checks what is specific to this fault, and returns what is wrong.
    """

    name: str
    strike: Callable[["Course"], None]
    every: float = 3.0
    most: int = 8
    prepare: Callable[["Course"], None] = lambda course: course.start_as_usual()
    after: Callable[["Course"], list[str]] = lambda _: []


@dataclass(slots=True)
class Course:
    """One event under one fault."""

    backend: Backend
    site: FaultSite
    event: Event
    fault: Fault
    dice: Random
    struck: list[float] = field(default_factory=list)
    progress: list[tuple[float, int]] = field(default_factory=list)
    memory: dict[str, object] = field(default_factory=dict)

    def start_as_usual(self, *, coordinators: int = 1) -> None:
        """Start one or more coordinators, and two workers of two processes each."""
        for _ in range(coordinators):
            self.site.start("coordinator")
        for _ in range(2):
            self.site.start("worker", "--concurrency", "2")

    def finished(self) -> int | None:
        """Return the number of finished matches; None while the database is unavailable."""
        try:
            return Match.objects.filter(event=self.event, status=MatchStatus.FINISHED).count()
        except (DatabaseError, InterfaceError):
            connection.close()
            return None

    def run(self) -> None:
        """Play the event to its end under the fault. Raises AssertionError if it makes no progress."""
        self.fault.prepare(self)
        total = self._expected()
        next_strike = moved = time.monotonic()
        before = 0
        while not self._over():
            self.site.supervise()
            now, finished = time.monotonic(), self.finished()
            if finished is not None:
                if not self.progress or finished > self.progress[-1][1]:
                    moved = now
                self.progress.append((now, finished))
                # Not before matches finish again: a site that is down cannot be struck again.
                if (now >= next_strike and finished > before and len(self.struck) < self.fault.most
                        and _FROM * total < finished < _TO * total):
                    self.fault.strike(self)
                    self.struck.append(time.monotonic())
                    before = finished
                    next_strike = moved = self.struck[-1] + self.fault.every * self.dice.uniform(0.8, 1.2)
            assert now - moved < PATIENCE_SECONDS, f"no progress after {finished} matches\n{self.site.log_tails()}"
            time.sleep(_LOOK_SECONDS)

    def recovery(self) -> float:
        """Return the longest time in seconds from the end of a strike until matches finished at a normal pace again."""
        return max(map(self._recovery, self.struck), default=0.0)

    def _expected(self) -> int:
        """Return how many matches the event has at least, before it starts."""
        entries = self.event.entries.count()
        return entries * (entries - 1) // 2 * self.event.cycles

    def _over(self) -> bool:
        with suppress(DatabaseError, InterfaceError):
            self.event.refresh_from_db(fields=["status"])
        return self.event.status not in (EventStatus.SCHEDULED, EventStatus.RUNNING)

    def _recovery(self, struck: float) -> float:
        (began, first), (ended, last) = self.progress[0], self.progress[-1]
        normal = _NORMAL * (last - first) / (ended - began)
        for at, count in self.progress:
            if at < struck:
                continue
            later = [done for moment, done in self.progress if at < moment <= at + 1.0]
            if later and (later[-1] - count >= normal or later[-1] == last):
                return at - struck
        # The event ended during the strike, so the strike did not stop it.
        return max(0.0, ended - struck)


def hold(backend: Backend, fault: Fault, *, bots: int, seed: int, logs: Path, **options: Any) -> Line:
    """Run an event, which `options` describe, under the fault and return the result."""
    before = Leftovers.of(backend)
    with backend.event(bots, seed, **options) as (event, url):
        site = FaultSite(backend, url, logs)
        # Seeded by text: a string's hash differs between processes.
        course = Course(backend, site, event, fault, Random(f"{fault.name} {seed}"))
        began = time.monotonic()
        try:
            course.run()
            seconds = time.monotonic() - began
            broken = [*broken_rules(site, event), *left_while_idle(site), *fault.after(course)]
        except BaseException:
            print(site.log_tails())  # noqa: T201 - pytest shows it with the failure
            raise
        finally:
            site.close()
        broken += left_at_the_end(site, before)
        site.groups.remove()
        counts = Counts.of(event)
    return Line(fault.name, len(course.struck), counts.matches, counts.lost, counts.doubled, counts.charged,
                counts.void, course.recovery(), seconds, tuple(broken))
