"""Findings about a ladder's ratings, with the lines that they name."""

from dataclasses import dataclass
from typing import Any

from ratings.models import OfficialLine, OfficialTable
from tournaments.selectors.ladders import official


@dataclass(frozen=True, slots=True)
class Deviation:
    """A pair that scored unlike the fit predicts; `facts` as stored."""

    first: OfficialLine
    second: OfficialLine
    facts: dict[str, Any]

    @property
    def shares(self) -> tuple[float, float]:
        """The first line's points per game: actual and expected."""
        games = self.facts["games"]
        return self.facts["points"] / games, self.facts["expected"] / games


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of the tests; `cycles` has three steps each: a line, the next one, and the points per game."""

    facts: dict[str, Any]
    deviations: list[Deviation]
    cycles: list[list[tuple[OfficialLine, OfficialLine, float]]]


def findings(table: OfficialTable | None) -> Findings | None:
    """Return the findings; None if the table has none, because it is large or an older release computed it."""
    facts = table.transitivity if table else None
    if not facts:
        return None
    ranks = {rank for each in facts["deviations"] for rank in (each["first"], each["second"])}
    ranks |= {rank for each in facts["cycles"] for rank in each["players"]}
    # Named lines only, and no query for them on most ladders.
    by_rank = {line.rank: line for line in official.lines(table).filter(rank__in=ranks)} if ranks else {}
    deviations = [Deviation(by_rank[each["first"]], by_rank[each["second"]], each) for each in facts["deviations"]]
    cycles = [[(by_rank[a], by_rank[b], share) for a, b, share in zip(
        each["players"], each["players"][1:] + each["players"][:1], each["shares"], strict=True)]
        for each in facts["cycles"]]
    return Findings(facts, deviations, cycles)
