"""Entries that can be paired now, and open matches: for matchmaking, and for the reasons to wait on pages."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from tournaments.models import LadderEntry, Match
from tournaments.models.lifecycle import MatchKind, MatchStatus, VersionStatus
from tournaments.selectors.shared.permissions import under_ban


def able_to_play(entries: QuerySet[LadderEntry], now: datetime) -> QuerySet[LadderEntry]:
    """Return the entries that may be paired now, apart from quotas: active, not suspended, not banned."""
    return entries.filter(Q(probe_at=None) | Q(probe_at__lte=now), ~under_ban("bot__"), active=True,
                          version__status=VersionStatus.ACTIVE)


def open_matches(kind: MatchKind, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the status and these columns of each match of the kind that is running, or queued and not held."""
    # Two queries: each has its own index, which leaves out all the matches that are over.
    for status, which in ((MatchStatus.QUEUED, {"held": False}), (MatchStatus.RUNNING, {})):
        rows = Match.objects.filter(status=status, kind=kind, **which).order_by()
        yield from ((status, *row) for row in rows.values_list(*columns))
