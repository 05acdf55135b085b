"""Ratings from results: one fit with 95 % intervals, the sequential test (SPRT), and the interval of a single match.

>>> interval(wins=60, draws=10, losses=30)
Interval(value=107.5, low=43.2, high=180.1)
>>> verdict = sprt((2, 8, 30, 40, 20), elo0=0, elo1=30)
>>> verdict.state, verdict.pairs
('passed', 100)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from engines.public import public
from engines.records.record import GameRecord
from ratings.rate.games import Game, Games
from ratings.sprt import Bounds, Verdict, estimate
from ratings.sprt import judge as _judge

__all__ = ["Fit", "GameResult", "Interval", "MissingPackages", "Player", "Verdict", "fit", "interval", "results",
           "sprt"]

# The first player, the second player, the first player's score (1, 0.5 or 0), and optionally the opening.
GameResult = tuple[str, str, float] | tuple[str, str, float, str | None]
_NEEDED: Final = ("numpy", "scipy")
_SCORES: Final = (0.0, 0.5, 1.0)
public("squarefield.ratings")(Verdict)


class MissingPackages(ImportError):
    """A package that the function needs is not installed."""


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Player:
    """A rated player: the rating in Elo with its 95 % interval, the rank with its range, and the results."""

    name: str
    rating: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Fit:
    """Players from the best to the worst, the advantage of the first move in Elo, and the share of draws of equals.

    If not `connected`, the players form groups that never met, whose ratings cannot be compared.
    """

    players: tuple[Player, ...]
    first_move_advantage: Interval
    draw_rate: Interval
    connected: bool


def fit(games: Iterable[GameResult], *, anchors: Mapping[str, float] | None = None) -> Fit:
    """Fit the ratings of all players to all games at once, with the model of the site's ratings.

    A game is `(first, second, score)` or `(first, second, score, opening)`; games of two players from one opening are
    not independent, and the intervals take that into account. `anchors` fixes the scale. Needs numpy and scipy. Raises
    MissingPackages if they are not installed, and ValueError for a game that cannot be read.

    >>> table = fit([("Ada", "Bob", 1), ("Bob", "Ada", 0), ("Ada", "Bob", 0.5), ("Bob", "Cy", 1), ("Cy", "Ada", 0)])
    >>> [player.name for player in table.players]
    ['Ada', 'Bob', 'Cy']
    >>> table.players[0].games, table.connected
    (4, True)
    """
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise MissingPackages(f"squarefield.ratings.fit needs {' and '.join(missing)}: pip install {' '.join(missing)}")
    from ratings.rate.davidson import by_davidson
    read = [_checked(game) for game in games]
    names = sorted({name for game in read for name in game[:2]})
    if unknown := sorted(set(anchors or {}) - set(names)):
        raise ValueError(f"the anchor {unknown[0]!r} has played no game")
    number = {name: index for index, name in enumerate(names)}
    table = by_davidson(Games(names, [Game(number[first], number[second], score, opening, -1)
                                      for first, second, score, opening in read]), anchors or {})
    facts = Player.__dataclass_fields__
    return Fit(tuple(Player(**{fact: line[fact] for fact in facts}) for line in table["players"]),
               _interval(table, "first_move_advantage"), _interval(table, "draw_rate"), table["connected"])


def results(records: Iterable[GameRecord]) -> Iterator[GameResult]:
    """Yield the results of recorded games, as `fit` takes them."""
    for record in records:
        winner = record.result.winner
        yield (record.seats[0].name, record.seats[1].name, 0.5 if winner is None else 1.0 - winner,
               ";".join(record.opening) or None)


def interval(*, wins: int = 0, draws: int = 0, losses: int = 0) -> Interval:
    """Return the Elo difference that these independent games show, with its 95 % interval, within ±1,200."""
    if min(wins, draws, losses) < 0:
        raise ValueError(f"numbers of games must not be negative: {wins} wins, {draws} draws, {losses} losses")
    value, low, high, _ = estimate((losses, draws, wins))
    return Interval(round(value, 1), round(low, 1), round(high, 1))


def sprt(pairs: Sequence[int], *, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Verdict:
    """Return the state of a sequential test of `elo1` against `elo0`, in normalized Elo.

    `pairs` are the numbers of game pairs (one opening, seats swapped) in which the player scored 0, ½, 1, 1½ and 2
    points. Raises ValueError for numbers that define no test.
    """
    return _judge(pairs, Bounds(elo0, elo1, alpha, beta))


def _checked(game: GameResult) -> tuple[str, str, float, str | None]:
    first, second, score, *rest = game
    if score not in _SCORES or first == second:
        raise ValueError(f"a game is (first, second, score) with two names and a score of 1, 0.5 or 0, not {game!r}")
    return first, second, float(score), rest[0] if rest else None


def _interval(table: Mapping[str, Any], name: str) -> Interval:
    return Interval(table[name], table[f"{name}_low"], table[f"{name}_high"])
