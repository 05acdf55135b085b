"""Counts of events' games: all games are counted once, and then only those that have been added since.

Several events take as many queries as one.

For the reason, see "Scale" in docs/reference/benchmarks.md: the page of an event of 100 bots just after a match.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Case, Count, Max, Q, QuerySet, Subquery, When

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


def counted(bots: Mapping[Event, Mapping[int, int]]) -> dict[Event, Counts]:
    """Return the counts of each event's games by bot; `bots` maps the event's versions to bots."""
    known = last_cached(bots, _KEPT)
    now, before = dict[Event, _Counted](), dict[Event, _Counted]()
    for event in bots:
        if event.pk in known:
            tag, numbers = known[event.pk]
            (now if tag == tag_of(event) else before)[event] = _Counted(*numbers)
    read = _with_new(before, bots) if before else {}
    if missing := bots.keys() - now.keys() - read.keys():
        read |= _all(missing, bots)
    for event, done in read.items():
        store(event, _KEPT, tuple(done))
    return {event: _counts(done) for event, done in (now | read).items()}


def _all(events: Iterable[Event], bots: Mapping[Event, Mapping[int, int]]) -> dict[Event, _Counted]:
    groups: dict[int, list[tuple[Any, ...]]] = {event.pk: [] for event in events}
    for pk, *group in (Game.objects.filter(event__in=groups).order_by()
                       .values_list("event", "seat0", "seat1", "winner").annotate(Count("id"), Max("id"))):
        groups[pk].append(tuple(group))
    return {event: _added(_Counted(0, 0, {}, {}), groups[event.pk], bots[event]) for event in bots
            if event.pk in groups}


def _with_new(
    before: Mapping[Event, _Counted], bots: Mapping[Event, Mapping[int, int]],
) -> dict[Event, _Counted]:
    """Return the counts with the games of higher IDs added; without events that have others as well.

    IDs are not assigned in the order of commits.
    """
    games = Game.objects.filter(event__in=[event.pk for event in before]).order_by()
    # Counted by the same statement, so that both numbers refer to the same moment.
    total = Case(*(When(event=event.pk, then=Subquery(_totals(games.filter(event=event)).values("number")))
                   for event in before))
    since = Q(*(Q(event=event, id__gt=known.newest) for event, known in before.items()), _connector=Q.OR)
    new: dict[int, list[tuple[Any, ...]]] = {event.pk: [] for event in before}
    numbers: dict[int, int] = {}
    for pk, numbers[pk], seat0, seat1, winner, game in (
            games.filter(since).annotate(total=total).values_list("event", "total", "seat0", "seat1", "winner", "id")):
        new[pk].append((seat0, seat1, winner, 1, game))
    if without := new.keys() - numbers.keys():
        numbers |= dict.fromkeys(without, 0) | dict(
            _totals(games.filter(event__in=without)).values_list("event", "number"))
    return {event: _added(known, new[event.pk], bots[event]) for event, known in before.items()
            if numbers[event.pk] == known.games + len(new[event.pk])}


def _totals(games: QuerySet[Game]) -> QuerySet[Any, Any]:
    """Return the number of the games of each event."""
    return games.values("event").annotate(number=Count("id"))


def _added(known: _Counted, groups: Sequence[tuple[Any, ...]], bots: Mapping[int, int]) -> _Counted:
    """Add groups of equal games: seats, winner, number, newest ID."""
    counts = _counts(known)
    counts.add((bots[seat0], bots[seat1], winner, number) for seat0, seat1, winner, number, _ in groups)
    return _Counted(max((group[4] for group in groups), default=known.newest),
                    known.games + sum(group[3] for group in groups), dict(counts.meetings), dict(counts.seats))


def _counts(known: _Counted) -> Counts:
    return Counts(defaultdict(dict, known.meetings), defaultdict(no_games, known.seats))
