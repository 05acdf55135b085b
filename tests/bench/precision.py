"""Precision events, simulated: coverage of intervals, errors of verdicts, and games against a round-robin.

    nice python tests/bench/precision.py [--events 200] [--only NAME ...]

Each line is one field and target. The product's own functions fit the games, judge the target and choose the batches.
Games are independent, given the strengths.

Columns: events; share that met the target before the cap; coverage of the shown intervals over all bots and events;
wrong verdicts among all events (first places only: an order is wrong if it separates equals or reverses two bots); mean
games; the factor by which a round-robin plays more. For ratings, it is a round-robin with an equal mean interval, and
in the last column with an equal largest interval; for first places, one that stops by the same rule.
"""

import math
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ratings.chances import chances
from ratings.fit.davidson import ELO
from ratings.fit.pairs import Floats
from ratings.precision import batches, targets
from ratings.precision.savings import cycle_covariance
from ratings.precision.state import Met, State, information, state_of
from tests.bench.common import options_of
from tournaments.formats.precision.state import limit_for, opening

# Scores of the lower entrant in the two games of a match: with the first seat, then with the second.
RESULTS = [(one, other) for one in (1.0, 0.5, 0.0) for other in (1.0, 0.5, 0.0)]


@dataclass(frozen=True, eq=False)
class Field:
    """True Elo, first-move advantage in Elo, draw parameter; the target and the cap of matches."""

    name: str
    elo: Floats
    kind: str
    value: float
    cap: int
    nu: float = 0.5
    eta: float = 30.0

    @property
    def scale(self) -> float:
        return ELO * 2.0 / (2.0 + self.nu)

    @cached_property
    def outcomes(self) -> Floats:
        """(m, 9) probabilities of a match's results, by pair."""
        theta, eta = self.elo / self.scale, self.eta / self.scale
        return np.array([np.outer(chances(theta[a], theta[b], eta=eta, nu=self.nu),
                                  chances(theta[b], theta[a], eta=eta, nu=self.nu)[::-1]).ravel()
                         for a, b in zip(*batches.pairs_of(len(theta)), strict=True)])

    @cached_property
    def one_cycle(self) -> Floats:
        """(n,) standard errors after one cycle of a round-robin."""
        known = information(self.elo / self.scale, self.eta / self.scale, self.nu)
        return np.sqrt(np.diagonal(cycle_covariance(known)))


def steps(n: int, step: float) -> Floats:
    return -step * np.arange(n, dtype=np.float64)


def clusters(n: int, gap: float, step: float) -> Floats:
    half = n // 2
    return np.concatenate([steps(half, step), -gap - step * (half - 1) + steps(n - half, step)])


FIELDS = [
    Field("equal 8, ratings ±50", np.zeros(8), targets.RATINGS, 50, 3000),
    Field("steps 8, ratings ±50", steps(8, 100), targets.RATINGS, 50, 5000),
    Field("equal 16, ratings ±60", np.zeros(16), targets.RATINGS, 60, 5000),
    Field("steps 16, ratings ±60", steps(16, 80), targets.RATINGS, 60, 8000),
    Field("clusters 16, ratings ±60", clusters(16, 500, 30), targets.RATINGS, 60, 8000),
    Field("draws 16, ratings ±40", steps(16, 50), targets.RATINGS, 40, 8000, nu=6.0),
    Field("steps 64, ratings ±90", steps(64, 20), targets.RATINGS, 90, 20000),
    Field("equal 8, first 3", np.zeros(8), targets.FIRST, 3, 2000),
    Field("two equal 8, first 1", np.array([0, 0, -150, -200, -250, -300, -350, -400.0]), targets.FIRST, 1, 3000),
    Field("steps 8, first 3", steps(8, 80), targets.FIRST, 3, 5000),
    Field("steps 16, first 3", steps(16, 60), targets.FIRST, 3, 8000),
    Field("clusters 16, first 3", clusters(16, 300, 60), targets.FIRST, 3, 8000),
    Field("draws 16, first 3", steps(16, 60), targets.FIRST, 3, 8000, nu=6.0),
    Field("steps 64, first 3", steps(64, 40), targets.FIRST, 3, 20000),
]


def simulate(field: Field, rng: np.random.Generator, *, even: bool = False) -> tuple[State, bool, int]:
    """Play an event to its end; return its last state, whether the target was met, and its number of matches."""
    n = len(field.elo)
    low, high = batches.pairs_of(n)
    first = Counter((min(pair), max(pair)) for pair in opening(n))
    limit = limit_for(first.total(), field.cap)
    batch = np.array([first[pair] for pair in zip(low.tolist(), high.tolist(), strict=True)])
    met: list[Met] = []
    while True:
        for pair in np.flatnonzero(batch).tolist():
            for result, times in enumerate(rng.multinomial(batch[pair], field.outcomes[pair]).tolist()):
                met += [Met(int(low[pair]), int(high[pair]), RESULTS[result], str(len(met) + number))
                        for number in range(times)]
        state = state_of(n, met)
        assert state is not None
        reached = bool(targets.shortfall(field.kind, field.value, state.ratings, state.covariance, limit) <= 1.0)
        if reached or len(met) >= field.cap:
            return state, reached, len(met)
        size = min(math.ceil((batches.GROWTH - 1.0) * len(met)), field.cap - len(met))
        criterion = targets.criterion(field.kind, field.value, state.ratings, state.core, limit)
        gain = batches.gains(state.core, criterion, state.information)
        even_share = np.ones_like(gain)
        batch = batches.sampled(batches.expected(even_share if even else gain, even_share, size), rng.random())


def line(field: Field, events: int) -> str:
    """Return the field's line of the table."""
    rng, truth = np.random.default_rng(1), field.elo - field.elo.mean()
    met = covered = wrong = games = robin = largest = 0.0
    for _ in range(events):
        state, reached, matches = simulate(field, rng)
        met += reached
        covered += float((np.abs(state.ratings - truth) <= targets.half_widths(field.kind, state.covariance)).mean())
        games += 2 * matches
        if field.kind == targets.FIRST:
            claims = targets.boundaries(state.ratings, int(field.value))
            wrong += reached and bool((claims & (truth[:, None] <= truth[None, :])).any())
            robin += 2 * simulate(field, rng, even=True)[2]
        else:
            cycle, errors = len(field.elo) * (len(field.elo) - 1), np.sqrt(np.diagonal(state.core))
            robin += cycle * (field.one_cycle.mean() / errors.mean()) ** 2
            largest += cycle * (field.one_cycle.max() / errors.max()) ** 2
    first = field.kind == targets.FIRST
    return (f"{field.name:28} {events:6} {met / events:6.1%} {covered / events:6.1%} "
            f"{f'{wrong / events:.1%}' if first else '':>6} {games / events:9.0f} {robin / games:6.2f} "
            f"{'' if first else f'{largest / games:.2f}':>6}")


def main() -> None:
    options = options_of(__doc__, events=(200, "events of each field"), only=([""], "parts of the names of fields"))
    print(f"{'field':28} events    met  cover  wrong     games  fewer  largest")
    for field in FIELDS:
        if any(word in field.name for word in options.only):
            began = time.process_time()
            print(f"{line(field, options.events)}   {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
