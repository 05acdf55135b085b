"""Elo by rating period: pure arithmetic, from a period's results to rating changes.

Sources: A. E. Elo, *The Rating of Chessplayers, Past and Present*, 1978, ch. 8 (logistic expectancy, and
ratings frozen while a period is summed); the information of a logistic item, A. Birnbaum in Lord & Novick,
*Statistical Theories of Mental Test Scores*, 1968, ch. 20; the falling gain, H. Robbins & S. Monro,
"A Stochastic Approximation Method", 1951.

A period sums K over frozen ratings, so a long one would overshoot, and the next one overshoot back, ever farther. So K
is limited to MOST / n for a player with n games in the period, as FIDE limits K · n to 700 (FIDE Rating Regulations,
8.3.3).

Numbers are added up in the order in which results are given, so equal input gives equal bits.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ratings import Z95

INITIAL: Final = 1500.0
K_FIRST: Final = 32.0
K_LAST: Final = 8.0
# Games after which K has halved. K reaches K_LAST after three times as many.
K_HALVING_GAMES: Final = 50
# Maximum of K · n in a period. Two players who meet only each other both move, so an error of 1 is corrected by up to
# 2 · MOST / 695. From 2 on, which FIDE's 700 exceeds, they would swing for ever.
MOST: Final = 600.0

LOGISTIC_SLOPE: Final = math.log(10.0) / 400.0
# The largest power of 10 that fits a float.
_LARGEST_POWER: Final = 308.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating between periods. `information` is in 1/Elo², summed over its games."""

    value: float = INITIAL
    information: float = 0.0
    games: int = 0
    wins: int = 0
    draws: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A finished game: its id, the players' ids by seat, and seat 0's score: 1, 0.5 or 0."""

    game: int
    seats: tuple[int, int]
    score: float


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a player's rating by one game; `before` is the rating frozen for the period."""

    game: int
    player: int
    before: float
    change: float


def expected_score(difference: float) -> float:
    """The expected score per game, 0 to 1, of a player rated `difference` Elo above the opponent."""
    return 1.0 / (1.0 + math.pow(10.0, min(-difference / 400.0, _LARGEST_POWER)))


def k_factor(games: int) -> float:
    """K = max(8, 32 · 50 / (50 + games)): 32 for a newcomer, 16 after 50 games, 8 from 150 on.

    The gain falls like 1/n, as for a running mean, down to a floor that lets the rating follow new versions.
    """
    return max(K_LAST, K_FIRST * K_HALVING_GAMES / (K_HALVING_GAMES + games))


def game_information(difference: float) -> float:
    """Fisher information, in 1/Elo², of one game about a player `difference` Elo above a known opponent.

    p(1 − p)·(ln 10 / 400)²: a game between equals is the most informative. A draw counts like any other game.
    """
    p = expected_score(difference)
    return p * (1.0 - p) * LOGISTIC_SLOPE * LOGISTIC_SLOPE


def half_width(information: float, k: float = 0.0) -> float:
    """Half of the 95 % interval, in Elo; infinite without games.

    With K, it includes the error that never goes away while K does not fall: near the right rating, games pull back by
    K · slope and scatter by K, which leaves the variance K / (2 ln 10 / 400), or ±52 at K = 8. It assumes that the
    opponents' ratings are exact and the games independent: a lower bound of the uncertainty.
    """
    if information <= 0.0:
        return math.inf
    return Z95 * math.sqrt(1.0 / information + k / (2.0 * LOGISTIC_SLOPE))


def rate_period(
    standings: Mapping[int, Standing], results: Iterable[Result], gain: Callable[[int], float] = k_factor
) -> tuple[list[Change], dict[int, Standing]]:
    """A period's changes, two per game in the order of `results`, and the standings of the players in it.

    Ratings and K are frozen while the period is summed, so a game's change does not depend on the others.
    Players missing from `standings` are newcomers. `gain` maps a player's number of earlier games to K, which is at
    most MOST divided by its games in the period.
    """
    results = list(results)
    played = Counter(player for result in results for player in result.seats)
    changes: list[Change] = []
    after: dict[int, Standing] = {}
    for result in results:
        frozen = [standings.get(player, Standing()) for player in result.seats]
        scores = (result.score, 1.0 - result.score)
        for seat, player in enumerate(result.seats):
            mine = frozen[seat]
            difference = mine.value - frozen[1 - seat].value
            change = min(gain(mine.games), MOST / played[player]) * (scores[seat] - expected_score(difference))
            changes.append(Change(result.game, player, mine.value, change))
            so_far = after.get(player, mine)
            after[player] = replace(
                so_far,
                value=so_far.value + change,
                information=so_far.information + game_information(difference),
                games=so_far.games + 1,
                wins=so_far.wins + (scores[seat] == 1.0),
                draws=so_far.draws + (scores[seat] == 0.5),
            )
    return changes, after


def ranks(values: Mapping[int, float]) -> dict[int, int]:
    """The rank of each player, 1 for the highest value; equal values share the better rank."""
    ranked: dict[int, int] = {}
    previous, rank = math.nan, 0
    for place, player in enumerate(sorted(values, key=lambda player: (-values[player], player)), start=1):
        if values[player] != previous:
            previous, rank = values[player], place
        ranked[player] = rank
    return ranked
