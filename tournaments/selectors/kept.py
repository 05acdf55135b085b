"""What follows from an event's matches alone, computed once for each of its revisions and kept in the cache."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache

from tournaments.models import Event


def kept(event: Event, what: str, compute: Callable[[], Any]) -> Any:
    """`compute()`, or what it gave when this revision of the event was asked about before.

    For plain data that changes only with the revision: no rows, no names, no ratings. Ask who may see the event
    first, and do not ask inside of a transaction that changes it. Before the start nothing is kept.
    """
    if event.started_at is None or not settings.KEPT_TABLE_SECONDS:
        return compute()
    key = f"event-{event.pk}-{event.revision}-{event.status}-{what}"
    found = cache.get(key)
    if found is None:
        found = compute()
        cache.set(key, found, settings.KEPT_TABLE_SECONDS)
    return found
