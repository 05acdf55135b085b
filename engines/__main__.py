"""`python -m engines COMMAND …`: tools for the authors of bots and rulesets."""

import sys
from collections.abc import Sequence
from typing import Final

from engines.cli import Command, dispatch

COMMANDS: Final = {
    "replay": Command("engines.cli.replay", "replay recorded games by the rules: JSON lines in, JSON lines out"),
    "perft": Command("engines.cli.perft", "count the turn sequences from the empty board"),
    # The same command as `squarefield play`. This package must not import the kit, so it refers to it by name.
    "play": Command("tournaments.kit.play", "play two bots against each other"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return dispatch("python -m engines", "Tools for the authors of bots and rulesets.", COMMANDS,
                    sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
