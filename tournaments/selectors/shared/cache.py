"""Cache of data that follows from an event's matches alone, computed once per revision of the event.

For each event and kind of data, only the newest is cached, regardless of how fast the revisions follow one another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.core.cache import cache

from tournaments.models import Event

_off: ContextVar[bool] = ContextVar("uncached", default=False)


def cached(event: Event, what: str, compute: Callable[[], Any]) -> Any:
    """Return `compute()`, or its cached result for this revision of the event.

    For plain data that changes only with the revision: no rows, no names, no ratings. First check that the user may see
    the event, and do not call this in a transaction that changes it. Before the start nothing is cached.
    """
    return all_cached([event], what, lambda _: {event: compute()})[event]


def all_cached(events: Sequence[Event], what: str, compute: Callable[[Sequence[Event]], Mapping[Event, Any]],
               ) -> dict[Event, Any]:
    """Return what `cached` returns for each of the events; `compute` takes those for which nothing is cached."""
    known = last_cached(events, what)
    found = {event: known[event.pk][1] for event in events
             if event.pk in known and known[event.pk][0] == tag_of(event)}
    if stale := [event for event in events if event not in found]:
        for event, data in compute(stale).items():
            store(event, what, data)
            found[event] = data
    return found


def tag_of(event: Event) -> str:
    """Return a tag that changes whenever cached data may have changed."""
    return f"{event.revision}-{event.status}"


def last_cached(events: Iterable[Event], what: str) -> dict[int, tuple[str, Any]]:
    """Return the last cached data of events by ID, with each event's tag at that time, in one request."""
    keys = {_key(event, what): event.pk for event in events if _is_cached(event)}
    return {keys[key]: known for key, known in cache.get_many(keys).items()} if keys else {}


def store(event: Event, what: str, data: Any) -> None:
    """Cache the data for the present state of the event."""
    if _is_cached(event):
        cache.set(_key(event, what), (tag_of(event), data), settings.KEPT_TABLE_SECONDS)


@contextmanager
def uncached() -> Iterator[None]:
    """Cache nothing, and read nothing cached: for a coordinator, which may not use the cache, and for its writes."""
    token = _off.set(True)
    try:
        yield
    finally:
        _off.reset(token)


def _is_cached(event: Event) -> bool:
    return event.started_at is not None and bool(settings.KEPT_TABLE_SECONDS) and not _off.get()


def _key(event: Event, what: str) -> str:
    return f"event-{event.pk}-{what}"
