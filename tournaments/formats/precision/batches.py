"""Choice of a precision event's next matches. Pure."""

import math
from random import Random
from typing import Any

from tournaments.formats.history import History
from tournaments.formats.precision.state import (
    hours_of,
    limit_of,
    matches_made,
    opening,
    present,
    state_of,
    value_of,
)
from tournaments.pairing.round_robin import Pairing


def batch_of(history: History) -> list[Pairing]:
    """Return the next matches: the first are rounds of a round-robin, the others tell most about the target."""
    goal = history.goal
    assert goal is not None
    made = matches_made(history)
    if not made:
        return [pair for pair in opening(history.entrants) if not history.left & set(pair)][:goal.max_matches]
    from ratings.precision import batches

    size = min(math.ceil((batches.GROWTH - 1.0) * made), goal.max_matches - made)
    if goal.max_hours is not None and (hours := hours_of(history)) > 0.0:
        # The matches for which there is still time at the present pace, and at least one.
        size = max(1, min(size, math.floor(made * (goal.max_hours - hours) / hours)))
    dice = Random(f"{goal.seed}/precision/{history.last + 1}")  # noqa: S311 - reproducible draw, not a secret
    low, high = batches.pairs_of(history.entrants)
    counts = batches.sampled(batches.expected(*_gains(history), float(size)), dice.random())
    return batches.spread(counts, low, high)


def _gains(history: History) -> tuple[Any, Any]:
    """Return how much a match of each pair tells about the target, and which pairs can play."""
    import numpy as np

    from ratings.precision import batches, targets

    n, goal, state = history.entrants, history.goal, state_of(history)
    assert goal is not None
    low, high = batches.pairs_of(n)
    here = np.array([place not in history.left for place in range(n)])
    allowed = (here[low] & here[high]).astype(np.float64)
    if state is None:
        return allowed, allowed
    ratings, _, places = present(history, state)
    covariance = state.core[places][:, places]
    c = np.zeros((n, n))
    c[np.ix_(places, places)] = targets.criterion(
        goal.kind, value_of(goal, len(places)), ratings, covariance, limit_of(history))
    return batches.gains(state.core, c, state.information) * allowed, allowed
