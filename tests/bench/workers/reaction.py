"""Measure how soon an idle site starts work after its cause.

    python tests/bench/workers/reaction.py [--events 10]

A coordinator and a worker on a temporary PostgreSQL and Redis are idle. Then an event of six random bots is created
that starts at once. The first figure is the time from the commit of the event until a worker has claimed its first
match. The second is the time from the end of the event's last match until the event is finished. The limit for each is
0.1 s.
"""

import os
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.common import options_of, site
from tests.bench.service import processes, schedule, wait_for

LIMIT_SECONDS = 0.1
# Longer than the pause after which a coordinator sleeps, and no multiple of its intervals.
IDLE_SECONDS = 3.7


def main() -> None:
    events = options_of(__doc__, events=(10, "events to create")).events
    with site() as made:
        measure(events, made.scratch)


def measure(events: int, scratch: Path) -> None:
    """Create the events one after the other; print how soon each begins and ends."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from tournaments.models import Version
    from tournaments.models.lifecycle import EventStatus
    from tournaments.services.events.events import create_event

    ladder = schedule("Start", 1).ladder
    begins, ends = [], []
    with processes(1, scratch):
        for number in range(events + 1):
            now = timezone.now()
            event = create_event(name=f"Event {number}", ladder=ladder, versions=list(Version.objects.all()), cycles=1,
                                 starts_at=now, created_by=User.objects.get(), now=now, seed=number)
            committed = time.time()
            wait_for(event, EventStatus.FINISHED)
            first, last = attempts_of(event)
            if number:  # The first also waits until the processes have started.
                begins.append(first - committed)
                ends.append(event.ended_at.timestamp() - last)
            time.sleep(IDLE_SECONDS)
    for what, seconds in (("first match claimed after", begins), ("event finished after", ends)):
        print(f"{what} {median(seconds):.3f} s (median), {max(seconds):.3f} s (longest), limit {LIMIT_SECONDS} s, "
              f"load {os.getloadavg()[0]:.1f}")


def attempts_of(event: object) -> tuple[float, float]:
    """Return when the event's first match was claimed, and when its last one ended, as Unix times."""
    from tournaments.models import Attempt

    attempts = Attempt.objects.filter(match__event=event)
    return (attempts.order_by("started_at")[0].started_at.timestamp(),
            attempts.order_by("-ended_at")[0].ended_at.timestamp())


if __name__ == "__main__":
    main()
