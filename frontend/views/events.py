"""Events: the list, and an event's page, most of which keeps itself up to date."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from frontend.views.conditional import render_unless_known
from frontend.views.numbers import number_in
from tournaments.lifecycle import EventStatus
from tournaments.models import Event
from tournaments.selectors import events as reads

OVER = (EventStatus.FINISHED, EventStatus.CANCELLED)
VOID_SHOWN = 20
LISTED = 100


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/events.html", {"section": "events", "events": reads.events()[:LISTED]})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    event = get_object_or_404(reads.events(), slug=slug)
    chosen = number_in(request, "round")
    return render(request, "frontend/event.html",
                  {"section": "events", "etag": _etag(event, chosen), **_live(event, chosen)})


def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part that the page asks for again while it is watched and the event is not over."""
    event = get_object_or_404(reads.events(), slug=slug)
    chosen = number_in(request, "round")
    return render_unless_known(request, "frontend/_event_live.html", _etag(event, chosen),
                               lambda: _live(event, chosen))


def _etag(event: Event, chosen: int | None) -> str:
    return f"{reads.etag(event)}-{chosen or 'current'}"


def _live(event: Event, chosen: int | None) -> dict[str, Any]:
    rounds = list(reads.round_summaries(event))
    shown = next((r for r in rounds if r.number == chosen), None) or _current(rounds)
    return {
        "event": event,
        "over": event.status in OVER,
        "progress": reads.progress(event, timezone.now()),
        "crosstable": reads.crosstable(event),
        "rounds": rounds,
        "round": shown,
        "chosen": chosen,
        "matches": reads.matches_of(shown) if shown else [],
        "void_attempts": reads.void_attempts(event)[:VOID_SHOWN],
    }


def _current(rounds: list[Any]) -> Any:
    """The first round that is not played out, else the last."""
    return next((r for r in rounds if r.ended < r.total), rounds[-1] if rounds else None)
