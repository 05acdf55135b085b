"""Runs the kit's commands in this process, which takes a tenth of the time of another process."""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from tests.waiting import wait_for
from tournaments.kit.main import main

PROCESS = [sys.executable, "-m", "tournaments.kit.main"]


class Terminal(io.StringIO):
    """An output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(*arguments: object, text: str = "",
        output: Callable[[], io.StringIO] = io.StringIO) -> tuple[int, str, str]:
    """Run a command with this text on its standard input. Returns its exit status, output and standard error."""
    out, err = output(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(text.encode()))
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", given):
        try:
            status = main(list(map(str, arguments)))
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    return status, out.getvalue(), err.getvalue()


def two_pids(file: Path) -> list[int]:
    """Return the two process ids that bots wrote to the file, separated by spaces, when both are there."""
    wait_for(lambda: file.exists() and file.read_text().count(" ") == 2, "the start of both bots")
    return [int(pid) for pid in file.read_text().split()]
