"""The honest match that runs alongside the hostile bots, until stdin is closed; one JSON line per game."""

import json
import select
import sys
from pathlib import Path

from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.sandbox import Runtime, Sandbox, Tier

SIZE = 5


def main() -> None:
    """Play one game after another."""
    runtime, sha256 = sys.argv[1:]
    sandbox = Sandbox.open(Runtime(Path(runtime)))
    build = sandbox.runtime.staged(sha256)
    assert build is not None, "the caller must stage the bot first"
    # Half a second of CPU time for five turns of 10 ms; with wall time, enough for a busy machine.
    control = TimeControl(0.5) if sandbox.tier is Tier.STANDARD else TimeControl(3.0, 0.5)
    player = Player("honest", lambda: sandbox.start(build))
    # The pause leaves most of the processor to other tests.
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        try:
            record = play_game(find("square-grid-hex"), SIZE, (player, player), time_control=control)
        except HostStarved:  # no result and no fault: replayed
            continue
        game = {"ended_by": record.result.ended_by, "winner": record.result.winner,
                "fault": record.fault and str(record.fault), "seconds": sum(turn.seconds for turn in record.turns)}
        sys.stdout.write(json.dumps(game) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
