"""Counts of an event's games: all games are counted once, and then only those that have been added since.

For the reason, see "Scale" in docs/reference/benchmarks.md: the page of an event of 100 bots just after a match.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Max, Subquery

from tournaments.models import Event, Game
from tournaments.scoring.scores import Counts, no_games
from tournaments.selectors.shared.cache import last_cached, store, tag_of

_KEPT = "games"


class _Counted(NamedTuple):
    """Counts of the games up to an ID, as plain data."""

    newest: int
    games: int
    meetings: dict[int, dict[int, list[int]]]
    seats: dict[int, list[int]]


def counted(event: Event, bots: Mapping[int, int]) -> Counts:
    """Return the counts of the event's games by bot; `bots` maps versions to bots."""
    known = last_cached(event, _KEPT)
    if known is not None and known[0] == tag_of(event):
        return _counts(_Counted(*known[1]))
    done = (known and _with_new(event, bots, _Counted(*known[1]))) or _all(event, bots)
    store(event, _KEPT, tuple(done))
    return _counts(done)


def _all(event: Event, bots: Mapping[int, int]) -> _Counted:
    groups = list(Game.objects.filter(event=event).order_by().values_list("seat0", "seat1", "winner")
                  .annotate(Count("id"), Max("id")))
    counts = Counts()
    counts.add(_by_bots((group[:4] for group in groups), bots))
    return _Counted(max((group[4] for group in groups), default=0), sum(group[3] for group in groups),
                    dict(counts.meetings), dict(counts.seats))


def _with_new(event: Event, bots: Mapping[int, int], known: _Counted) -> _Counted | None:
    """Return the counts with the games of higher IDs added; None if there are others as well.

    IDs are not assigned in the order of commits.
    """
    games = Game.objects.filter(event=event).order_by()
    # Counted by the same statement, so that both numbers refer to the same moment.
    total = games.values("event").annotate(number=Count("id")).values("number")
    new = list(games.filter(id__gt=known.newest).annotate(total=Subquery(total))
               .values_list("seat0", "seat1", "winner", "id", "total"))
    number = new[0][4] if new else games.count()
    if number != known.games + len(new):
        return None
    counts = _counts(known)
    counts.add(_by_bots(((*game[:3], 1) for game in new), bots))
    return _Counted(max((game[3] for game in new), default=known.newest), number, dict(counts.meetings),
                    dict(counts.seats))


def _counts(known: _Counted) -> Counts:
    return Counts(defaultdict(dict, known.meetings), defaultdict(no_games, known.seats))


def _by_bots(rows: Iterable[tuple[Any, ...]], bots: Mapping[int, int]) -> Iterable[tuple[int, int, int | None, int]]:
    return ((bots[seat0], bots[seat1], winner, count) for seat0, seat1, winner, count in rows)
