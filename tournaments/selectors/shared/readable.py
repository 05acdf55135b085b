"""Rows that this release can read. A newer release, a damaged disk or a hand in the database may have left others.

Lists leave out such rows, and staff see them under Failures.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import BooleanField, Func, Q, TextField
from django.db.models.functions import Cast

from tournaments.formats.registry import FORMATS
from tournaments.models import Event, Version, Worker

# A list of names as both databases write it.
_NAMES: Final = r'^\[("[^"]*"(, ?"[^"]*")*)?\]$'


class IsList(Func):
    """Condition that a JSON value is a list."""

    function = "JSON_TYPE"
    template = "%(function)s(%(expressions)s) = 'array'"
    output_field = BooleanField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the condition for PostgreSQL, whose function has another name."""
        return self.as_sql(compiler, connection, function="JSONB_TYPEOF", **context)


# The condition on events. Names of tie-breaks that do not exist affect only the event's own page.
READABLE_EVENT = Q(IsList("tie_breaks"), format__in=FORMATS)


def unreadable() -> Iterator[str]:
    """Yield a sentence for each event, worker and version that this release cannot read."""
    for event in Event.objects.filter(~READABLE_EVENT).order_by("pk"):
        yield f"Event {event.pk}, {event.name}, cannot be read and is left out of lists: {_fault(event)}."
    for noun, model in (("Worker", Worker), ("Version", Version)):
        named = model.objects.annotate(stored=Cast("rulesets", TextField())).exclude(stored__regex=_NAMES)
        for row in named.order_by("pk"):
            yield f"{noun} {row.pk}, {row}, counts as playing no ruleset: {row.stored:.80} is no list of rulesets."


def _fault(event: Event) -> str:
    if event.format not in FORMATS:
        return f"its format {event.format!r} is unknown to this release ({', '.join(FORMATS)})"
    return f"its tie-breaks are {event.tie_breaks!r:.80}, which is not a list"
