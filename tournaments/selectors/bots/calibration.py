"""Reads about the calibration of a bot's own evaluation: the chances that it reported, against its results."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from ratings.models import ReportedChances
from ratings.reports.calibration import BINS, Tally, error
from tournaments.models import Bot


@dataclass(frozen=True, slots=True)
class Calibration:
    """The bins of a bot in one ruleset, over all its versions and the ruleset's ladders; only those with turns."""

    ruleset: str
    bins: dict[int, Tally]

    @property
    def turns(self) -> int:
        """Number of turns with a reported chance."""
        return sum(tally.turns for tally in self.bins.values())

    @property
    def error(self) -> float:
        """Mean difference between reported and scored chance, weighted by turns."""
        return error(self.bins)


def calibration(bot: Bot) -> list[Calibration]:
    """Return the bot's calibration by ruleset, the one with most turns first. One query, of at most 10 rows each."""
    rows = (ReportedChances.objects.filter(version__bot=bot).order_by().values_list("ladder__ruleset", "bin")
            .annotate(*(Sum(name) for name in Tally._fields)))
    found: dict[str, dict[int, Tally]] = {}
    for ruleset, place, *counts in rows:
        found.setdefault(ruleset, {})[place] = Tally(*counts)
    every = [Calibration(ruleset, dict(sorted(bins.items()))) for ruleset, bins in found.items()]
    return sorted(every, key=lambda each: (-each.turns, each.ruleset))


def calibration_rows(bot: Bot) -> list[dict[str, Any]]:
    """Return the bins as plain facts, for the API."""
    return [{"ruleset": each.ruleset, "low": place / BINS, "high": (place + 1) / BINS, "turns": tally.turns,
             "games": tally.games, "reported": tally.reported, "scored": tally.scored,
             "scored_low": tally.interval[0], "scored_high": tally.interval[1]}
            for each in calibration(bot) for place, tally in each.bins.items()]
