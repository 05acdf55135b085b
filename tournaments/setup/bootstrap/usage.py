"""The options of `manage.py demo` and `selftest`, and their help, which needs no package to be installed."""

import argparse
import os
from collections.abc import Sequence
from typing import Final

DEMO_HELP: Final = (
    "Run the whole service on this machine: sandboxed reference bots play a round-robin in each of the five "
    "rulesets, with ratings and leaderboards in the browser. A second run goes on with the same data."
)
DEMO_SCALES: Final = ("normal", "small")


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """The demo's options, for its command and for its help alike."""
    parser.add_argument("--port", type=int, default=8000, metavar="N",
                        help="where the site listens on this machine (default 8000)")
    parser.add_argument("--scale", choices=DEMO_SCALES, default="normal",
                        help="how much is played: minutes, or half a minute (default normal)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N",
                        help="matches at once (default: one a core)")
    parser.add_argument("--fresh", action="store_true", help="forget all earlier data and start over")
    parser.add_argument("--exit", action="store_true",
                        help="end when the events have ended; exit code 1 if a match was void for good")


def help_of(words: Sequence[str]) -> str | None:
    """The help that these words after `manage.py` ask for; None when they ask for nothing that can be told here."""
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
