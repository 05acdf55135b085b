"""Counts of reported chances by version and bin, added period by period or recounted from all games.

Callers hold the ladder's lock and a transaction, and pass the games: nothing here reads tournaments.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ratings.models import ReportedChances
from ratings.models.upsert import save
from ratings.reports.calibration import Tally, of_game

Counts = dict[tuple[int, int], Tally]


class Reported(NamedTuple):
    """A game: the versions in seats 0 and 1, the winning seat or None, and the turns of its record."""

    first: int
    second: int
    winner: int | None
    turns: Any
    opening: int

    def chances(self) -> Iterator[tuple[int, float]]:
        """Yield the seat and the chance of each turn for which the bot reported one. The record is not trusted."""
        for number, turn in enumerate(self.turns if isinstance(self.turns, list) else (), start=self.opening):
            view = turn.get("view") if isinstance(turn, dict) else None
            win = view.get("win") if isinstance(view, dict) else None
            if isinstance(win, int | float) and 0 <= win <= 1:
                yield number % 2, win


def count(games: Iterable[Reported]) -> Counts:
    """Return the counts of these games by version and bin."""
    found: Counts = {}
    for game in games:
        reported = list(game.chances())
        for seat, version in enumerate((game.first, game.second)):
            score = 0.5 if game.winner is None else float(game.winner == seat)
            own = [win for whose, win in reported if whose == seat]
            for place, tally in of_game(own, score).items():
                found[version, place] = found.get((version, place), Tally()).plus(tally)
    return found


def add(*, ladder_id: int, games: Iterable[Reported]) -> None:
    """Add these games to the ladder's counts."""
    more = count(games)
    if not more:
        return
    versions = {version for version, _ in more}
    rows = {(row.version_id, row.bin): row for row in
            ReportedChances.objects.filter(ladder=ladder_id, version__in=versions).order_by()}
    _save(ladder_id, rows, more)


def replace(*, ladder_id: int, counts: Counts) -> None:
    """Replace the ladder's counts with these."""
    ReportedChances.objects.filter(ladder=ladder_id).delete()
    _save(ladder_id, {}, counts)


def stored(*, ladder_id: int) -> Counts:
    """Return the ladder's counts."""
    return {(row.version_id, row.bin): row.tally for row in
            ReportedChances.objects.filter(ladder=ladder_id).order_by()}


def _save(ladder_id: int, rows: dict[tuple[int, int], ReportedChances], more: Counts) -> None:
    touched = []
    for (version, place), tally in more.items():
        row = rows.get((version, place))
        total = tally if row is None else row.tally.plus(tally)
        row = row or ReportedChances(ladder_id=ladder_id, version_id=version, bin=place)
        for name, value in total._asdict().items():
            setattr(row, name, value)
        touched.append(row)
    save(touched, Tally._fields)
