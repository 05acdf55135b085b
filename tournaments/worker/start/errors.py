"""The error of a worker that cannot start."""

from typing import Final

SPACE: Final = "Is there space on the disk? Otherwise set TMPDIR to another directory."


class CannotWork(Exception):
    """The worker must take no work. `str()` says in one line what is wrong and how to fix it."""
