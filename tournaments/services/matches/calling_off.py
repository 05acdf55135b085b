"""Calling matches off: because a bot leaves, or because what they are played for is cancelled.

When a bot leaves, what has not begun is cancelled, and what runs is not retried when it is void: it is played to its
end and counts (docs/decisions/0024-a-bot-leaves-during-a-match.md). What is cancelled is discarded while it runs.
"""

from datetime import datetime

from django.db.models import Case, F, Q, QuerySet, Value, When

from tournaments.models import Attempt, Match
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, MatchKind, MatchStatus

_OUTSIDE_EVENTS = Match.objects.filter(
    held=False, kind__in=[MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE])


def call_off(matches: QuerySet[Match], now: datetime) -> int:
    """Call off those of the matches that are queued or run; returns how many.

    Change first what would have such matches made anew: who is pairing meanwhile then sees the change or is seen.
    """
    # One query, so that no match is missed that changes from the one to the other; of two halves, each with an index.
    queued, running = (matches.filter(status=status).order_by().values_list("pk", flat=True)
                       for status in (MatchStatus.QUEUED, MatchStatus.RUNNING))
    ids = list(queued.union(running))
    is_queued = Q(status=MatchStatus.QUEUED)
    # One statement too: it goes by the row as it is when it is written.
    return Match.objects.filter(pk__in=ids, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).update(
        called_off=True,
        status=Case(When(is_queued, then=Value(MatchStatus.CANCELLED)), default=F("status")),
        ended_at=Case(When(is_queued, then=Value(now))))


def call_off_outside_events(who: Q, now: datetime) -> int:
    """Call off the matches of ladders, trials and challenges under this condition; returns how many."""
    return call_off(_OUTSIDE_EVENTS.filter(who), now)


def cancel(matches: QuerySet[Match], reason: str, now: datetime) -> int:
    """Cancel those of the matches that are queued or run; returns how many. In a transaction.

    Workers find out when they renew their leases, and kill the bots; for this reason their attempts are void.
    """
    cancelled = matches.filter(status__in=MATCH_TRANSITIONS["cancel"]).update(
        status=MatchStatus.CANCELLED, ended_at=now, lease_until=None)
    Attempt.objects.filter(match__in=matches, match__status=MatchStatus.CANCELLED, status=AttemptStatus.RUNNING).update(
        status=AttemptStatus.VOID, reason=reason, ended_at=now)
    return cancelled
