"""Calibration of reported chances: how often a bot that reports a chance of 70 % scores 70 % of the points.

Reports are counted in bins of equal width (a reliability diagram: Murphy and Winkler, 1977). All counts are whole
numbers, so their sums do not depend on the order of the games.

Turns of one game share its result. The interval of a bin is therefore computed for Kish's effective number of games
(Survey Sampling, 1965, section 11.7): with t turns in a game, (Σ t)² / Σ t². It is Wilson's score interval
(JASA 22, 1927, equation for p).
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from ratings.score import wilson

BINS: Final = 10
# Reported chances have four decimals.
UNITS: Final = 10_000


class Tally(NamedTuple):
    """Counts of one bin.

    `chance` is the sum of the reported chances in units of 1/10000, `halves` the sum over turns of the half points of
    the game, `squares` the sum over games of the squared number of turns.
    """

    turns: int = 0
    games: int = 0
    squares: int = 0
    chance: int = 0
    halves: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Return the sum of both."""
        return Tally(*map(sum, zip(self, other, strict=True)))

    @property
    def reported(self) -> float:
        """Mean reported chance, 0 to 1."""
        return self.chance / self.turns / UNITS

    @property
    def scored(self) -> float:
        """Share of the points that the bot scored in the end, by turns, 0 to 1."""
        return self.halves / self.turns / 2

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `scored`."""
        return wilson(self.scored, self.turns ** 2 / self.squares)


def bin_of(chance: float) -> int:
    """Return the bin of a reported chance; 1 belongs to the last bin."""
    return min(int(round(chance * UNITS) * BINS // UNITS), BINS - 1)


def of_game(chances: Iterable[float], score: float) -> dict[int, Tally]:
    """Return the counts of one side's game by bin, given its reported chances and its score: 0, 0.5 or 1."""
    found: dict[int, list[int]] = {}
    for chance in chances:
        found.setdefault(bin_of(chance), []).append(round(chance * UNITS))
    return {place: Tally(len(units), 1, len(units) ** 2, sum(units), round(2 * score) * len(units))
            for place, units in found.items()}


def error(tallies: Mapping[int, Tally]) -> float:
    """Return the mean difference between reported and scored chance, weighted by turns (expected calibration error)."""
    turns = sum(tally.turns for tally in tallies.values())
    return sum(tally.turns * abs(tally.reported - tally.scored) for tally in tallies.values()) / turns
