"""Precision: matches are played until every rating, or the first places, are known as precisely as wanted. Pure.

The decisions behind it are in docs/decisions/0044-precision-events.md. The arithmetic needs NumPy and SciPy, which are
imported only where it is used.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from tournaments.formats.bundled import JSON, Bundled, Mismatch
from tournaments.formats.contract import RoundByRound
from tournaments.formats.history import Ahead, Due, Goal, History, Played, RoundSoFar, Tie
from tournaments.pairing.round_robin import Pairing, round_robin
from tournaments.scoring.standings import Counts, Row, standings

if TYPE_CHECKING:
    from ratings.precision.state import State

# Growth of the information about a boundary between looks: larger than that of all matches, because batches concentrate
# on it. Chosen by simulation (docs/decisions/0044).
_LOOK_GROWTH: Final = 1.5
# Reasons why an event stopped.
TARGET, MATCHES, HOURS, REPEATS, ENTRANTS = "target", "matches", "hours", "repeats", "entrants"


class Precision(RoundByRound):
    """A format whose organiser names a target instead of a number of rounds."""

    slug = "precision"
    name = "Precision"
    takes_target = True
    needs_games = True
    annuls = False
    meets_again = True
    is_slow_to_pair = True
    most_entrants = 128
    tie_breaks = ()

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return (most or 0) if entrants > 1 else 0

    def most_matches_of_a_pair(self, cycles: int) -> int:
        return 0

    def next(self, history: History) -> Due | None:
        if stopped(history) is not None:
            return None
        return Due(history.last + 1, _batch(history))

    def ahead(self, history: History) -> Ahead:
        """Return the matches up to the cap: how many the target needs is not known before it is met."""
        made = len(history.rounds)
        if history.goal is None or stopped(history) is not None:
            return Ahead(0, made, made)
        return Ahead(history.goal.max_matches - _made(history), made + 1, made + _looks(
            max(_made(history), 1), history.goal.max_matches))

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by rating: entrants meet different opponents, so their points cannot be compared."""
        place_of = {entrant: place for place, entrant in enumerate(entrants)}
        return _ranked(standings(entrants, counts, tie_breaks=tie_breaks), place_of, _state(history))

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return the target, and each round's pairs and absent entrants by place, for `verify` to pair it again."""
        goal = history.goal
        return {
            "target": goal and {"kind": goal.kind, "value": goal.value, "max_matches": goal.max_matches,
                                "max_hours": goal.max_hours, "seed": goal.seed},
            "pairings": [{"pairs": [list(pair) for pair in round_.pairs], "absent": sorted(round_.absent)}
                         for round_ in history.rounds],
            "left": sorted(history.left),
            "stopped": stopped(history),
        }

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """Pair every round again, decide again why the event stopped, and return the rows."""
        full = _history(bundle)
        for number, round_ in enumerate(full.rounds):
            before = replace(full, rounds=full.rounds[:number], left=round_.absent,
                             games=tuple(game for game in full.games if game.round <= number))
            due = self.next(before)
            if due is None or list(due.pairs) != list(round_.pairs):
                raise Mismatch(f"event.json, pairings: those of round {number + 1} do not follow from the seed and the "
                               "games before it")
        if bundle.event["event"]["status"] == "finished" and stopped(full) is None:
            raise Mismatch("event.json, stopped: the event finished, but neither its target nor a limit was reached")
        if bundle.event["stopped"] != stopped(full):
            raise Mismatch(f"event.json, stopped: it is {bundle.event['stopped']}, but the games give {stopped(full)}")
        rows = standings(bundle.entrants, bundle.tallies(), tie_breaks=bundle.tie_breaks)
        return _ranked(rows, {place: place for place in bundle.entrants}, _state(full))


def limit_for(first: int, most: int) -> float:
    """Return how many standard errors a difference needs, for looks from `first` to `most` matches."""
    from ratings.precision.looks import limit_of

    return limit_of(_looks(first, most), _LOOK_GROWTH)


def first_matches(entrants: int) -> int:
    """Return the number of matches before the first look."""
    return len(_opening(entrants))


def stopped(history: History) -> str | None:  # noqa: PLR0911 - a reason per return
    """Return why the event needs no more matches; None if it goes on."""
    goal = history.goal
    if goal is None or history.entrants - len(history.left) < 2:
        return ENTRANTS
    if not history.rounds:
        return None
    state = _state(history)
    if state is not None and shortfall(history, state) <= 1.0:
        return TARGET
    if _made(history) >= goal.max_matches:
        return MATCHES
    if goal.max_hours is not None and _hours(history) >= goal.max_hours:
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
    ratings, covariance, _ = _present(history, state)
    return float(targets.shortfall(goal.kind, _value(goal, len(ratings)), ratings, covariance, limit_of(history)))


def limit_of(history: History) -> float:
    """Return the event's limit, in standard errors."""
    assert history.goal is not None
    return limit_for(min(first_matches(history.entrants), history.goal.max_matches),
                     history.goal.max_matches)


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's place in the draw, rating around the mean, half width of its interval in Elo, and if it is met."""

    place: int
    rating: float
    half_width: float
    met: bool | None


@dataclass(frozen=True, slots=True)
class Measured:
    """How far the target is, games that a round-robin would need, and the entrants, best first."""

    shortfall: float
    round_robin: float
    lines: tuple[Line, ...]


