"""Measure what live display costs a match.

    nice .venv/bin/python tests/bench/live_turns.py [turns] [seconds]

The main thread stands in for the referee: it publishes `turns` turns, spread over `seconds`, with a Redis that
responds, one that is stopped (SIGSTOP) and one that is killed. Prints the CPU and wall time of publishing a turn, and
the CPU time of the whole process for the match, including the thread that sends the turns.
"""

import os
import signal
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from engines.records.record import TurnRecord  # noqa: E402 - likewise
from tournaments.platform.cache import redis_address  # noqa: E402 - likewise
from tournaments.selectors.matches.live_turns import LiveTurns  # noqa: E402 - likewise
from tournaments.setup.embedded import EmbeddedRedis  # noqa: E402 - likewise
from tournaments.worker.broadcast import Broadcast, Publisher  # noqa: E402 - likewise


def main(turns: int, seconds: float) -> None:
    print(f"{turns} turns in {seconds:g} s        µs per turn: CPU median, CPU most, wall p99   ms CPU per match")
    with EmbeddedRedis() as server:
        for state, stop, start in (
            ("that responds", lambda: None, lambda: None),
            ("that is stopped", lambda: os.kill(server.pid, signal.SIGSTOP),
             lambda: os.kill(server.pid, signal.SIGCONT)),
            ("that is killed", server.kill, server.start),
        ):
            stop()
            try:
                cpu, wall, match = play(LiveTurns(redis_address(server.url) or ""), turns, seconds)
            finally:
                start()
            print(f"a Redis {state:16}  {statistics.median(cpu) * 1e6:20.1f} {max(cpu) * 1e6:9.1f} "
                  f"{statistics.quantiles(wall, n=100)[98] * 1e6:9.1f} {match * 1e3:20.1f}")


def play(store: LiveTurns, turns: int, seconds: float) -> tuple[list[float], list[float], float]:
    """Return the CPU and wall seconds of publishing each turn, and the process's CPU seconds for all of them."""
    carrier, shown = Publisher(store), Broadcast(1, 1)
    carrier.play(shown)
    journal = shown.game()
    cpu, wall = [], []
    process = time.process_time()
    for number in range(turns):
        record = TurnRecord(f"a{number % 19 + 1},b{number % 17 + 1}", 0.1, 0.1)
        wall_began, cpu_began = time.perf_counter(), time.thread_time()
        journal.turn(record)
        cpu.append(time.thread_time() - cpu_began)
        wall.append(time.perf_counter() - wall_began)
        time.sleep(seconds / turns)
    spent = time.process_time() - process
    carrier.play(None)
    return cpu, wall, spent


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, float(sys.argv[2]) if len(sys.argv) > 2 else 10)
