"""Measure a round trip to an echoing C bot, over bare pipes and through referee and sandbox, in one run.

    python tests/bench/bots/roundtrip.py [--exchanges 40000]

"Bare" is the same program as a plain child, queried with write, poll and read: in its own session, as all bots are
(Linux schedules sessions as groups, and takes longer to switch between two), and for comparison in ours. "Refereed" is
`Channel.ask` with a turn's clock and all its checks, and the bot in the full sandbox of this machine. The kinds take
turns in blocks of a hundred, so that other work on the machine affects them equally. Everything runs on one core, since
waking a process on another core costs more than everything measured here. The last line is the time that the referee
needs for the longest view that a bot can report with its turn.
"""

import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.records.time_control import ClockKind
from engines.referee.clock import TurnTimer
from engines.referee.gtp import Channel
from engines.referee.seat import _with_view
from engines.sandbox import BotProcess, Build, Sandbox, Tier
from engines.view import View
from tests.bench.common import options_of

QUESTION = "genmove white"
BLOCK = 100
GOAL = 1.5
VIEW_LIMIT = 30.0


def main() -> None:
    """Measure and print the results."""
    exchanges = options_of(__doc__, exchanges=(40_000, "exchanges of each kind")).exchanges
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as scratch, Sandbox.open() as sandbox:
        times = measure(sandbox, echo(sandbox, Path(scratch)), exchanges)
    print(f"{exchanges:,} exchanges of each kind, tier {sandbox.tier.value}, load {os.getloadavg()[0]:.1f}")
    for name, found in times.items():
        spread = statistics.quantiles(found, n=100)
        print(f"{name:26} p50 {spread[49]:6.2f} µs   p95 {spread[94]:6.2f} µs   p99 {spread[98]:6.2f} µs")
    bare, plain, refereed = (statistics.median(found) for found in times.values())
    print(f"refereed / bare pipe: {refereed / bare:.2f} (goal: at most {GOAL}); "
          f"refereed / bare pipe in the same session: {refereed / plain:.2f}")
    answer = f"e5\n{View(0.5, 9999, 10**15 - 1, ('a1,b2,c3',) * 32).line()}"
    view = min(timeit.repeat(lambda: _with_view(answer), number=1000, repeat=20)) * 1000
    print(f"the longest view: {view:.1f} µs (limit: {VIEW_LIMIT:.0f} µs)")


def echo(sandbox: Sandbox, directory: Path) -> Build:
    """Return the echoing bot, compiled and staged."""
    source = Path(__file__).with_name("echo.c")
    subprocess.run(["gcc", "-O2", "-o", directory / "echo", source], check=True)
    (directory / "bot.toml").write_text('name = "echo"\ncommand = "./echo"\n')
    return sandbox.runtime.stage_directory(directory)


def measure(sandbox: Sandbox, build: Build, exchanges: int) -> dict[str, list[float]]:
    """Return the microseconds of every exchange, by kind."""
    with sandbox.start(build) as bot, child(build, own_session=True) as bare, child(build, own_session=False) as plain:
        askers = {"bare pipe": ask_bare(bare), "bare pipe, same session": ask_bare(plain),
                  "refereed": ask_refereed(bot, sandbox.tier)}
        times: dict[str, list[float]] = {name: [] for name in askers}
        for number in range(0, exchanges + BLOCK, BLOCK):
            for name, ask in askers.items():
                block = [timed(ask) for _ in range(BLOCK)]
                if number:  # the first block is a warm-up
                    times[name] += block
    return times


@contextmanager
def child(build: Build, *, own_session: bool) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the program without sandbox or referee."""
    with subprocess.Popen([build.path / "echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          start_new_session=own_session) as process:
        yield process
        process.kill()


def timed(ask: Callable[[], None]) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1e6


def ask_bare(child: "subprocess.Popen[bytes]") -> Callable[[], None]:
    """Return the minimal exchange in Python: write, poll, read."""
    assert child.stdin is not None
    assert child.stdout is not None
    stdin, stdout, poll = child.stdin.fileno(), child.stdout.fileno(), select.poll()
    poll.register(stdout, select.POLLIN)
    question = f"{QUESTION}\n".encode()

    def ask() -> None:
        os.write(stdin, question)
        poll.poll(1000)
        answer = os.read(stdout, 4096)
        assert answer == b"= " + question + b"\n"

    return ask


def ask_refereed(bot: BotProcess, tier: Tier) -> Callable[[], None]:
    """Return the referee's exchange, with a clock."""
    channel, kind = Channel(bot), ClockKind.CPU if tier is Tier.STANDARD else ClockKind.WALL
    timer = TurnTimer(3600, kind, bot.cpu_seconds)

    def ask() -> None:
        assert channel.ask(QUESTION, timer) == (True, QUESTION)

    return ask


if __name__ == "__main__":
    main()
