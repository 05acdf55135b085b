"""Options and help of `manage.py demo` and `selftest`, available before any package is installed."""

import argparse
import os
from collections.abc import Sequence
from typing import Final

DEMO_HELP: Final = (
    "Run the whole service on this machine: sandboxed reference bots play a round-robin in each of the five rulesets, "
    "with ratings and leaderboards in the browser. A second run continues with the same data."
)
DEMO_SCALES: Final = ("normal", "small")


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the demo's options, for both its command and its help."""
    parser.add_argument("--port", type=int, default=8000, metavar="N",
                        help="port of the site on this machine (default 8000)")
    parser.add_argument("--scale", choices=DEMO_SCALES, default="normal",
                        help="amount of play: a few minutes, or half a minute (default normal)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N",
                        help="matches in parallel (default: one per core)")
    parser.add_argument("--fresh", action="store_true", help="delete all earlier data and start over")
    parser.add_argument("--exit", action="store_true",
                        help="exit when the events have ended; exit code 1 if a match is permanently void")


def help_of(words: Sequence[str]) -> str | None:
    """Return the help that these words after `manage.py` request; None if they request none, or another command's."""
    command, *rest = words or [""]
    if command == "help" and rest:
        command, rest = rest[0], ["--help"]
    options = rest[:rest.index("--")] if "--" in rest else rest
    if not {"-h", "--help"} & set(options):
        return None
    if command == "demo":
        parser = argparse.ArgumentParser(prog="manage.py demo", description=DEMO_HELP)
        add_demo_arguments(parser)
        return parser.format_help()
    if command == "selftest":
        from tournaments.setup.bootstrap import selftest

        return selftest.parser().format_help()
    return None
