"""Official tables in the database: read their input, store them, and verify them.

The arithmetic is in `ratings.official`. Callers are responsible for locks and transactions.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from ratings import Z95
from ratings.all_round import Part
from ratings.fit.covariance import Covariance, contrast_variance
from ratings.fit.davidson import Fit
from ratings.fit.estimate import Estimated, estimate
from ratings.fit.pairs import PairTable, from_arrays
from ratings.models import COUNTS, Anchor, OfficialLine, OfficialTable, PairCounts, Statistics
from ratings.official import LINE_FACTS, official
from ratings.official import OfficialTable as Computed
from ratings.ranks import superiority
from ratings.shown import Shown
from ratings.transitivity import Transitivity

_BATCH: Final = 500
_CHUNK: Final = 5000
# With more pairs than this, reading them takes too long for a single comparison.
_MOST_PAIRS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Input:
    """The input of a table: the games of the periods up to `period`, and the anchors by version ID."""

    pairs: PairTable
    anchors: Mapping[int, float]
    period: int


def pairs_of(rows: Iterable[tuple[Any, ...]]) -> PairTable:
    """The pair table of rows (lower ID, higher ID, the six counts, the moments as a list or as JSON)."""
    listed = list(rows)
    facts = np.array([row[:8] for row in listed], dtype=np.int64).reshape(len(listed), 8)
    # Parsed together: one by one, a hundred thousand small texts take four times as long.
    texts = ",".join(row[8] if isinstance(row[8], str) else json.dumps(row[8]) for row in listed)
    moments = np.array(json.loads(f"[{texts}]"), dtype=np.float64).reshape(len(listed), 21)
    return from_arrays(facts[:, 0], facts[:, 1], facts[:, 2:].astype(np.float64), moments)


def counted(ladder_id: int) -> PairTable:
    """The pair table of the ladder's counted games."""
    rows = PairCounts.objects.filter(ladder=ladder_id).order_by("low_id", "high_id")
    as_text = Cast("moments", TextField())
    return pairs_of(rows.values_list("low", "high", *COUNTS, as_text).iterator(chunk_size=_CHUNK))


def anchors_of(ladder_id: int) -> dict[int, float]:
    """The ladder's anchors, by version ID."""
    return dict(Anchor.objects.filter(ladder=ladder_id).order_by("version_id").values_list("version", "rating"))


def read(ladder_id: int) -> Input:
    """The current input of the ladder's table. Hold the ladder's lock: counts and their period must be consistent."""
    period = Statistics.objects.filter(ladder=ladder_id).values_list("period", flat=True).first()
    return Input(counted(ladder_id), anchors_of(ladder_id), period or 0)


def start_of(ladder_id: int) -> Fit | None:
    """The parameters of the stored table, as the starting point of the next fit."""
    table = OfficialTable.objects.filter(ladder=ladder_id).first()
    return None if table is None else fit_of(table)


def fit_of(table: OfficialTable) -> Fit:
    """The fit behind the stored table."""
    rows = list(table.lines.order_by("version_id").values_list("version", "theta"))
    return Fit(players=np.array([version for version, _ in rows], dtype=np.int64),
               theta=np.array([theta for _, theta in rows], dtype=np.float64),
               eta=table.eta, nu=table.nu, iterations=0, converged=True)


def compute(given: Input, start: Fit | None = None) -> Computed:
    """Compute the table. It is the same to the last digit for any starting point."""
    return official(given.pairs, anchors=given.anchors, start=start)


def store(*, ladder_id: int, given: Input, computed: Computed, now: datetime,
          seconds: float) -> OfficialTable:
    """Replace the ladder's table with this one. Hold the ladder's lock."""
    known = OfficialTable.objects.filter(ladder=ladder_id).first()
    table = OfficialTable(pk=known and known.pk, ladder_id=ladder_id, revision=known.revision + 1 if known else 1,
                          period=given.period, computed_at=now, seconds=seconds, **_facts(given, computed))
    table.save()
    OfficialLine.objects.filter(table=table).delete()
    OfficialLine.objects.bulk_create(
        (OfficialLine(table=table, **line) for line in _lines(computed)), batch_size=_BATCH)
    return table


