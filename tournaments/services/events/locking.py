"""The lock on an event's row, and its revision."""

from django.db.models import F

from tournaments.models import Event


def lock_event(event: Event) -> Event:
    """Return the event's current row, locked until the transaction ends."""
    return (Event.objects.select_for_update(of=("self",), no_key=True).select_related("ladder", "created_by")
            .get(pk=event.pk))


def touch(event: Event) -> None:
    """Increase the event's revision, so that pages and caches notice a change."""
    Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1)
