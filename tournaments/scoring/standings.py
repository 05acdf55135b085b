"""Standings of an event, from counted results. Pure: no database, no clock.

The order is by points, then by the event's tie-breaks in turn. Entrants that are equal in all of them share a place.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from tournaments.scoring.scores import (
    GAMES_PER_MATCH,
    Counts,
    Crosstable,
    Results,
    Score,
    Tally,
    Unplayed,
    absence,
    bye,
    crosstable,
    requested_bye,
    void,
    walkover,
)
from tournaments.scoring.tie_breaks import TIE_BREAKS, TieBreak, sonneborn_berger

__all__ = ["DEFAULT_TIE_BREAKS", "TIE_BREAKS", "Counts", "Crosstable", "Row", "Score", "Tally",
           "TieBreak", "Unplayed", "absence", "bye", "crosstable", "requested_bye", "standings", "void", "walkover"]

DEFAULT_TIE_BREAKS = ("sonneborn-berger", "wins")
# It has a column of its own, in addition to those of the tie-breaks.
_SHOWN = "sonneborn-berger"


@dataclass(slots=True)
class Row:
    """One entrant's row. `score` is of all games that it played; `seats` are the scores in seat 0 and in seat 1.

    `points` decide the order: those of the score or of matches, plus those of rounds without play. `tie_breaks` are in
    the order of priority. In a knockout, entrants still in share the places from `place` to `worst_place`.
    `annulled` means that the games decide nothing, because the entrant left or was disqualified. If the event has
    several tables, `table` is the name of the entrant's, and places count within it.
    """

    entrant: int
    place: int = 0
    points: float = 0.0
    score: Score = field(default_factory=Score)
    seats: tuple[Score, Score] = field(default_factory=lambda: (Score(), Score()))
    tie_breaks: tuple[float, ...] = ()
    sonneborn_berger: float = 0.0
    worst_place: int | None = None
    eliminated: bool = False
    annulled: bool = False
    table: str = ""

    @property
    def places(self) -> str:
        """The place, or the range of places still open: 1–4."""
        return str(self.place) if self.worst_place in (None, self.place) else f"{self.place}–{self.worst_place}"


def standings(
    entrants: Sequence[int], games: Counts | Iterable[Tally], *, tie_breaks: Sequence[str] = DEFAULT_TIE_BREAKS,
    unplayed: Sequence[Unplayed] = (), aside: Collection[frozenset[int]] = (), games_per_match: int = GAMES_PER_MATCH,
    by_match: bool = False, tables: Mapping[str, Sequence[int]] | None = None,
) -> list[Row]:
    """Return a row for each entrant, best first; equal entrants are in the order given.

    `tables` are the entrants of each table, by its name, if there are several. They follow one another.

    Games of pairs that are set `aside` are in the scores, but decide nothing.

    `tie_breaks` are keys of TIE_BREAKS. `unplayed` are rounds of a Swiss without play (`bye`, `walkover`, `absence`,
    `void`): a match won without play is worth `games_per_match` points, or one point if points are `by_match` (see
    Results). Raises KeyError for an unknown tie-break, or for results of a non-entrant.
    """
    counts = games if isinstance(games, Counts) else Counts.of(games)
    results = Results(entrants, counts.without(aside), unplayed, games_per_match, by_match=by_match)
    rows = {entrant: Row(entrant, points=results.points[entrant]) for entrant in entrants}
    for entrant, seats in counts.seats.items():
        row = rows[entrant]
        row.seats = Score(*seats[:3]), Score(*seats[3:])
        row.score = Score(*(zeroth + first for zeroth, first in zip(seats[:3], seats[3:], strict=True)))
    order: list[int] = []
    for table, members in ({"": entrants} if tables is None else tables).items():
        order += _placed(table, members, tie_breaks, results, rows)
    # As a tie-break, it has already been computed for all entrants.
    at = list(tie_breaks).index(_SHOWN) if _SHOWN in tie_breaks else None
    for entrant, row in rows.items():
        row.sonneborn_berger = sonneborn_berger(results, entrant) if at is None else row.tie_breaks[at]
    return [rows[entrant] for entrant in order]


def _placed(table: str, members: Sequence[int], tie_breaks: Sequence[str], results: Results,
            rows: dict[int, Row]) -> list[int]:
    """Give the members of a table their places, and return them in this order."""
    groups = _split(list(members), results.points)
    for name in tie_breaks:
        groups = [part for tied in groups for part in _break(TIE_BREAKS[name], tied, results, rows)]
    place = 1
    for tied in groups:
        for entrant in tied:
            rows[entrant].place, rows[entrant].table = place, table
        place += len(tied)
    return [entrant for tied in groups for entrant in tied]


def _break(tie_break: TieBreak, tied: list[int], results: Results, rows: dict[int, Row]) -> list[list[int]]:
    values = tie_break.values(results, tied)
    for entrant in tied:
        rows[entrant].tie_breaks += (values[entrant],)
    return _split(tied, values)


def _split(tied: list[int], values: Mapping[int, float]) -> list[list[int]]:
    ordered = sorted(tied, key=values.__getitem__, reverse=True)
    return [list(group) for _, group in groupby(ordered, values.__getitem__)]