def measured(history: History) -> Measured | None:
    """Return the measures of the target; None while the games do not connect all entrants."""
    from ratings.precision import savings, targets

    goal, state = history.goal, _state(history)
    if goal is None or state is None or history.entrants - len(history.left) < 2:
        return None
    ratings, covariance, places = _present(history, state)
    value = _value(goal, len(places))
    widths = targets.half_widths(goal.kind, covariance)
    met = targets.met(goal.kind, value, ratings, covariance, limit_of(history))
    lines = [Line(place, float(ratings[k]), float(widths[k]), met[k]) for k, place in enumerate(places)]
    # A round-robin is played by all entrants.
    games = savings.round_robin_games(goal.kind, value, state.ratings, state.core, state.information)
    return Measured(shortfall(history, state), float(games), tuple(sorted(lines, key=lambda line: -line.rating)))


def distinct(games: Any) -> list[Played]:
    """Return the matches, those that repeat an earlier one of the same pair turn by turn only once."""
    found: dict[object, Played] = {}
    for game in games:
        found.setdefault((frozenset((game.first, game.second)), game.digest), game)
    return list(found.values())


def _state(history: History) -> "State | None":
    return _fitted(history.entrants, tuple(distinct(history.games)))


@lru_cache(maxsize=32)
def _fitted(entrants: int, games: tuple[Played, ...]) -> "State | None":
    from ratings.precision.state import Met, state_of

    if not games:
        return None
    return state_of(entrants, [Met(game.first, game.second, game.scores, game.opening) for game in games])


def _present(history: History, state: "State") -> tuple[Any, Any, list[int]]:
    """Return ratings and covariances of the entrants that have not left, and their places."""
    here = [place for place in range(history.entrants) if place not in history.left]
    return state.ratings[here], state.covariance[here][:, here], here


def _value(goal: Goal, entrants: int) -> int:
    """Return ±X, or k limited so that someone is left below the first k."""
    from ratings.precision.targets import RATINGS

    return goal.value if goal.kind == RATINGS else min(goal.value, entrants - 1)


def _batch(history: History) -> list[Pairing]:
    goal = history.goal
    assert goal is not None
    made = _made(history)
    if not made:
        return [pair for pair in _opening(history.entrants) if not history.left & set(pair)][:goal.max_matches]
    from ratings.precision import batches

    size = min(math.ceil((batches.GROWTH - 1.0) * made), goal.max_matches - made)
    if goal.max_hours is not None and (hours := _hours(history)) > 0.0:
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

    n, goal, state = history.entrants, history.goal, _state(history)
    assert goal is not None
    low, high = batches.pairs_of(n)
    here = np.array([place not in history.left for place in range(n)])
    allowed = (here[low] & here[high]).astype(np.float64)
    if state is None:
        return allowed, allowed
    ratings, _, places = _present(history, state)
    covariance = state.core[places][:, places]
    c = np.zeros((n, n))
    c[np.ix_(places, places)] = targets.criterion(
        goal.kind, _value(goal, len(places)), ratings, covariance, limit_of(history))
    return batches.gains(state.core, c, state.information) * allowed, allowed


@lru_cache(maxsize=16)
def _opening(entrants: int) -> tuple[Pairing, ...]:
    """Return the matches before the first look: whole rounds of a round-robin, cycle after cycle."""
    from ratings.precision.batches import OPENING_ROUNDS

    rounds = round_robin(entrants, 1 + OPENING_ROUNDS // max(entrants - 1, 1))
    return tuple(pair for pairs in rounds[:OPENING_ROUNDS] for pair in pairs)


def _looks(first: int, most: int) -> int:
    from ratings.precision.batches import GROWTH

    return 1 + max(0, math.ceil(math.log(most / max(first, 1)) / math.log(GROWTH)))


def _made(history: History) -> int:
    return sum(len(round_.pairs) for round_ in history.rounds)


def _hours(history: History) -> float:
    """Return the hours from the start to the end of the last game."""
    return max((game.hours for game in history.games), default=0.0)


def _ranked(rows: Sequence[Row], place_of: dict[int, int], state: "State | None") -> list[Row]:
    if state is None:
        return list(rows)
    ratings = state.ratings.tolist()
    ordered = sorted(rows, key=lambda row: (-ratings[place_of[row.entrant]], place_of[row.entrant]))
    return [replace(row, place=1 + sum(rating > ratings[place_of[row.entrant]] for rating in ratings))
            for row in ordered]


# --- bundles ---------------------------------------------------------------------------------


def _history(bundle: Bundled) -> History:
    """Return the history from a bundle's facts and games."""
    event, facts = bundle.event, bundle.event["target"]
    rounds = [RoundSoFar(number, [Tie(*pair) for pair in listed["pairs"]], frozenset(), absent=frozenset(
        listed["absent"]), pairs=[(pair[0], pair[1]) for pair in listed["pairs"]])
        for number, listed in enumerate(event["pairings"], start=1)]
    return History(len(bundle.entrants), 1, left=frozenset(event["left"]), rounds=rounds,
                   goal=Goal(facts["kind"], facts["value"], facts["max_matches"], facts["max_hours"], facts["seed"]),
                   games=tuple(_played(bundle, event["event"]["started_at"])))


def _played(bundle: Bundled, started: str) -> list[Played]:
    of_match: dict[int, list[JSON]] = {}
    for game in bundle.games:
        of_match.setdefault(game["match"], []).append(game)
    return [Played.of(
        games[0]["round"], games[0]["pairing"], [tuple(bundle.place_of[seat["bot"]] for seat in game["seats"])
                                                 for game in games],
        [game["record"]["result"]["winner"] for game in games], games[0]["record"]["opening"],
        [game["record"]["turns"] for game in games], started, games[-1]["ended_at"])
        for games in sorted(of_match.values(), key=lambda games: (games[0]["round"], games[0]["pairing"]))]
