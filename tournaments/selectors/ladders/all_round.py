"""One table over all rulesets: the mean of each bot's ratings on one ladder per ruleset."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ratings.models import OfficialLine, OfficialTable
from tournaments.models import Bot, Ladder
from tournaments.selectors.ladders.official import lines_by_bot


@dataclass(frozen=True, slots=True)
class Row:
    """A bot in the table: `line` has the columns of a ladder's fit, for the mean.

    official: its line on each ladder; rank_without: its rank without each ladder, empty with only one.
    """

    bot: Bot
    line: Any
    official: Sequence[OfficialLine]
    rank_without: Sequence[int]

    @property
    def plus_minus(self) -> float:
        """Half of the 95 % interval, in Elo."""
        return float(self.line.high - self.line.low) / 2


@dataclass(frozen=True, slots=True)
class Apart:
    """A bot without a comparable rating on some of the ladders, where its line is None."""

    bot: Bot
    official: Sequence[OfficialLine | None]


@dataclass(frozen=True, slots=True)
class Table:
    """The table; `exact` is False if covariances on a very large ladder are taken as zero."""

    ladders: Sequence[Ladder]
    rows: Sequence[Row]
    apart: Sequence[Apart]
    exact: bool


def table() -> Table:
    """Return the table of all rulesets that have ratings, each by its ladder with the most games."""
    chosen = _chosen()
    by_ladder = [_comparable(each) for each in chosen]
    bots = {bot: line.version.bot for lines in by_ladder for bot, line in lines.items()}
    official = {bot: [lines.get(bot) for lines in by_ladder] for bot in sorted(bots)}
    everywhere = {bot: lines for bot, lines in official.items() if all(lines)}
    apart = [Apart(bots[bot], lines) for bot, lines in official.items() if bot not in everywhere]
    rows: list[Row] = []
    exact = True
    if everywhere:
        found = _computed(tuple((each.pk, each.revision, each.input) for each in chosen), tuple(everywhere), tuple(
            tuple(lines[number].version_id for lines in everywhere.values()) for number in range(len(chosen))))
        rows = [Row(bots[line.player], line, everywhere[line.player], without)
                for line, without in zip(found.lines, found.rank_without, strict=True)]
        exact = found.exact
    return Table([each.ladder for each in chosen], rows, sorted(apart, key=lambda each: each.bot.slug), exact)


def _chosen() -> list[OfficialTable]:
    """Return the fit with the most games of each ruleset, by ruleset."""
    found: dict[str, OfficialTable] = {}
    for each in OfficialTable.objects.filter(games__gt=0).select_related("ladder").order_by("-games", "ladder_id"):
        found.setdefault(each.ladder.ruleset, each)
    return [found[ruleset] for ruleset in sorted(found)]


def _comparable(table: OfficialTable) -> dict[int, OfficialLine]:
    """Return the lines of bots in the largest component, by bot ID."""
    bots = table.lines.filter(component=0).order_by().values_list("version__bot", flat=True).distinct()
    return {bot: line for bot, line in lines_by_bot(table, list(bots)).items() if not line.component}


@lru_cache(maxsize=2)
def _computed(keys: tuple[tuple[int, int, str], ...], bots: tuple[int, ...],
              versions: tuple[tuple[int, ...], ...]) -> Any:
    """Return the pure table: computed once per revision of the tables, not per page.

    Five ladders of 500 bots take 40 ms, and of 2,000 bots 1.1 s, without the fits.
    """
    # Imported here, because most web processes never need arrays.
    import numpy as np

    from ratings.all_round import all_round
    from ratings.tables import part_of

    parts = [part_of(OfficialTable.objects.get(pk=pk), listed) for (pk, *_), listed in zip(keys, versions, strict=True)]
    return all_round(np.array(bots, dtype=np.int64), parts)
