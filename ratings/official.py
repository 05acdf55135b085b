"""The official table of a ladder: one fit of all its games, with errors, ranks and connected components.

Everything is a function of the pair table, the anchors and the code: a rebuild gives the same numbers for any starting
point. Numbers are rounded to six decimals. docs/reference/ratings.md explains each column.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, Protocol

import numpy as np

from ratings import Z95
from ratings.chances import games_still_needed
from ratings.fit.covariance import EXACT, Covariance, Matrix
from ratings.fit.davidson import Fit
from ratings.fit.estimate import Estimated, estimate
from ratings.fit.pairs import Floats, Ints, PairTable
from ratings.fit.student import beta_interval
from ratings.ranks import rank_intervals, superiority
from ratings.shown import Shown
from ratings.transitivity import Transitivity, examine

MODEL: Final = "davidson/2"
# Number of following lines whose covariances are stored, for matchmaking between players of similar rating.
NEIGHBOURS: Final = 16
# Target half width of `games_for_25`, in Elo.
_WANTED: Final = 25.0
# Probability that a 95 % interval leaves on either side.
_TAIL: Final = 0.025


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """A player in the table; `low` and `high` are its 95 % interval, `error` the standard error, all in Elo.

    rank: unique, with larger components above smaller ones. rank_low and rank_high: the best and the worst possible
    rank within the component at 95 %. better_than_next: the probability of being stronger than the next line of the
    component, None for its last. games_for_25: games against equals until ±25 Elo. covariances: Elo², with the next 16
    lines of the component, empty in a table of more than 4,000 players.
    """

    player: int
    rating: float
    low: float
    high: float
    error: float
    games: int
    wins: int
    draws: int
    losses: int
    rank: int
    rank_low: int
    rank_high: int
    better_than_next: float | None
    games_for_25: int
    component: int
    covariances: tuple[float, ...]


# The fields of a line that tables, files and pages show.
LINE_FACTS: Final = tuple(each.name for each in fields(Line) if each.name not in {"player", "covariances"})


@dataclass(frozen=True, slots=True)
class OfficialTable:
    """Lines, best first, component by component from the largest; `input` is the pair table's digest.

    draw_rate is the probability of a draw between equals. exact: False if errors come from the second-order formula.
    transitivity: whether the ratings tell the whole story; None without games and for large tables.
    """

    lines: tuple[Line, ...]
    first_move_advantage: Estimate
    draw_parameter: Estimate
    draw_rate: Estimate
    components: tuple[tuple[int, ...], ...]
    games: int
    exact: bool
    model: str
    input: str
    fit: Fit
    transitivity: Transitivity | None

    @property
    def connected(self) -> bool:
        """Whether the ratings of all players are comparable."""
        return len(self.components) <= 1


def official(
    table: PairTable, *, anchors: Mapping[int, float] | None = None, start: Fit | None = None, limit: int = EXACT,
) -> OfficialTable:
    """The table of all games.

    `anchors` maps player IDs to given Elo ratings. Several anchors keep their fitted distances and match the mean of
    their given ratings. `start` is an earlier fit, which saves time and does not change the result. Raises ValueError
    for an anchor that is not finite.
    """
    anchors = anchors or {}
    if not all(math.isfinite(elo) for elo in anchors.values()):
        raise ValueError("an anchor's rating must be a finite number of Elo")
    estimated = estimate(table, start=start)
    fitted, covariance = estimated.fit, Covariance(estimated, limit=limit)
    shown = Shown(fitted, covariance, anchors)
    order = order_of(table.players, shown.rating, covariance.component)
    draws = _draw_rate(estimated, covariance)
    parameter = (2.0 * rate / max(1.0 - rate, 1e-12) for rate in (draws.value, draws.low, draws.high))
    numbers = covariance.component[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return OfficialTable(
        lines=ranked(order, table.players, _results(table), shown, covariance.component, fitted.nu),
        first_move_advantage=_advantage(fitted, covariance),
        draw_parameter=_estimate(*parameter),
        draw_rate=draws,
        components=tuple(
            tuple(sorted(part.tolist())) for part in np.split(table.players[order], starts[1:]) if len(part)),
        games=table.games, exact=covariance.exact, model=MODEL, input=table.digest(), fit=fitted,
        transitivity=examine(estimated, covariance, order),
    )


def order_of(players: Ints, rating: Floats, component: Ints) -> Ints:
    """The indices of players, best first, component by component."""
    return np.lexsort((players, -rating, component))


class Rated(Protocol):
    """Ratings and their variances, (n,), in Elo.

    quantile: half width of a 95 % interval in standard errors; own: by how much a rating moves with its player alone.
    """

    rating: Floats
    variance: Floats
    quantile: Floats
    own: Floats

    def matrix(self) -> Matrix | None:
        """(n, n) their covariances within components; None if they are not known."""


def ranked(
    order: Ints, players: Ints, tallies: Ints, rated: Rated, components: Ints, nu: float,
) -> tuple[Line, ...]:
    """The lines, in `order`; (4, n) `tallies` are games, wins, draws and losses, `nu` the draw parameter."""
    results = tuple(column.tolist() for column in tallies[:, order])
    matrix = rated.matrix() if len(order) else None
    matrix = None if matrix is None else matrix[np.ix_(order, order)]
    players, rating, error = players[order], rated.rating[order], np.sqrt(rated.variance[order])
    half, own = rated.quantile[order] * error, rated.own[order]
    component = components[order]
    lines: list[Line] = []
    for number in range(int(component.max(initial=-1)) + 1):
        first, last = np.searchsorted(component, [number, number + 1])
        part = slice(int(first), int(last))
        inside = None if matrix is None else matrix[part, part]
        better_ranks, worse_ranks = rank_intervals(rating[part], error[part] ** 2, inside)
        for place in range(last - first):
            line = int(first) + place
            near = () if inside is None else tuple(
                round(float(value), 6) for value in inside[place, place + 1: place + 1 + NEIGHBOURS])
            lines.append(Line(
                player=int(players[line]), rating=round(float(rating[line]), 6),
                low=round(float(rating[line] - half[line]), 6),
                high=round(float(rating[line] + half[line]), 6), error=round(float(error[line]), 6),
                games=results[0][line], wins=results[1][line], draws=results[2][line], losses=results[3][line],
                rank=line + 1, rank_low=int(first + better_ranks[place]), rank_high=int(first + worse_ranks[place]),
                better_than_next=_better_than_next(rating, error, line, int(last), inside, place),
                games_for_25=games_still_needed(float(half[line]) / Z95, nu, _WANTED, float(own[line])),
                component=number, covariances=near,
            ))
    return tuple(lines)


def _better_than_next(
    rating: Floats, error: Floats, line: int, last: int, inside: Matrix | None, place: int
) -> float | None:
    """The probability of being stronger than the next line; None for the last line of a component."""
    if line + 1 >= last:
        return None
    covariance = 0.0 if inside is None else float(inside[place, place + 1])
    variance = float(error[line] ** 2 + error[line + 1] ** 2 - 2.0 * covariance)
    return round(superiority(float(rating[line] - rating[line + 1]), variance), 6)


def _results(table: PairTable) -> Ints:
    """(4, n) each player's games, wins, draws, losses."""
    n, c = len(table.players), table.counts
    low = (c[:, 0] + c[:, 5], c[:, 1] + c[:, 4], c[:, 2] + c[:, 3])
    tallies = [
        np.bincount(table.low, mine, n) + np.bincount(table.high, theirs, n)
        for mine, theirs in zip(low, reversed(low), strict=True)
    ]
    results: Ints = np.rint(np.stack([np.sum(tallies, axis=0), *tallies])).astype(np.int64)
    return results


