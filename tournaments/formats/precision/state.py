"""Facts about a precision event so far: its matches, and the fit of their results. Pure.

The arithmetic needs NumPy and SciPy, which are imported only where it is used.
"""

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tournaments.formats.history import Goal, History, Played
from tournaments.pairing.round_robin import Pairing, round_robin

if TYPE_CHECKING:
    from ratings.precision.state import State

# Growth of the information about a boundary between looks: larger than that of all matches, because batches concentrate
# on it. Chosen by simulation (docs/decisions/0044).
_LOOK_GROWTH: Final = 1.5


def first_matches(entrants: int) -> int:
    """Return the number of matches before the first look."""
    return len(opening(entrants))


def limit_for(first: int, most: int) -> float:
    """Return how many standard errors a difference needs, for looks from `first` to `most` matches."""
    from ratings.precision.looks import limit_of

    return limit_of(looks(first, most), _LOOK_GROWTH)


def limit_of(history: History) -> float:
    """Return the event's limit, in standard errors."""
    assert history.goal is not None
    return limit_for(min(first_matches(history.entrants), history.goal.max_matches),
                     history.goal.max_matches)


def distinct(games: Any) -> list[Played]:
    """Return the matches, those that repeat an earlier one of the same pair turn by turn only once."""
    found: dict[object, Played] = {}
    for game in games:
        found.setdefault((frozenset((game.first, game.second)), game.digest), game)
    return list(found.values())


def state_of(history: History) -> "State | None":
    """Return the fit of all results; None while they do not connect all entrants."""
    return _fitted(history.entrants, tuple(distinct(history.games)))


@lru_cache(maxsize=32)
def _fitted(entrants: int, games: tuple[Played, ...]) -> "State | None":
    from ratings.precision import state

    if not games:
        return None
    return state.state_of(entrants, [state.Met(game.first, game.second, game.scores, game.opening) for game in games])


def present(history: History, state: "State") -> tuple[Any, Any, list[int]]:
    """Return ratings and covariances of the entrants that have not left, and their places."""
    here = [place for place in range(history.entrants) if place not in history.left]
    return state.ratings[here], state.covariance[here][:, here], here


def value_of(goal: Goal, entrants: int) -> int:
    """Return ±X, or k limited so that someone is left below the first k."""
    from ratings.precision.targets import RATINGS

    return goal.value if goal.kind == RATINGS else min(goal.value, entrants - 1)


@lru_cache(maxsize=16)
def opening(entrants: int) -> tuple[Pairing, ...]:
    """Return the matches before the first look: whole rounds of a round-robin, cycle after cycle."""
    from ratings.precision.batches import OPENING_ROUNDS

    rounds = round_robin(entrants, 1 + OPENING_ROUNDS // max(entrants - 1, 1))
    return tuple(pair for pairs in rounds[:OPENING_ROUNDS] for pair in pairs)


def looks(first: int, most: int) -> int:
    """Return how many times the target is judged between these numbers of matches."""
    from ratings.precision.batches import GROWTH

    return 1 + max(0, math.ceil(math.log(most / max(first, 1)) / math.log(GROWTH)))


def matches_made(history: History) -> int:
    """Return the number of paired matches."""
    return sum(len(round_.pairs) for round_ in history.rounds)


def hours_of(history: History) -> float:
    """Return the hours from the start to the end of the last game."""
    return max((game.hours for game in history.games), default=0.0)
