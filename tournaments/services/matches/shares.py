"""Fair shares: which source is served next, and how much may wait on a queue. Pure arithmetic."""

import heapq
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeVar

Source = TypeVar("Source", bound=Hashable)

SMALLEST_WINDOW: Final = 16
# Queued IDs per slot of a worker: enough for the time between two looks of the coordinator, in which a slot may become
# free more than once, and few enough for later matches to be served soon.
IDS_PER_SLOT: Final = 2
# Even the last kind in order gets one place in this many.
LEAST_SHARE: Final = 16


def window_for(slots: int) -> int:
    """Return how many IDs may wait on the queue of a ruleset that has this many slots."""
    return max(SMALLEST_WINDOW, IDS_PER_SLOT * slots)


def share_out(waiting: Mapping[Source, Sequence[int]], on_the_way: Mapping[Source, int], room: int) -> list[int]:
    """Return up to `room` of the waiting IDs, each of the source that then has the fewest on the way.

    `on_the_way` counts each source's IDs on the queue and at the workers; a source that is not named has none. Of
    equals, the source that `waiting` names first is served first; the IDs of a source keep their order.
    """
    queue = [(on_the_way.get(source, 0), place, 0, ids) for place, (source, ids) in enumerate(waiting.items()) if ids]
    heapq.heapify(queue)
    chosen: list[int] = []
    while queue and len(chosen) < room:
        served, place, number, ids = queue[0]
        chosen.append(ids[number])
        if number + 1 < len(ids):
            heapq.heapreplace(queue, (served + 1, place, number + 1, ids))
        else:
            heapq.heappop(queue)
    return chosen


def least_share(window: int) -> int:
    """Return the number of places in a window that even the last kind in order gets after a long wait."""
    return max(1, window // LEAST_SHARE)
