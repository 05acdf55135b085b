"""Events: the list, and an event's page, most of which keeps itself up to date."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from frontend import formats
from frontend.views.conditional import render_unless_known
from frontend.views.numbers import number_in
from tournaments.formats import KNOCKOUTS
from tournaments.lifecycle import EVENT_TRANSITIONS, EventStatus
from tournaments.models import Event
from tournaments.selectors import enterable
from tournaments.selectors import events as reads
from tournaments.services.entries import registration_closed
from tournaments.services.organising import organises

OVER = (EventStatus.FINISHED, EventStatus.CANCELLED)
VOID_SHOWN = 20
LISTED = 100
# A crosstable of more does not fit a page, and a table of more takes long to load; the API has all of it.
CROSSTABLE_SHOWN = 50
STANDINGS_SHOWN = 200


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/events.html", {
        "section": "events", "events": reads.visible_to(request.user)[:LISTED], "series": reads.series(request.user)})


def series(request: HttpRequest, slug: str) -> HttpResponse:
    """A series: when it is held, and its events."""
    found = get_object_or_404(reads.series(request.user), slug=slug)
    return render(request, "frontend/series.html", {
        "section": "events", "series": found, "events": reads.visible_to(request.user).filter(series=found)[:LISTED],
        "organises": organises(request.user, found)})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    chosen = number_in(request, "round")
    return render(request, "frontend/event.html", {
        "section": "events", "etag": _etag(event, chosen), **_live(event, chosen), **_for(request.user, event)})


def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part that the page asks for again while it is watched and the event is not over."""
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    chosen = number_in(request, "round")
    return render_unless_known(request, "frontend/_event_live.html", _etag(event, chosen),
                               lambda: _live(event, chosen))


def _for(user: Any, event: Event) -> dict[str, Any]:
    """What this person may do with the event."""
    runs = organises(user, event)
    closed = registration_closed(event, timezone.now())
    may_enter = not closed or (runs and event.status == EventStatus.SCHEDULED)
    return {
        "closed": closed,
        "may_enter": may_enter,
        "enterable": enterable.enterable(event, user) if may_enter else [],
        "mine": [] if event.status in OVER else enterable.entries_of(event, user),
        "verbs": [verb for verb in ("start", "pause", "resume", "cancel")
                  if runs and event.status in EVENT_TRANSITIONS[verb]],
        "invitations": event.invitations.select_related("user") if runs and event.private else None,
    }


def _etag(event: Event, chosen: int | None) -> str:
    return f"{reads.etag(event)}-{chosen or 'current'}"


def _live(event: Event, chosen: int | None) -> dict[str, Any]:
    rounds = list(reads.round_summaries(event))
    shown = next((r for r in rounds if r.number == chosen), None) or _current(rounds)
    entrants = event.entries.count()
    # One of the two has the standings in it.
    table = reads.crosstable(event) if entrants <= CROSSTABLE_SHOWN and event.format not in KNOCKOUTS else []
    standings = [row.standing for row in table] or reads.standings(event)
    return {
        "event": event,
        "format": formats.name(event),
        "rules": formats.rules(event),
        "over": event.status in OVER,
        "progress": reads.progress(event, timezone.now()),
        "entrants": entrants,
        "standings": standings[:STANDINGS_SHOWN],
        "tie_breaks": reads.tie_break_columns(event),
        "knockout": event.format in KNOCKOUTS,
        "crosstable": table,
        "bracket": formats.bracket(event),
        "rounds": rounds,
        "round": shown,
        "chosen": chosen,
        "matches": reads.matches_of(shown) if shown else [],
        "byes": reads.byes(shown) if shown else [],
        "void_attempts": reads.void_attempts(event)[:VOID_SHOWN],
    }


def _current(rounds: list[Any]) -> Any:
    """The first round that is not played out, else the last."""
    return next((r for r in rounds if r.ended < r.total), rounds[-1] if rounds else None)
