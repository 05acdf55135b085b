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
    pause = 0.01
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for: {what}\n{explain()}"
        time.sleep(pause)
        # A condition that takes long is asked less often, because asking takes processor time from what it waits for.
        pause = min(1.2 * pause, 0.2)
    return value
