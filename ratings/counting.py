"""Counts of a ladder's results by pair and opening, updated period by period or recounted from all games.

Callers hold the ladder's lock and a transaction, and pass the games: nothing here reads tournaments. Only sums are
stored, so the order of the games does not matter.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from itertools import groupby, islice
from operator import neg
from typing import Any, Final, NamedTuple

from django.db.models import F, Q

from ratings.models import COUNTS, ClusterCounts, PairCounts, Statistics
from ratings.models.upsert import save

_BATCH: Final = 500
_PAIRS_IN_QUERY: Final = 100
_EMPTY: Final = (0, 0, 0, 0, 0, 0)
# Index of the product of two of the six counts in the upper triangle, row by row.
_PLACE: Final = {(row, column): row * 6 + column - row * (row + 1) // 2 for row in range(6) for column in range(row, 6)}

Six = tuple[int, ...]
Pair = tuple[int, int]
Clusters = dict[str, Six]


class Played(NamedTuple):
    """A game: the versions in seats 0 and 1, the winning seat or None, and the turns of its opening."""

    first: int
    second: int
    winner: int | None
    opening: Sequence[str]

    @property
    def pair(self) -> Pair:
        """Both versions, the lower ID first."""
        return min(self.first, self.second), max(self.first, self.second)


def digest(opening: Sequence[str]) -> str:
    """The key of an opening's clusters: 16 hexadecimal digits of the SHA-256 of its turns."""
    return _digest(tuple(opening))


@lru_cache(maxsize=10_000)
def _digest(opening: tuple[str, ...]) -> str:
    return sha256(json.dumps(opening, separators=(",", ":")).encode()).hexdigest()[:16]


def moments(clusters: Iterable[Six]) -> list[int]:
    """Sums over clusters of the products of any two of a cluster's counts: 21, the upper triangle row by row."""
    total = [0] * len(_PLACE)
    for counts in clusters:
        # Most clusters have two games, so at most two of the six counts are not 0.
        there = [(place, count) for place, count in enumerate(counts) if count]
        for start, (row, one) in enumerate(there):
            for column, other in there[start:]:
                total[_PLACE[row, column]] += one * other
    return total


def count_period(*, ladder_id: int, number: int, games: Sequence[Played], due_at: datetime) -> bool:
    """Add the games of the ladder's period `number`. Does nothing and returns False unless it is the next to count.

    The official table becomes due at `due_at`, unless it was due before.
    """
    if number == 1:
        Statistics.objects.get_or_create(ladder_id=ladder_id, defaults={"period": 0, "games": 0})
    known = Statistics.objects.filter(ladder=ladder_id, period=number - 1).first()
    if known is None:
        return False
    _add(ladder_id, dict(_by_sorted_pair(sorted(games, key=lambda game: game.pair))))
    Statistics.objects.filter(pk=known.pk).update(
        period=number, games=F("games") + len(games),
        due_at=known.due_at if known.due_at is not None or not games else due_at)
    return True


def count_again(*, ladder_id: int, period: int, games: Iterable[Played], now: datetime) -> None:
    """Replace all counts of the ladder with those of these games, sorted by pair; the official table becomes due."""
    PairCounts.objects.filter(ladder=ladder_id).delete()
    total, pairs = 0, _by_sorted_pair(games)
    while batch := dict(islice(pairs, _BATCH)):
        _write(ladder_id, {}, {}, batch)
        total += sum(sum(counts) for clusters in batch.values() for counts in clusters.values())
    Statistics.objects.update_or_create(ladder_id=ladder_id,
                                        defaults={"period": period, "games": total, "due_at": now})


def hasten(*, ladder_id: int, now: datetime) -> None:
    """Make the official table due now, if it is due later."""
    Statistics.objects.filter(ladder=ladder_id, due_at__gt=now).update(due_at=now)


def matches_stored(*, ladder_id: int, period: int, games: Iterable[Played]) -> bool:
    """Whether the ladder's counts are those of these games, sorted by pair, up to this period."""
    total = 0
    stored = _stored(ladder_id)
    for pair, clusters in _by_sorted_pair(games):
        total += sum(sum(counts) for counts in clusters.values())
        if next(stored, None) != (pair, _sum(clusters.values()), moments(clusters.values()), clusters):
            return False
    known = Statistics.objects.filter(ladder=ladder_id).values_list("period", "games").first()
    return next(stored, None) is None and (known or (0, 0)) == (period, total)


