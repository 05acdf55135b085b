"""Counted results of an event's games, and what its tables are computed from. Pure: no database, no clock."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

GAMES_PER_MATCH = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """`count` games in which `seat0` moved first against `seat1`; `winner` is a seat, or None for draws."""

    seat0: int
    seat1: int
    winner: int | None
    count: int


@dataclass(slots=True)
class Score:
    """Games won, drawn and lost, from one side's point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """Points per game, 0 to 1; None without games."""
        return self.points / self.games if self.games else None

    def add(self, seat: int, winner: int | None, count: int) -> None:
        """Count games that this side played on `seat`."""
        if winner is None:
            self.draws += count
        elif winner == seat:
            self.wins += count
        else:
            self.losses += count


Crosstable = dict[tuple[int, int], Score]


def crosstable(tallies: Iterable[Tally]) -> Crosstable:
    """The score of each entrant against each opponent it met, keyed (entrant, opponent)."""
    table: Crosstable = defaultdict(Score)
    for tally in tallies:
        table[tally.seat0, tally.seat1].add(0, tally.winner, tally.count)
        table[tally.seat1, tally.seat0].add(1, tally.winner, tally.count)
    return dict(table)


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A round of one entrant that was decided without play; `result` is 1, ½ or 0 of a won match.

    `opponent` is who was to be met, if anybody. `voluntary` says that the entrant was not there to play, `for_good`
    that it was not there in any later round either.
    """

    entrant: int
    result: float
    opponent: int | None = None
    voluntary: bool = False
    for_good: bool = False


def bye(entrant: int) -> Unplayed:
    """The round that somebody sat out because the number was odd: a won match."""
    return Unplayed(entrant, 1.0)


def absence(entrant: int) -> Unplayed:
    """A round for which somebody who had left was not paired."""
    return Unplayed(entrant, 0.0, voluntary=True, for_good=True)


def walkover(winner: int, loser: int) -> tuple[Unplayed, Unplayed]:
    """A match that the loser left before it was over."""
    return Unplayed(winner, 1.0, loser), Unplayed(loser, 0.0, winner, voluntary=True)


def void(one: int, other: int) -> tuple[Unplayed, Unplayed]:
    """A match that the infrastructure failed: drawn."""
    return Unplayed(one, 0.5, other), Unplayed(other, 0.5, one)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What `matches` against one opponent, or a round without play, add to a tie-break.

    Own points in them, and the opponent's in the event. A round is `voluntary` if the entrant was not there to play.
    """

    own: float
    opponent: float
    matches: int = 1
    voluntary: bool = False


class Results:
    """Everybody's points, and the matches behind them.

    A won game is a point and a drawn one half. `by_match`, the majority of the games against an opponent is a point,
    half as many is half a point; that presumes that two meet once, as in a Swiss. A match won without play is worth
    the points of `games_per_match` won games, or one. Raises KeyError for results of somebody who is no entrant.
    """

    def __init__(self, entrants: Sequence[int], tallies: Sequence[Tally], unplayed: Sequence[Unplayed] = (),
                 games_per_match: int = GAMES_PER_MATCH, *, by_match: bool = False) -> None:
        self.table = crosstable(tallies)
        self.by_match = by_match
        self.games_per_match = games_per_match
        self.win = 1.0 if by_match else float(games_per_match)
        self.opponents: dict[int, list[int]] = {entrant: [] for entrant in entrants}
        self.unplayed: dict[int, list[Unplayed]] = {entrant: [] for entrant in entrants}
        self.scores = {entrant: Score() for entrant in entrants}
        self.points = dict.fromkeys(entrants, 0.0)
        for (entrant, opponent), score in self.table.items():
            self.opponents[entrant].append(opponent)
            self.points[entrant] += self.scored(entrant, opponent)
            self.scores[entrant].wins += score.wins
            self.scores[entrant].draws += score.draws
            self.scores[entrant].losses += score.losses
        for round_ in unplayed:
            self.unplayed[round_.entrant].append(round_)
            self.points[round_.entrant] += round_.result * self.win
        self._half_of_all = self.win / 2 * max(map(self._rounds, entrants), default=0)

    def scored(self, entrant: int, opponent: int) -> float:
        """The points of the one against the other, which have met."""
        score = self.table[entrant, opponent]
        if not self.by_match:
            return score.points
        return 0.5 if score.wins == score.losses else float(score.wins > score.losses)

    def contributions(self, entrant: int) -> list[Contribution]:
        """One for each opponent of the entrant, and for each round that it did not play."""
        played = [Contribution(self.scored(entrant, opponent), self._adjusted(opponent),
                               self._matches(entrant, opponent)) for opponent in self.opponents[entrant]]
        return played + [Contribution(round_.result * self.win, self._dummy(round_), voluntary=round_.voluntary)
                         for round_ in self.unplayed[entrant]]

    def _matches(self, entrant: int, opponent: int) -> int:
        return 1 if self.by_match else ceil(self.table[entrant, opponent].games / self.games_per_match)

    def _rounds(self, entrant: int) -> int:
        return (sum(self._matches(entrant, opponent) for opponent in self.opponents[entrant])
                + len(self.unplayed[entrant]))

    def _adjusted(self, entrant: int) -> float:
        """What the entrant counts for its opponents: rounds that it missed for good are draws (C.07, 16.3)."""
        return self.points[entrant] + sum((0.5 - round_.result) * self.win for round_ in self.unplayed[entrant]
                                          if round_.for_good)

    def _dummy(self, round_: Unplayed) -> float:
        """The points of the dummy that is met in a round without play: the entrant's own (C.07, 16.4).

        But no more than the opponent's when there was one to meet, else than draws in all rounds so far would give.
        """
        most = self._half_of_all if round_.opponent is None else self._adjusted(round_.opponent)
        return min(self.points[round_.entrant], most)
