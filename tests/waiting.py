"""The only loop in which tests wait for something that another process does."""

import time
from collections.abc import Callable
from typing import TypeVar

# A hundred times what an idle machine needs; a condition that takes longer has failed.
PATIENCE_SECONDS = 180
Value = TypeVar("Value")


def wait_for(condition: Callable[[], Value], what: str, *, seconds: float = PATIENCE_SECONDS,
             explain: Callable[[], str] = str) -> Value:
    """Return the first true value of `condition`; after `seconds`, fail and say `what` did not happen.

    `explain` is called on failure for more to say, such as the end of a log.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for: {what}\n{explain()}"
        time.sleep(0.02)
    return value
