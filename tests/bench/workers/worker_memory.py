"""Measure the memory of a worker per slot, while its slots play.

    python tests/bench/workers/worker_memory.py [--slots 2] [--matches 30]

Random bots play Square Grid Hex 7×7 through coordinator, broker and a worker on a temporary PostgreSQL. The figure is
the proportional set size (PSS) of the worker's processes without the bots: a page that several processes share counts
once.
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
LIMIT_MB = 90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=2, help="matches at a time (default 2)")
    parser.add_argument("--matches", type=int, default=30, help="matches before the measurement (default 30)")
    options = parser.parse_args()
    from tests.bench.service import site

    with tempfile.TemporaryDirectory(prefix="sqf-") as scratch, site(Path(scratch), postgres=True):
        measure(options.slots, options.matches, Path(scratch))


def measure(slots: int, matches: int, scratch: Path) -> None:
    """Let a worker play this many matches; print its memory per slot next to the limit."""
    from tests.bench.service import processes, schedule
    from tournaments.models import Match
    from tournaments.models.lifecycle import MatchStatus

    event = schedule("Memory", matches // 15 + 2 * slots)
    with processes(slots, scratch) as (_, worker):
        while Match.objects.filter(event=event, status=MatchStatus.FINISHED).count() < matches:
            time.sleep(0.2)
        parent, *children = [memory(pid) for pid in family(worker.pid)]
    per_slot = (parent + sum(children)) / slots
    print(f"{slots} slots: {parent:.0f} MB the main process, {', '.join(f'{one:.0f}' for one in children)} MB its "
          f"children: {per_slot:.0f} MB per slot (limit {LIMIT_MB})")


def family(pid: int) -> list[int]:
    """Return the process and its forks, without the bots below them."""
    return [pid, *(int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def memory(pid: int) -> float:
    """Return the process's proportional set size in MB."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
    assert found
    return int(found[1]) / 1000


if __name__ == "__main__":
    main()
