"""Continuous events: what was known when each wave was paired, and all matches."""

from collections.abc import Iterable

from tournaments.formats.history import Bout, Known, RoundSoFar
from tournaments.models import Entry, Event, Match
from tournaments.selectors.events.history.points import points_of


def waves_of(event: Event, *, with_known: bool) -> list[RoundSoFar]:
    """Return the waves as rounds without ties, and if wanted with what was known when they were paired."""
    rows = event.rounds.order_by("number")
    if not with_known:
        return [RoundSoFar(number, (), frozenset()) for number in rows.values_list("number", flat=True)]
    return [RoundSoFar(number, (), frozenset(), known=known and Known(
        tuple(known["free"]), known["open"], known["seconds"]))
        for number, known in rows.values_list("number", "known")]


def bouts_of(event: Event, entries: Iterable[Entry]) -> tuple[Bout, ...]:
    """Return the matches of a continuous event. A match that ends in between counts as open.

    Those of entrants that came after `entries` were read are left out.

    Its games are read afterwards: those of a match that was finished are all there.
    """
    places = {entry.version_id: entry.place or 0 for entry in entries}
    rows = list(Match.objects.filter(event=event).order_by("round__number", "number")
                .values_list("pk", "round__number", "number", "first", "second", "status"))
    points = points_of(event)
    return tuple(Bout(wave, number, places[first], places[second], status, (points[pk, first], points[pk, second]))
                 for pk, wave, number, first, second, status in rows if first in places and second in places)
