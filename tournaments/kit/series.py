"""A series of games between two bots: who sits where, from which openings, and who counts what came of it."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final, Protocol

from engines.records.record import GameRecord
from engines.rules.openings import Bag, openings
from engines.rules.ruleset import Ruleset
from tournaments.kit.pool import Job

_SEEDS: Final = 1 << 62


def schedule(ruleset: Ruleset, size: int, games: int, seed: int) -> Iterator[Job]:
    """The games in pairs: both bots play both seats of an opening before the next is drawn."""
    bag = Bag(openings(ruleset, size))
    for pair in range((games + 1) // 2):
        pair_seed = (seed + pair) % _SEEDS
        opening = bag.draw(pair_seed)
        for first in range(min(2, games - 2 * pair)):
            yield Job(2 * pair + first + 1, first, opening, pair_seed)


class Standing(Protocol):
    """What the games of a series say so far: `tournaments.scoring.series.Standing`."""

    @property
    def names(self) -> tuple[str, str]:
        """The bots' names."""

    @property
    def over(self) -> bool:
        """Whether more games are of no use."""

    def add(self, job: Job, record: GameRecord) -> None:
        """Count a game."""

    def line(self) -> str:
        """All of it in one line."""

    def summary(self) -> list[str]:
        """The end of the series in a few lines."""


def bounds_of(elo0: float, elo1: float) -> Any:
    """What a sequential test tells apart, in normalized Elo. Raises ValueError."""
    # By name alone, like the standing: the arithmetic is beside the rules, and the tables are above them.
    return import_module("ratings.sprt").Bounds(elo0, elo1)


def standing_of(names: tuple[str, str], bounds: Any) -> Standing:
    """The standing of a series that has not begun; `bounds` are what its test tells apart, or None."""
    standing: Standing = import_module("tournaments.scoring.series").Standing(names, bounds)
    return standing
