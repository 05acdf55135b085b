"""Decision whether a precision event needs more matches, and how far its target is. Pure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tournaments.formats.history import History
from tournaments.formats.precision.state import (
    distinct,
    hours_of,
    limit_of,
    matches_made,
    present,
    state_of,
    value_of,
)

if TYPE_CHECKING:
    from ratings.precision.state import State

# Reasons why an event stopped.
TARGET, MATCHES, HOURS, REPEATS, ENTRANTS = "target", "matches", "hours", "repeats", "entrants"


def stopped(history: History) -> str | None:  # noqa: PLR0911 - a reason per return
    """Return why the event needs no more matches; None if it goes on."""
    goal = history.goal
    if goal is None or history.entrants - len(history.left) < 2:
        return ENTRANTS
    if not history.rounds:
        return None
    state = state_of(history)
    if state is not None and shortfall(history, state) <= 1.0:
        return TARGET
    if matches_made(history) >= goal.max_matches:
        return MATCHES
    if goal.max_hours is not None and hours_of(history) >= goal.max_hours:
        return HOURS
    last = [game for game in history.games if game.round == history.last]
    if last and history.last > 1 and len(distinct(history.games)) == len(
            distinct(game for game in history.games if game.round < history.last)):
        return REPEATS
    return None


def shortfall(history: History, state: "State") -> float:
    """Return how far the target is, as a ratio of variances; at most 1 if it is met."""
    from ratings.precision import targets

    goal = history.goal
    assert goal is not None
    ratings, covariance, _ = present(history, state)
    return float(targets.shortfall(goal.kind, value_of(goal, len(ratings)), ratings, covariance, limit_of(history)))


def share(history: History) -> float:
    """Return the share of the wanted information that the games give, 0 to 1; 0 while they do not connect all."""
    state = state_of(history)
    if history.goal is None or state is None or history.entrants - len(history.left) < 2:
        return 0.0
    return min(1.0, 1.0 / max(shortfall(history, state), 1e-9))


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's place in the draw, rating around the mean, half width of its interval in Elo, and if it is met."""

    place: int
    rating: float
    half_width: float
    met: bool | None


@dataclass(frozen=True, slots=True)
class Measured:
    """Games that a round-robin would need, and the entrants, best first."""

    round_robin: float
    lines: tuple[Line, ...]


def measured(history: History) -> Measured | None:
    """Return the measures of the target; None while the games do not connect all entrants."""
    from ratings.precision import savings, targets

    goal, state = history.goal, state_of(history)
    if goal is None or state is None or history.entrants - len(history.left) < 2:
        return None
    ratings, covariance, places = present(history, state)
    value = value_of(goal, len(places))
    widths = targets.half_widths(goal.kind, covariance)
    met = targets.met(goal.kind, value, ratings, covariance, limit_of(history))
    lines = [Line(place, float(ratings[k]), float(widths[k]), met[k]) for k, place in enumerate(places)]
    # A round-robin is played by all entrants.
    games = savings.round_robin_games(goal.kind, value, state.ratings, state.core, state.information)
    return Measured(float(games), tuple(sorted(lines, key=lambda line: -line.rating)))
