"""`squarefield COMMAND …`: what an author does, from a new bot to its submission."""

import sys
from collections.abc import Sequence
from typing import Final

from engines.cli import Command, dispatch

COMMANDS: Final = {
    "new": Command("tournaments.kit.new", "begin a bot that plays all five rulesets legally"),
    "play": Command("tournaments.kit.play", "let two bots play each other here, once or many times"),
    "check": Command("tournaments.kit.check", "check a bot as the site does when it is submitted"),
    "replay": Command("tournaments.kit.replay", "look at a recorded game turn by turn"),
    "submit": Command("tournaments.kit.submit", "send a bot to a site, and wait for its verdict"),
    # By name alone: tables are above the rules and the kit, and ratings beside them.
    "verify": Command("tournaments.kit.verify", "check an event's bundle, and compute its tables and ratings"),
    "rate": Command("ratings.rate.main", "rate the players of a CSV of games by one of three models"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    return dispatch("squarefield", "For the authors of bots that play abstract games on square boards.", COMMANDS,
                    sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