def matches_stored(table: OfficialTable, given: Input) -> bool:
    """Whether the stored table and its lines equal, to the last digit, the table computed from this input."""
    computed = compute(given)
    facts = _facts(given, computed)
    lines = list(_lines(computed))
    if any(getattr(table, name) != fact for name, fact in facts.items()):
        return False
    stored = table.lines.order_by("rank").values(*lines[0]) if lines else table.lines.values()
    return list(stored) == lines


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two official ratings in Elo, with its 95 % interval and the probability that it is positive."""

    value: float
    low: float
    high: float
    better: float


def difference(first: OfficialLine, second: OfficialLine) -> Difference | None:
    """The difference of two lines of one table (`table` loaded), or None if no games connect them.

    The table stores the covariances of neighbouring lines. Others are computed from the counts, which may include some
    newer games; in very large tables, they are taken as zero.
    """
    if first.component != second.component:
        return None
    above, below = sorted((first, second), key=lambda line: line.rank)
    variance, lines = first.error ** 2 + second.error ** 2, below.rank - above.rank
    if lines <= len(above.covariances):
        variance -= 2.0 * above.covariances[lines - 1]
    elif first.table.exact and first.table.pairs <= _MOST_PAIRS:
        estimated = _cached(first.table.pk, first.table.input)
        one, other = np.searchsorted(estimated.fit.players, [first.version_id, second.version_id]).tolist()
        variance = estimated.fit.scale ** 2 * contrast_variance(estimated, one, other)
    quantile = max((line.plus_minus / line.error if line.error > 0.0 else Z95) for line in (first, second))
    value, half = first.rating - second.rating, quantile * math.sqrt(max(variance, 0.0))
    return Difference(*(round(number, 6) for number in (
        value, value - half, value + half, superiority(value, variance))))


def part_of(table: OfficialTable, versions: Sequence[int]) -> Part:
    """The table's ratings of these versions, which have lines in its largest component, in this order.

    As in `difference`, the covariances may include newer games than the table.
    """
    estimated = _cached(table.pk, table.input)
    shown = Shown(estimated.fit, Covariance(estimated), table.given_anchors)
    rows = np.searchsorted(estimated.fit.players, versions)
    lines = {line.version_id: line for line in table.lines.filter(version__in=versions)}
    tallies = np.array([[getattr(lines[each], name) for each in versions]
                        for name in ("games", "wins", "draws", "losses")], dtype=np.int64)
    matrix = shown.matrix()
    return Part(shown.rating[rows], shown.variance[rows], shown.quantile[rows], shown.own[rows],
                None if matrix is None else matrix[np.ix_(rows, rows)],
                tallies, estimated.fit.nu)


@lru_cache(maxsize=2)
def _cached(table_id: int, digest: str) -> Estimated:  # noqa: ARG001 - part of the cache key
    """The estimate of a table's versions from the present counts, cached because comparisons often come in series.

    The key is the digest of the games: another database can have the same IDs and revisions.
    """
    table = OfficialTable.objects.get(pk=table_id)
    fit, pairs = fit_of(table), counted(table.ladder_id)
    # Without versions that were added since.
    there = np.isin(pairs.players, fit.players)
    rows = there[pairs.low] & there[pairs.high]
    low, high = pairs.players[pairs.low[rows]], pairs.players[pairs.high[rows]]
    return estimate(from_arrays(low, high, pairs.counts[rows], pairs.moments[rows]), start=fit)


def _facts(given: Input, computed: Computed) -> dict[str, Any]:
    """The fields of the table's row, except period, time and revision."""
    advantage, draws, fit = computed.first_move_advantage, computed.draw_parameter, computed.fit
    return {
        "model": computed.model, "input": computed.input, "games": computed.games, "exact": computed.exact,
        "anchors": {str(version): rating for version, rating in sorted(given.anchors.items())},
        "advantage": advantage.value, "advantage_low": advantage.low, "advantage_high": advantage.high,
        "draw_parameter": draws.value, "draw_parameter_low": draws.low, "draw_parameter_high": draws.high,
        "draws": int(given.pairs.counts[:, [1, 4]].sum()), "pairs": len(given.pairs.low),
        "components": [len(component) for component in computed.components],
        "eta": float(fit.eta), "nu": float(fit.nu), "transitivity": _as_json(computed.transitivity),
    }


def _as_json(found: Transitivity | None) -> dict[str, Any]:
    """The findings as the database returns them: lists instead of tuples; an empty object without findings."""
    facts: dict[str, Any] = json.loads(json.dumps(asdict(found))) if found else {}
    return facts


def _lines(computed: Computed) -> Iterator[dict[str, Any]]:
    """The fields of the lines' rows, from the top."""
    thetas = dict(zip(computed.fit.players.tolist(), computed.fit.theta.tolist(), strict=True))
    for line in computed.lines:
        yield {"version_id": line.player, "theta": thetas[line.player],
               "covariances": list(line.covariances), **{name: getattr(line, name) for name in LINE_FACTS}}
