"""`squarefield COMMAND …`: the commands for bot authors, from a new bot to its submission."""

import sys
from collections.abc import Sequence
from typing import Final

from engines.cli import Command, dispatch

COMMANDS: Final = {
    "new": Command("tournaments.kit.new", "create a bot that plays legally"),
    "play": Command("tournaments.kit.play", "play one or more games between two bots locally"),
    "check": Command("tournaments.kit.check", "check a bot as the site does on submission"),
    "replay": Command("tournaments.kit.replay", "step through a recorded game turn by turn"),
    "submit": Command("tournaments.kit.submit", "submit a bot to a site, and wait for the result of its check"),
    "bridge": Command("tournaments.kit.bridge.command", "connect an engine that cannot be uploaded"),
    "verify": Command("tournaments.kit.verify", "verify an event's bundle: its games, tables and ratings"),
    "rate": Command("ratings.rate.main", "rate the players in a CSV file of games with one of three models"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit status."""
    return dispatch("squarefield", "Tools for authors of bots that play abstract games on square boards.", COMMANDS,
                    sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
