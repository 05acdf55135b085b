"""Fair shares: who is served next, and how much may wait on a queue. Arithmetic alone."""

import heapq
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeVar

Source = TypeVar("Source", bound=Hashable)

SMALLEST_WINDOW: Final = 16
# Ids on a queue for each place at a worker: enough for a step of the coordinator in which every place becomes free
# more than once, and few enough for what comes later to be served soon.
IDS_PER_SLOT: Final = 4
# What is last in order still gets one place in so many.
LEAST_SHARE: Final = 16


def window_for(slots: int) -> int:
    """How many ids may wait on the queue of a ruleset that is played at so many places at a time."""
    return max(SMALLEST_WINDOW, IDS_PER_SLOT * slots)


def share_out(waiting: Mapping[Source, Sequence[int]], on_the_way: Mapping[Source, int], room: int) -> list[int]:
    """Up to `room` of the waiting ids, each of the source that has the fewest on the way by then.

    `on_the_way` counts what each source has on the queue and at the workers; a source that is not named has nothing
    there. Of equals the one that `waiting` names first is served first; a source's ids keep their order.
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
    """How many places of a window even the last in order is sure of, once it has waited long."""
    return max(1, window // LEAST_SHARE)
