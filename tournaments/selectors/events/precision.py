"""How far a precision event is from its target."""

from dataclasses import astuple, dataclass
from typing import Any

from tournaments.formats.history import History
from tournaments.formats.precision.state import distinct
from tournaments.formats.precision.stopping import measured, share, stopped
from tournaments.formats.registry import find
from tournaments.models import Entry, Event
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.shared.cache import cached


@dataclass(frozen=True, slots=True)
class Interval:
    """An entrant's rating around the field's mean, and the half width of its 95 % interval, in Elo.

    With a target for ratings, `met` says whether the interval is narrow enough. With a target for first places, it says
    whether the entrant is separated from all that it must be separated from; None if it need not be.
    """

    entry: Entry
    rating: float
    half_width: float
    met: bool | None


@dataclass(frozen=True, slots=True)
class PrecisionState:
    """The target, the intervals, best first, and the games; `saved` and `stopped` are None while they are unknown.

    `share` is the part of the wanted information that there is, 0 to 1. `repeats` are matches that repeat an earlier
    one turn by turn, which count once. `saved` is the number of games fewer than a round-robin of equal precision.
    """

    target: str
    target_value: int
    max_matches: int
    max_hours: int | None
    share: float
    games: int
    repeats: int
    saved: int | None
    stopped: str | None
    intervals: list[Interval]

    @property
    def more_games(self) -> int:
        """The number of games more than that round-robin; 0 if there were no more."""
        return max(0, -(self.saved or 0))


def precision(event: Event) -> PrecisionState | None:
    """Return the state of a precision event; None for other formats and before the start."""
    if not find(event.format).takes_target or event.started_at is None:
        return None
    entries = list(event.entries.filter(place__isnull=False).order_by("place").select_related("bot", "version"))
    share, games, repeats, saved, stopped, rows = cached(
        event, "precision", lambda: _measured(history_of(event, entries, kept=True)))
    intervals = [Interval(entries[place], *facts) for place, *facts in rows]
    assert event.target_value is not None
    assert event.max_matches is not None
    return PrecisionState(event.target, event.target_value, event.max_matches, event.max_hours, share, games, repeats,
                          saved, stopped, intervals)


def _measured(history: History) -> tuple[Any, ...]:
    """Return the numbers of the state, as plain data for the cache."""
    games = len(history.games) * GAMES_PER_MATCH
    repeats = len(history.games) - len(distinct(history.games))
    why, state = stopped(history), measured(history)
    if state is None:
        return 0.0, games, repeats, None, why, []
    return (share(history), games, repeats, round(state.round_robin) - games, why,
            [astuple(line) for line in state.lines])
