"""Selection of the matches that go to a ruleset's queue next.

Matches of running events come first, in fair shares: the event with the fewest matches on the queue and at the workers
is served next, regardless of its start and size. Ladder matches, the oldest first, fill the rest of half the window, so
that an event that starts now soon has the workers. Trials come next, and challenges last. No kind waits indefinitely:
once ladder matches, trials or challenges have waited for LONGEST_WAIT, one in `shares.LEAST_SHARE` of the matches on
the queue and at the workers is of that kind, ahead of everything else.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField

from tournaments.models import Event, Ladder, Match
from tournaments.models.lifecycle import EventStatus, MatchKind, MatchStatus
from tournaments.services.matches.shares import least_share, share_out
from tournaments.services.shared import leases

LONGEST_WAIT: Final = timedelta(minutes=5)
BACKGROUND: Final = (MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE)


@dataclass(frozen=True, slots=True)
class Queue:
    """The present state of a ruleset's queue, and the kinds of matches that wait for it.

    IDs published before `lost_before` and not claimed are no longer on it. With `only_trusted`, its workers may play
    only trusted matches.
    """

    ruleset: str
    kinds: set[MatchKind]
    window: int
    length: int
    lost_before: datetime
    only_trusted: bool = False

    @property
    def room(self) -> int:
        """Number of IDs that the queue can still take."""
        return max(0, self.window - self.length)


def kinds_waiting(now: datetime) -> dict[str, set[MatchKind]]:
    """Return the kinds of matches that wait, by ruleset; rulesets with no waiting match are left out.

    One query, which looks for one row per ruleset and kind, regardless of how many matches wait.
    """
    rows = leases.to_publish(Match, now).filter(held=False, ruleset=OuterRef("ruleset")).order_by()
    found = (Ladder.objects.order_by().distinct()
             .annotate(**{kind.name: Exists(rows.filter(kind=kind)) for kind in MatchKind})
             .values("ruleset", *(kind.name for kind in MatchKind)))
    kinds = {row["ruleset"]: {kind for kind in MatchKind if row[kind.name]} for row in found}
    return {ruleset: some for ruleset, some in kinds.items() if some}


def queued(ruleset: Any) -> QuerySet[Match]:
    """Return the ruleset's matches that wait for a worker. `ruleset` may be an expression."""
    return Match.objects.filter(status=MatchStatus.QUEUED, held=False, ruleset=ruleset).order_by()


def mark_next(queue: Queue, *, now: datetime) -> list[int]:
    """Mark the matches that come next as published; return their IDs, to publish after commit."""
    if not queue.room:
        return []
    ids = list(islice(_choose(queue, now), queue.room))
    # Another coordinator may have marked some in the meantime.
    mine = set(leases.mark_published(_waiting(queue, now).filter(pk__in=ids), now))
    return [match_id for match_id in ids if match_id in mine]


def _choose(queue: Queue, now: datetime) -> Iterator[int]:
    """Yield IDs in the order in which to play them, possibly more than there is room for."""
    on_the_way = _on_the_way(queue)
    chosen: set[int] = set()
    background = [kind for kind in BACKGROUND if kind in queue.kinds]
    for kind in background:
        sure = least_share(queue.window) - on_the_way[kind]
        if sure > 0:
            old = _of_kind(queue, kind, now).filter(created_at__lt=now - LONGEST_WAIT)
            ids = list(old.values_list("pk", flat=True)[:sure])
            chosen.update(ids)
            yield from ids
    ids = share_out(_of_events(queue, now), on_the_way, queue.room) if MatchKind.EVENT in queue.kinds else []
    chosen.update(ids)
    yield from ids
    for kind in background:
        room = queue.window // 2 - queue.length - len(chosen)
        if room > 0:
            # The matches chosen above are among the first of their kind.
            candidates = _of_kind(queue, kind, now).values_list("pk", flat=True)[:room + least_share(queue.window)]
            ids = [pk for pk in candidates if pk not in chosen][:room]
            chosen.update(ids)
            yield from ids


def _on_the_way(queue: Queue) -> Counter[int | str]:
    """Count the matches on the queue or at workers: those of events by event ID, the others by kind."""
    counts: Counter[int | str] = Counter()
    for part in (Q(status=MatchStatus.RUNNING),
                 Q(status=MatchStatus.QUEUED, held=False, published_at__gte=queue.lost_before)):
        rows = (Match.objects.filter(part, ruleset=queue.ruleset).order_by().values_list("event", "kind")
                .annotate(number=Count("pk")))
        for event, kind, number in rows:
            counts[event or kind] += number
    return counts


def _waiting(queue: Queue, now: datetime) -> QuerySet[Match]:
    """Return the ruleset's matches that its workers may play and whose ID is not on the queue."""
    rows = leases.to_publish(Match, now, queue.lost_before).filter(held=False, ruleset=queue.ruleset)
    return (leases.trusted(rows) if queue.only_trusted else rows).order_by("pk")


def _of_kind(queue: Queue, kind: MatchKind, now: datetime) -> QuerySet[Match]:
    return _waiting(queue, now).filter(kind=kind)


class _Ids(Subquery):
    """The IDs of a subquery as one value: an array on PostgreSQL, JSON on SQLite."""

    template = "ARRAY(%(subquery)s)"
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Return JSON, because SQLite has no arrays."""
        return self.as_sql(compiler, connection, template="(SELECT json_group_array(id) FROM (%(subquery)s))", **extra)


def _of_events(queue: Queue, now: datetime) -> dict[int, list[int]]:
    """Return each running event's waiting matches in the order of its schedule, the earliest started event first.

    One query, which reads at most `queue.room` rows per event.
    """
    first = _waiting(queue, now).filter(event=OuterRef("pk")).values("id")[:queue.room]
    running = Event.objects.filter(status=EventStatus.RUNNING, ladder__ruleset=queue.ruleset)
    rows = running.order_by("started_at", "pk").values_list("pk", _Ids(first))
    return {event: json.loads(ids) if isinstance(ids, str) else ids for event, ids in rows}
