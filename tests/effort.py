"""Number of examples of a property test: few before every landing, all with `selftest --all`."""

import os

ALL = os.environ.get("SQUAREFIELD_EXAMPLES") == "all"
FEW = 20


def examples(full: int) -> int:
    """Return the number of examples to run, of the `full` number."""
    return full if ALL else min(full, FEW)