def _advantage(fitted: Fit, covariance: Covariance) -> Estimate:
    """The first-move advantage in Elo."""
    value = fitted.scale * fitted.eta
    half = Z95 * fitted.scale * math.sqrt(max(covariance.eta, 0.0))
    return _estimate(value, value - half, value + half)


def _draw_rate(estimated: Estimated, covariance: Covariance) -> Estimate:
    """The probability of a draw between equals, with the interval of a beta distribution.

    Its log-odds log(ν / 2) have the covariance's variance. Without any draw, it is Clopper and Pearson's upper limit; a
    game of unequal players counts for less there, as the chance of a draw falls like 1 / cosh(x / 2).
    """
    fitted, new = estimated.fit, estimated.likelihood.table.counts
    nu = fitted.nu
    if nu == 0.0:
        means = [mean for mean, _ in estimated.likelihood.expected(fitted.theta, fitted.eta, nu)]
        even = sum(float(new[:, first:first + 3].sum(axis=1) @ np.sqrt(1.0 - 4.0 * mean**2))
                   for first, mean in zip((0, 3), means, strict=True))
        return _estimate(0.0, 0.0, 1.0 - math.pow(_TAIL, 1.0 / even) if even else 1.0)
    rate = nu / (2.0 + nu)
    games = 1.0 / (max(covariance.log_nu, 1e-12) * rate * (1.0 - rate))
    return _estimate(rate, *beta_interval(games * rate, games * (1.0 - rate)))


def _estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(round(value, 6), round(low, 6), round(high, 6))
