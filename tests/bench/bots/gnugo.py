"""Play matches of SquareSquared with GNU Go, an unchanged Go program; print the results and every fault.

    python tests/bench/bots/gnugo.py                          levels 1 and 10, 7×7 and 9×9, ten games per pair
    python tests/bench/bots/gnugo.py --sizes 7 --games 2
    python tests/bench/bots/gnugo.py --law=--no-ko            with another law of ko, which breaks superko

Each level is staged from a bot.toml of three lines, as an author would upload it, and plays itself, the other level
and `searcher` in the sandbox, from both seats of each opening. A protocol fault makes the exit status 1. An illegal
turn is the bot's own fault; it is shown with the board on which it was played.
"""

import sys
import tempfile
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.records.record import EndedBy, GameRecord, verify
from engines.records.time_control import TimeControl
from engines.rules.drawing import board_text
from engines.rules.outcome import Forfeit
from engines.rules.registry import find
from engines.sandbox import Build, Sandbox
from tests.bench.common import options_of
from tournaments.kit.bots import stage
from tournaments.kit.pool import Pool, Setting
from tournaments.kit.series import Standing, schedule

GNUGO: Final = Path("/usr/games/gnugo")
OUR_LAW: Final = "--positional-superko --allow-suicide"
_SLUG: Final = "squaresquared"


def make(sandbox: Sandbox, level: int, law: str) -> Build:
    """Return GNU Go at this level, staged as if uploaded."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "bot.toml").write_text(
            f'name = "GNU Go {level}"\n'
            f'command = "{GNUGO} --mode gtp --level {level} {law}"\n'
            f'rulesets = ["{_SLUG}"]\n')
        return stage(sandbox, directory)


def show_fault(record: GameRecord) -> None:
    """Print the offending line and the board that it was meant for."""
    fault = record.fault
    assert fault is not None
    print(f"\n{record.seats[fault.seat].name}, ply {fault.ply}, {fault.kind.value}: {fault.message}; "
          f"it wrote {fault.line!r}\n{board_text(verify(record).rows())}\n")


def play(builds: tuple[Build, Build], size: int, games: int, control: TimeControl, sandbox: Sandbox) -> int:
    """Play a match and print its row; return the number of games ended by a protocol fault."""
    setting = Setting(_SLUG, size, control, builds, sandbox.runtime.root, unsafe_local=False)
    standing, plies, illegal, protocol, capped = Standing(("", "")), 0, [], [], 0
    with Pool(setting, 2) as pool:
        for job, record in pool.play(schedule(find(_SLUG), size, games, seed=1)):
            verify(record)
            standing.add(job, record)
            plies += len(record.turns)
            capped += record.result.ended_by is EndedBy.POLICY
            if record.fault is not None:
                (illegal if record.fault.kind is Forfeit.ILLEGAL else protocol).append(record)
    tally = standing.tally
    names = " – ".join(build.manifest.name for build in builds)
    print(f"| {names} | {size} | {tally.wins}–{tally.draws}–{tally.losses} | {plies / games:.0f} | {capped} | "
          f"{len(illegal)} | {len(protocol)} |", flush=True)
    for record in [*illegal, *protocol]:
        show_fault(record)
    return len(protocol)


def main() -> int:
    """Play every pair and print the table."""
    options = options_of(
        __doc__, sizes=([7, 9], "sizes"), levels=([1, 10], "levels of GNU Go"), games=(10, "games per match"),
        clock=([10.0, 0.1], "seconds per game and per turn"), law=(OUR_LAW, "GNU Go's options for the law of ko"))
    sandbox = Sandbox.open()
    bots = [make(sandbox, level, options.law) for level in options.levels]
    others = [stage(sandbox, "searcher")]
    print(f"tier {sandbox.tier.value}, {options.clock[0]:g} s + {options.clock[1]:g} s per turn\n\n"
          "| match | size | won–drawn–lost | plies per game | at the cap | illegal turns | protocol faults |\n"
          "|---|---|---|---|---|---|---|")
    faults = sum(play(pair, size, options.games, TimeControl(*options.clock), sandbox)
                 for size in options.sizes
                 for pair in combinations_with_replacement([*bots, *others], 2) if pair[0] in bots)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
