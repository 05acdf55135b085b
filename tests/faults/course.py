"""An event from start to end while a fault strikes again and again, and what the operator's clock says of it."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from django.db import DatabaseError, InterfaceError, connection

from tests.faults.ground import Ground
from tests.faults.invariants import Books, Remains, broken_rules, left_at_the_end, left_while_idle
from tests.faults.report import Line
from tests.faults.site import FaultSite
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus

# An event that has not moved for so long will not end by itself.
PATIENCE_SECONDS = 600
_LOOK_SECONDS = 0.1
# The fault strikes from the first of these shares of the matches to the second, so that some are left to recover with.
_FROM, _TO = 0.05, 0.85
# A normal pace: so much of what was finished a second on average, for a second.
_NORMAL = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong: `strike` does it once and returns when it is over; `every` so many seconds, `most` times.

    `prepare` starts the site's processes; `after` checks what is particular to this fault, and says what is wrong.
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

    ground: Ground
    site: FaultSite
    event: Event
    fault: Fault
    dice: Random
    struck: list[float] = field(default_factory=list)
    progress: list[tuple[float, int]] = field(default_factory=list)
    memory: dict[str, object] = field(default_factory=dict)

    def start_as_usual(self, *, coordinators: int = 1) -> None:
        """Have a coordinator or several, and two workers of two processes each."""
        for _ in range(coordinators):
            self.site.start("coordinator")
        for _ in range(2):
            self.site.start("worker", "--concurrency", "2")

    def finished(self) -> int | None:
        """How many matches are finished; None while the database is away."""
        try:
            return Match.objects.filter(event=self.event, status=MatchStatus.FINISHED).count()
        except (DatabaseError, InterfaceError):
            connection.close()
            return None

    def run(self) -> None:
        """Let the event be played to its end under the fault. Raises AssertionError when it stands still."""
        self.fault.prepare(self)
        total = Match.objects.filter(event=self.event).count() or self._expected()
        next_strike = moved = time.monotonic()
        before = 0
        while not self._over():
            self.site.tend()
            now, finished = time.monotonic(), self.finished()
            if finished is not None:
                if not self.progress or finished > self.progress[-1][1]:
                    moved = now
                self.progress.append((now, finished))
                # Not before it goes on: a site that is down cannot be hit again.
                if (now >= next_strike and finished > before and len(self.struck) < self.fault.most
                        and _FROM * total < finished < _TO * total):
                    self.fault.strike(self)
                    self.struck.append(time.monotonic())
                    before = finished
                    next_strike = moved = self.struck[-1] + self.fault.every * self.dice.uniform(0.8, 1.2)
            assert now - moved < PATIENCE_SECONDS, f"the event stands still at {finished}\n{self.site.words()}"
            time.sleep(_LOOK_SECONDS)

    def recovery(self) -> float:
        """Seconds from the end of a strike until matches were finished at a normal pace again, at the worst."""
        return max(map(self._recovery, self.struck), default=0.0)

    def _expected(self) -> int:
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
        # It was played to its end during the strike, which did not keep it from that.
        return max(0.0, ended - struck)


def hold(ground: Ground, fault: Fault, *, bots: int, seed: int, logs: Path) -> Line:
    """Hold an event under the fault and say what came of it."""
    before = Remains.of(ground)
    with ground.event(bots, seed) as (event, url):
        site = FaultSite(ground, url, logs)
        # A string's hash would differ from one process to the next.
        course = Course(ground, site, event, fault, Random(f"{fault.name} {seed}"))
        began = time.monotonic()
        try:
            course.run()
            seconds = time.monotonic() - began
            broken = [*broken_rules(site, event), *left_while_idle(site), *fault.after(course)]
        except BaseException:
            print(site.words())  # noqa: T201 - pytest shows it with the failure
            raise
        finally:
            site.close()
        broken += left_at_the_end(site, before)
        site.groups.remove()
        books = Books.of(event)
    return Line(fault.name, len(course.struck), books.matches, books.lost, books.doubled, books.charged, books.void,
                course.recovery(), seconds, tuple(broken))
