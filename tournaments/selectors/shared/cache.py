"""What follows from an event's matches alone, computed once for each of its revisions and kept in the cache.

Of each event only the newest of its kind is kept, however fast the revisions follow one another.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache

from tournaments.models import Event


def cached(event: Event, what: str, compute: Callable[[], Any]) -> Any:
    """`compute()`, or what it gave when this revision of the event was asked about before.

    For plain data that changes only with the revision: no rows, no names, no ratings. Ask who may see the event
    first, and do not ask inside of a transaction that changes it. Before the start nothing is kept.
    """
    known = last_cached(event, what)
    if known is not None and known[0] == tag_of(event):
        return known[1]
    data = compute()
    store(event, what, data)
    return data


def tag_of(event: Event) -> str:
    """Changes whenever something that is kept may have changed."""
    return f"{event.revision}-{event.status}"


def last_cached(event: Event, what: str) -> tuple[str, Any] | None:
    """What was kept last, with the tag that the event had then; None when nothing is."""
    return cache.get(_key(event, what)) if _is_cached(event) else None


def store(event: Event, what: str, data: Any) -> None:
    """Keep it as that of the event as it is."""
    if _is_cached(event):
        cache.set(_key(event, what), (tag_of(event), data), settings.KEPT_TABLE_SECONDS)


def _is_cached(event: Event) -> bool:
    return event.started_at is not None and bool(settings.KEPT_TABLE_SECONDS)


def _key(event: Event, what: str) -> str:
    return f"event-{event.pk}-{what}"