def rows(games: Iterable[Played]) -> Iterator[tuple[Any, ...]]:
    """Count games, sorted by pair: lower ID, higher ID, the six counts, the list of moments."""
    for (low, high), clusters in _by_sorted_pair(games):
        yield low, high, *_sum(clusters.values()), moments(clusters.values())


def _by_sorted_pair(games: Iterable[Played]) -> Iterator[tuple[Pair, Clusters]]:
    for pair, of_pair in groupby(games, key=lambda game: game.pair):
        yield pair, _clusters(of_pair)


def _clusters(games: Iterable[Played]) -> Clusters:
    """The counts of one pair's games by opening."""
    clusters: dict[str, list[int]] = {}
    for game in games:
        counts = clusters.setdefault(digest(game.opening), list(_EMPTY))
        ending = 1 if game.winner is None else 2 * game.winner
        counts[(0 if game.first < game.second else 3) + ending] += 1
    return {opening: tuple(counts) for opening, counts in clusters.items()}


def _add(ladder_id: int, more: Mapping[Pair, Clusters]) -> None:
    """Add these clusters to the stored counts, with a few statements for hundreds of pairs."""
    pairs = {(pair.low_id, pair.high_id): pair for pair in _find(ladder_id, more)}
    openings = {opening for clusters in more.values() for opening in clusters}
    found = ClusterCounts.objects.filter(pair__in=[pair.pk for pair in pairs.values()], opening__in=openings)
    _write(ladder_id, pairs, {(cluster.pair_id, cluster.opening): cluster for cluster in found.order_by()}, more)


def _find(ladder_id: int, pairs: Collection[Pair]) -> Iterator[PairCounts]:
    # Each condition names the ladder: otherwise SQLite reads all of its pairs.
    conditions = [Q(ladder=ladder_id, low=low, high=high) for low, high in pairs]
    for start in range(0, len(conditions), _PAIRS_IN_QUERY):
        either = Q(*conditions[start:start + _PAIRS_IN_QUERY], _connector=Q.OR)
        yield from PairCounts.objects.filter(either).order_by()


def _write(ladder_id: int, pairs: Mapping[Pair, PairCounts], clusters: Mapping[tuple[int, str], ClusterCounts],
           more: Mapping[Pair, Clusters]) -> None:
    """Write the sums of the stored and the new counts, as new rows or over the old ones."""
    touched: list[PairCounts] = []
    parts: list[ClusterCounts] = []
    for (low, high), added in more.items():
        pair = pairs.get((low, high)) or PairCounts(ladder_id=ladder_id, low_id=low, high_id=high, moments=[0] * 21)
        rows = [clusters.get((pair.pk, opening)) or ClusterCounts(pair=pair, opening=opening) for opening in added]
        before = moments(row.counts for row in rows)
        for row, counts in zip(rows, added.values(), strict=True):
            _add_to(row, counts)
            _add_to(pair, counts)
        after = moments(row.counts for row in rows)
        pair.moments = [sum(terms) for terms in zip(pair.moments, after, map(neg, before), strict=True)]
        touched.append(pair)
        parts += rows
    save(touched, [*COUNTS, "moments"])
    save(parts, COUNTS)


def _add_to(row: PairCounts | ClusterCounts, counts: Six) -> None:
    for name, count in zip(COUNTS, counts, strict=True):
        setattr(row, name, getattr(row, name) + count)


def _sum(several: Iterable[Six]) -> Six:
    return tuple(map(sum, zip(*several, strict=True)))


def _stored(ladder_id: int) -> Iterator[tuple[Pair, Six, list[int], Clusters]]:
    """The stored counts, sorted by pair."""
    # By ID: "low" would mean the ordering of the versions, which is by name.
    rows = PairCounts.objects.filter(ladder=ladder_id).order_by("low_id", "high_id").iterator(chunk_size=_BATCH)
    while batch := list(islice(rows, _BATCH)):
        clusters: dict[int, Clusters] = {pair.pk: {} for pair in batch}
        for cluster in ClusterCounts.objects.filter(pair__in=clusters).order_by():
            clusters[cluster.pair_id][cluster.opening] = cluster.counts
        for pair in batch:
            yield (pair.low_id, pair.high_id), pair.counts, pair.moments, clusters[pair.pk]
