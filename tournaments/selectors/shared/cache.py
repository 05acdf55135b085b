"""Cache of data that follows from an event's matches alone, computed once per revision of the event.

For each event and kind of data, only the newest is cached, regardless of how fast the revisions follow one another.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache

from tournaments.models import Event


def cached(event: Event, what: str, compute: Callable[[], Any]) -> Any:
    """Return `compute()`, or its cached result for this revision of the event.

    For plain data that changes only with the revision: no rows, no names, no ratings. First check that the user may see
    the event, and do not call this in a transaction that changes it. Before the start nothing is cached.
    """
    known = last_cached(event, what)
    if known is not None and known[0] == tag_of(event):
        return known[1]
    data = compute()
    store(event, what, data)
    return data


def tag_of(event: Event) -> str:
    """Return a tag that changes whenever cached data may have changed."""
    return f"{event.revision}-{event.status}"


def last_cached(event: Event, what: str) -> tuple[str, Any] | None:
    """Return the last cached data, with the event's tag at that time; None if nothing is cached."""
    return cache.get(_key(event, what)) if _is_cached(event) else None


def store(event: Event, what: str, data: Any) -> None:
    """Cache the data for the present state of the event."""
    if _is_cached(event):
        cache.set(_key(event, what), (tag_of(event), data), settings.KEPT_TABLE_SECONDS)


def _is_cached(event: Event) -> bool:
    return event.started_at is not None and bool(settings.KEPT_TABLE_SECONDS)


def _key(event: Event, what: str) -> str:
    return f"event-{event.pk}-{what}"
