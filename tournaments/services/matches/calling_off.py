"""Calling off matches because a bot leaves, or because what they are played for is cancelled.

When a bot leaves, its matches that have not begun are cancelled. Running ones are played to the end and count, but are
not retried if void (docs/decisions/0024-a-bot-leaves-during-a-match.md). When a purpose is cancelled, running matches
are discarded.
"""

from datetime import datetime

from django.db.models import Case, F, Q, QuerySet, Value, When

from tournaments.models import Attempt, Match
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, MatchKind, MatchStatus
from tournaments.services.shared.wakeups import wake_after

_OUTSIDE_EVENTS = Match.objects.filter(
    held=False, kind__in=[MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE])


def call_off(matches: QuerySet[Match], now: datetime) -> int:
    """Call off the matches that are queued or running; return how many.

    First change the state from which such matches would be recreated: concurrent pairing then either sees that change,
    or its matches are found here.
    """
    # One query, so that a match that changes from one status to the other is not missed; two halves, each with an
    # index.
    queued, running = (matches.filter(status=status).order_by().values_list("pk", flat=True)
                       for status in (MatchStatus.QUEUED, MatchStatus.RUNNING))
    ids = list(queued.union(running))
    is_queued = Q(status=MatchStatus.QUEUED)
    # Also one statement: it decides by each row's status at the time of writing.
    wake_after()
    return Match.objects.filter(pk__in=ids, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).update(
        called_off=True,
        status=Case(When(is_queued, then=Value(MatchStatus.CANCELLED)), default=F("status")),
        ended_at=Case(When(is_queued, then=Value(now))))


def call_off_outside_events(who: Q, now: datetime) -> int:
    """Call off the matches of ladders, trials and challenges that meet this condition; return how many."""
    return call_off(_OUTSIDE_EVENTS.filter(who), now)


def cancel(matches: QuerySet[Match], reason: str, now: datetime) -> int:
    """Cancel the matches that are queued or running; return how many. Call it in a transaction.

    Workers notice when they renew their leases, and kill the bots. Running attempts become void, with this reason.
    """
    cancelled = matches.filter(status__in=MATCH_TRANSITIONS["cancel"]).update(
        status=MatchStatus.CANCELLED, ended_at=now, lease_until=None)
    wake_after()
    Attempt.objects.filter(match__in=matches, match__status=MatchStatus.CANCELLED, status=AttemptStatus.RUNNING).update(
        status=AttemptStatus.VOID, reason=reason, ended_at=now)
    return cancelled
