"""Memory of a worker: its processes share what the main process has loaded before it forks them."""

import gc

# Imported here, before the fork, and not by each child with its first task.
from tournaments.worker import analyses, checks, questions, worker  # noqa: F401


def share(**_: object) -> None:
    """Keep the garbage collector from writing to the objects that exist now, which would copy their pages.

    Takes a Celery signal's arguments.
    """
    gc.collect()
    gc.freeze()
