"""A process that fails at its start waits before it exits, so that a supervisor cannot restart it in a fast loop."""

import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

VARIABLE: Final = "SQUAREFIELD_RESTART_SECONDS"
DEFAULT_SECONDS: Final = 10.0


@contextmanager
def held_back() -> Iterator[None]:
    """If the block fails early, print the failure at once, but exit only RESTART_SECONDS after the start.

    A signal still ends the process at once, and a process that fails later exits at once.
    """
    began = time.monotonic()
    try:
        _seconds()
        yield
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
            code = 1
    except Exception:  # noqa: BLE001 - every failure counts, and Python would print it only after the wait
        traceback.print_exc()
        code = 1
    else:
        return
    if code:
        sys.stderr.flush()
        time.sleep(max(0.0, began + _seconds(invalid=DEFAULT_SECONDS) - time.monotonic()))
    sys.exit(code)


def _seconds(*, invalid: float | None = None) -> float:
    """Return the shortest time between two starts. Exits if it is not a number, unless `invalid` replaces it."""
    text = os.environ.get(VARIABLE, "")
    try:
        return float(text) if text else DEFAULT_SECONDS
    except ValueError:
        if invalid is not None:
            return invalid
        sys.exit(f"{VARIABLE} must be a number of seconds, not {text!r}.")
