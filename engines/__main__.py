"""`python -m engines COMMAND …`: tools for the authors of bots and rulesets."""

import sys
from collections.abc import Sequence
from typing import Final

from engines.cli import Command, dispatch

COMMANDS: Final = {
    "replay": Command("engines.cli.replay", "play recorded games through the rules: JSON lines in, JSON lines out"),
    "perft": Command("engines.cli.perft", "count the turn sequences from the empty board"),
    # Another name for `squarefield play`. The kit is above this package, so it is named and not imported.
    "play": Command("tournaments.kit.play", "let two bots play each other"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    return dispatch("python -m engines", "Tools for the authors of bots and rulesets.", COMMANDS,
                    sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
