"""Measure the start of a bot in the sandbox, from the call to the first byte that it writes.

    python tests/bench/bots/sandbox_start.py [--starts 100]

A C bot and a Python bot, the two bots of a game one after the other, and 16 bots at once, as for 8 matches. On an
idle machine, half of all starts should take at most 20 ms.
"""

import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.sandbox import Build, Sandbox
from tests.bench.bots.roundtrip import echo
from tests.bench.common import options_of

GOAL = 20
MATCHES = 8
PYTHON = """
import os, sys
for line in sys.stdin:
    os.write(1, b"=\\n\\n")
"""


def main() -> None:
    """Measure and print the results."""
    starts = options_of(__doc__, starts=(100, "starts of each kind")).starts
    with tempfile.TemporaryDirectory() as scratch, Sandbox.open() as sandbox:
        c, python = echo(sandbox, Path(scratch)), script(sandbox, Path(scratch))
        print(f"tier {sandbox.tier.value}, load {os.getloadavg()[0]:.1f}; milliseconds, p50 and p95")
        kinds: dict[str, Callable[[], tuple[float, float]]] = {
            "C bot": lambda: start(sandbox, [c]), "python3 -S": lambda: start(sandbox, [python]),
            "both bots of a game": lambda: start(sandbox, [c, c])}
        for name, measure in kinds.items():
            report(name, starts, measure)
        report(f"{2 * MATCHES} bots for {MATCHES} matches", max(3, starts // 10),
               lambda: start(sandbox, [c] * 2 * MATCHES))
    print(f"goal: p50 of one start at most {GOAL} ms on a quiet machine")


def script(sandbox: Sandbox, directory: Path) -> Build:
    """Return a Python bot that answers every line."""
    place = directory / "python"
    place.mkdir()
    (place / "main.py").write_text(PYTHON)
    (place / "bot.toml").write_text('name = "script"\ncommand = ["python3", "-S", "main.py"]\n')
    return sandbox.runtime.stage_directory(place)


def start(sandbox: Sandbox, builds: list[Build]) -> tuple[float, float]:
    """Start these bots, query all and wait for all; return the milliseconds until then, and those to kill them."""
    with ExitStack() as bots:
        began = time.perf_counter()
        started = [sandbox.start(build) for build in builds]
        for bot in started:
            bots.callback(bot.kill)
            os.write(bot.stdin, b"name\n")
        for bot in started:
            select.select([bot.stdout], [], [])
            assert os.read(bot.stdout, 4096).startswith(b"=")
        answered = time.perf_counter()
    return 1000 * (answered - began), 1000 * (time.perf_counter() - answered)


def report(name: str, number: int, measure: Callable[[], tuple[float, float]]) -> None:
    """Print a line of the table; the first start is a warm-up."""
    measure()
    columns = zip(*(measure() for _ in range(number)), strict=True)
    started, killed = ((statistics.median(times), statistics.quantiles(times, n=20)[-1]) for times in columns)
    print(f"{name:24} start {started[0]:6.1f} {started[1]:6.1f}   kill {killed[0]:5.1f} {killed[1]:5.1f}", flush=True)


if __name__ == "__main__":
    main()
