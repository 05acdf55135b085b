"""Reads about analyses of games. Verdicts are checked on reading, because they come from bots."""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q, QuerySet

from tournaments.models import Analysis, Game
from tournaments.models.lifecycle import ANALYSIS_OPEN, AnalysisStatus
from tournaments.scoring.analysis import Verdict, verdicts_from


def analyses() -> QuerySet[Analysis]:
    """Return analyses with their judges, newest first."""
    return Analysis.objects.select_related("judge__bot", "other__bot").order_by("-pk")


def newest(game: Game) -> Analysis | None:
    """Return the newest analysis of the game that shows something: open, done, or broken off after some positions."""
    return analyses().filter(Q(status__in=[*ANALYSIS_OPEN, AnalysisStatus.DONE]) | Q(judged__gt=0), game=game).first()


@dataclass(frozen=True)
class Judged:
    """An analysis whose verdicts have been checked: `rows` has one verdict per judge for each position so far."""

    analysis: Analysis

    @cached_property
    def rows(self) -> list[tuple[Verdict, ...]]:
        """The verdicts by position."""
        return verdicts_from(self.analysis.verdicts, len(self.analysis.judges))[:self.analysis.positions]

    @cached_property
    def main(self) -> int:
        """The judge whose view is shown: with most chances, or of those the strongest."""
        counts = [sum(row[place].win is not None for row in self.rows) for place in range(len(self.analysis.judges))]
        return counts.index(max(counts))

    def verdicts_of(self, judge: int) -> list[Verdict]:
        """Return one judge's verdicts by position, with empty ones for positions that it has not seen."""
        seen = [row[judge] for row in self.rows]
        return seen + [Verdict()] * (self.analysis.positions - len(seen))
