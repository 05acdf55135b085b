"""Test whether the starters of `squarefield new` play legally, with games of each language in each ruleset.

    python tests/bench/bots/starters.py                            every language that this machine can build, 20 games
    python tests/bench/bots/starters.py --languages rust,go --games 4

Each starter plays the reference bot `random` in the sandbox, at the ruleset's default size, from both seats of each
opening. A fault of the starter makes the exit status 1.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.records.record import EndedBy, verify
from engines.records.time_control import TimeControl
from engines.rules.registry import RULESETS
from engines.sandbox import Build, Sandbox
from tests.bench.common import options_of
from tournaments.kit.bots import stage
from tournaments.kit.new import LANGUAGES, begin
from tournaments.kit.pool import Pool, Setting
from tournaments.kit.series import Standing, schedule

_CONTROL = TimeControl(30.0, 0.5)


def make(language: str, sandbox: Sandbox) -> Build:
    """Create, build and stage the language's starter as its author would. Raises OSError without its toolchain."""
    with tempfile.TemporaryDirectory() as work:
        directory = Path(work, f"{language} starter")
        if "Makefile" in begin(directory, language):
            subprocess.run(["make", "-s", "-C", directory], check=True)
        return stage(sandbox, str(directory))


def play(starter: Build, random: Build, slug: str, games: int, sandbox: Sandbox) -> tuple[str, int]:
    """Return a row of the table, and the number of forfeits by the starter."""
    ruleset, size = RULESETS[slug], RULESETS[slug].default_size
    setting = Setting(slug, size, _CONTROL, (starter, random), sandbox.runtime.root, unsafe_local=False)
    standing, plies, capped, slowest = Standing(("", "")), 0, 0, 0.0
    with Pool(setting, 1) as pool:
        for job, record in pool.play(schedule(ruleset, size, games, seed=1)):
            verify(record)
            standing.add(job, record)
            plies += len(record.turns)
            capped += record.result.ended_by is EndedBy.POLICY
            own = [turn.seconds for ply, turn in enumerate(record.turns, len(record.opening)) if ply % 2 == job.first]
            slowest = max(slowest, *own)
    tally, faults = standing.tally, standing.faults[0].total()
    return (f"| {size} | {games} | {tally.wins} | {tally.draws} | {tally.losses} | {faults} | {capped} | "
            f"{plies / games:.0f} | {1000 * slowest:.0f} |"), faults


def main() -> int:
    """Play everything and print the table."""
    options = options_of(__doc__, languages=(",".join(LANGUAGES), "languages of the starters"),
                         games=(20, "games per starter and ruleset"))
    sandbox, forfeits = Sandbox.open(), 0
    random = stage(sandbox, "random")
    print("| language | ruleset | size | games | won | drawn | lost | forfeited | at the cap | plies | slowest, ms |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|")
    for language in options.languages.split(","):
        try:
            starter = make(language, sandbox)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{language} cannot be built here: {error}", file=sys.stderr)
            continue
        for slug in RULESETS:
            row, faults = play(starter, random, slug, options.games, sandbox)
            forfeits += faults
            print(f"| {language} | `{slug}` {row}", flush=True)
    return 1 if forfeits else 0


if __name__ == "__main__":
    sys.exit(main())
