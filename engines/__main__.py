"""`python -m engines COMMAND …`: tools for the authors of bots and rulesets."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

COMMANDS: Final = {
    "replay": "play recorded games through the rules: JSON lines in, JSON lines out",
    "perft": "count the turn sequences from the empty board",
    "play": "let two bots play each other",
}
_INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="python -m engines", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Tools for the authors of bots and rulesets.",
        epilog="commands:\n" + "\n".join(f"  {name:8}{what}" for name, what in COMMANDS.items())
               + "\n\n`python -m engines COMMAND --help` tells more.")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    command = parser.parse_args(argv[:1]).command
    try:
        status: int = import_module(f"engines.cli.{command}").main(argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has had enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main())
