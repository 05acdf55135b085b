"""Measure the memory of a worker per slot, while its slots play.

    python tests/bench/workers/worker_memory.py [--slots 2] [--matches 30]

Random bots play Square Grid Hex 7×7 through coordinator, broker and a worker on a temporary PostgreSQL. The figure is
the proportional set size (PSS) of the worker's processes without the bots: a page that several processes share counts
once.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.common import children_of, options_of, site
from tests.bench.service import processes, schedule

LIMIT_MB = 90


def main() -> None:
    options = options_of(__doc__, slots=(2, "matches at a time"), matches=(30, "matches before the measurement"))
    with site() as made:
        measure(options.slots, options.matches, made.scratch)


def measure(slots: int, matches: int, scratch: Path) -> None:
    """Let a worker play this many matches; print its memory per slot next to the limit."""
    from tournaments.models import Match
    from tournaments.models.lifecycle import MatchStatus

    event = schedule("Memory", matches // 15 + 2 * slots)
    with processes(slots, scratch) as (_, worker):
        while Match.objects.filter(event=event, status=MatchStatus.FINISHED).count() < matches:
            time.sleep(0.2)
        # The main process and its children, without the bots below them.
        parent, *children = [memory(pid) for pid in (worker.pid, *children_of(worker.pid))]
    per_slot = (parent + sum(children)) / slots
    print(f"{slots} slots: {parent:.0f} MB the main process, {', '.join(f'{one:.0f}' for one in children)} MB its "
          f"children: {per_slot:.0f} MB per slot (limit {LIMIT_MB})")


def memory(pid: int) -> float:
    """Return the process's proportional set size in MB."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1000


if __name__ == "__main__":
    main()
