"""Test whether an honest bot ever loses on time: one that uses 99 % of every turn plays itself next to busy processes.

    python tests/bench/bots/honest_clock.py [--games 500] [--busy 4] [--time 0.02+0.02]

Prints the number of games lost on time, which must be 0, the number cancelled by the referee because the host was
starved, and the largest share of the clock that a turn was charged.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.records.record import GameRecord
from engines.records.time_control import Clock, TimeControl
from engines.referee.host import HostStarved
from engines.sandbox import Build, Sandbox
from tests.bench.common import options_of
from tests.sandbox.acceptance.arena import Workshop, busy_processes, meet

BOT = "uses_99_percent"


@dataclass
class Tally:
    """The results of the games; `ratios` are the shares of the clock that each turn was charged."""

    games: int = 0
    lost: list[str] = field(default_factory=list)
    starved: int = 0
    ratios: list[float] = field(default_factory=list)

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        self.games += 1
        if record.fault is not None:
            self.lost.append(f"{record.fault.kind}: {record.fault.message}")
        for seat in (0, 1):
            clock = Clock(record.time_control, record.clock)
            for turn in record.turns[seat::2]:
                if clock.remaining:
                    self.ratios.append(turn.seconds / clock.remaining)
                clock.charge(turn.seconds)


def play(sandbox: Sandbox, bot: Build, games: int, control: TimeControl) -> Iterator[Tally]:
    """Yield the tally after each game."""
    tally = Tally()
    while tally.games < games:
        try:
            tally.add(meet(sandbox, bot, bot, control=control).record)
        except HostStarved:
            tally.starved += 1
        yield tally


@contextmanager
def beside(number: int) -> Iterator[None]:
    """Run this many busy processes during the block."""
    processes = busy_processes(number)
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main() -> None:
    """Play and print the results."""
    options = options_of(__doc__, games=(500, "games"), time=("0.02+0.02", "time control"),
                         busy=(4, "processes that use all the CPU they can get"))
    began, tally = time.monotonic(), Tally()
    with tempfile.TemporaryDirectory() as scratch, Sandbox.open() as sandbox, beside(options.busy):
        bot = Workshop(sandbox, Path(scratch)).build(BOT)
        for tally in play(sandbox, bot, options.games, TimeControl.parse(options.time)):
            if tally.games % 50 == 0:
                print(f"{tally.games} games, {len(tally.lost)} lost, {tally.starved} cancelled", flush=True)
    ratios = sorted(tally.ratios)
    print(f"{tally.games} games of {len(ratios) / tally.games:.1f} plies, {options.time}, tier {sandbox.tier.value}, "
          f"{options.busy} busy processes, load {os.getloadavg()[0]:.1f}, {time.monotonic() - began:.0f} s")
    print(f"share of the clock charged: median {ratios[len(ratios) // 2]:.1%}, worst {ratios[-1]:.1%}")
    print(f"lost on time: {len(tally.lost)}; cancelled because the host was starved: {tally.starved}")
    for reason in tally.lost:
        print(f"  {reason}")


if __name__ == "__main__":
    main()
