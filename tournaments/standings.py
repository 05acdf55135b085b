"""Standings and crosstable of an event, from counted results. Pure: no database, no clock.

Order: points (win 1, draw ½), then Sonneborn-Berger (the sum of the points of everyone a bot beat and half
the points of everyone it drew with, game by game), then wins. Bots equal in all three share a place.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


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


@dataclass(slots=True)
class Row:
    """One entrant's line. `seats` is its score as seat 0 and as seat 1."""

    entrant: int
    place: int = 0
    score: Score = field(default_factory=Score)
    seats: tuple[Score, Score] = field(default_factory=lambda: (Score(), Score()))
    sonneborn_berger: float = 0.0


Crosstable = dict[tuple[int, int], Score]


def crosstable(tallies: Iterable[Tally]) -> Crosstable:
    """The score of each entrant against each opponent it met, keyed (entrant, opponent)."""
    table: Crosstable = defaultdict(Score)
    for tally in tallies:
        table[tally.seat0, tally.seat1].add(0, tally.winner, tally.count)
        table[tally.seat1, tally.seat0].add(1, tally.winner, tally.count)
    return dict(table)


def standings(entrants: Sequence[int], tallies: Sequence[Tally]) -> list[Row]:
    """A row for each entrant, best first; entrants without games come with zeros, in the order given."""
    rows = {entrant: Row(entrant) for entrant in entrants}
    for tally in tallies:
        for seat, entrant in enumerate((tally.seat0, tally.seat1)):
            rows[entrant].score.add(seat, tally.winner, tally.count)
            rows[entrant].seats[seat].add(seat, tally.winner, tally.count)
    for (entrant, opponent), score in crosstable(tallies).items():
        rows[entrant].sonneborn_berger += score.points * rows[opponent].score.points
    ordered = sorted(rows.values(), key=_merit, reverse=True)
    for index, row in enumerate(ordered):
        tied = index > 0 and _merit(ordered[index - 1]) == _merit(row)
        row.place = ordered[index - 1].place if tied else index + 1
    return ordered


def _merit(row: Row) -> tuple[float, float, int]:
    return row.score.points, row.sonneborn_berger, row.score.wins
