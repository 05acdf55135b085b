"""The commands of `python -m engines`; `tournaments.kit` has those of `squarefield`."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final, NamedTuple

from engines.version import VERSION

INTERRUPTED: Final = 130


class Command(NamedTuple):
    """A command: its module, whose `main` takes the arguments and returns the exit status, and a description."""

    module: str
    what: str


def parser_of(prog: str, description: str) -> argparse.ArgumentParser:
    """Return a parser for a command; the line breaks of the description are kept."""
    return argparse.ArgumentParser(prog=prog, description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def dispatch(prog: str, description: str, commands: Mapping[str, Command], argv: Sequence[str]) -> int:
    """Run the command named by the first argument and return its exit status."""
    parser = parser_of(prog, description)
    parser.epilog = ("commands:\n" + "\n".join(f"  {name:8}{command.what}" for name, command in commands.items())
                     + f"\n\nRun `{prog} COMMAND --help` for details.")
    parser.add_argument("--version", action="version", version=f"{prog} {VERSION}")
    parser.add_argument("command", choices=commands, metavar="COMMAND", help="one of the commands below")
    name: str = parser.parse_args(argv[:1]).command
    try:
        status: int = import_module(commands[name].module).main(argv[1:])
        sys.stdout.flush()
    except ModuleNotFoundError as error:
        # Windows lacks some of Python's own modules.
        if sys.platform == "linux" or error.name not in sys.stdlib_module_names:
            raise
        print(f"{prog} {name} cannot run on {sys.platform}, because it needs Linux: on Windows, use WSL",
              file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Without this, Python would report the error again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status
