"""Events: the list, and the page of an event, most of which updates itself."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple
from zlib import crc32

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from frontend.live.replays import boards
from frontend.text import formats
from frontend.text.events import arena as arena_text
from frontend.text.events import precision as precision_text
from frontend.text.events.bracket import bracket, path_rule
from frontend.text.events.regulations import regulations
from frontend.text.events.standing_lines import standing_lines
from frontend.text.languages import in_language
from frontend.views.matches.watching import BOARDS_BESIDE
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.numbers import number_in
from frontend.views.shared.paging import page_of
from tournaments.formats.registry import BRACKETS, find
from tournaments.models import Event
from tournaments.models.lifecycle import EVENT_TRANSITIONS, EventStatus
from tournaments.selectors.events import enterable
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.arena import arena
from tournaments.selectors.events.openings import of_event
from tournaments.selectors.events.permissions import organises
from tournaments.selectors.events.precision import precision
from tournaments.selectors.events.seasons import divisions_of, highest, seasons_of
from tournaments.selectors.ladders.waiting import Reason, Wait, Waits
from tournaments.selectors.matches.live import being_played
from tournaments.selectors.notices.follows import follow_of
from tournaments.services.events.entries import late_entry_open, registration_closed
from tournaments.services.events.room import note

OVER = (EventStatus.FINISHED, EventStatus.CANCELLED)
VOID_SHOWN = 20
LISTED = 100
# Entrants up to which the crosstable is on the event's page, entrants in the crosstable on its own page, and lines of
# the standings. Larger tables are slow to load; the API has them in full.
CROSSTABLE_INLINE = 30
CROSSTABLE_SHOWN = 100
STANDINGS_SHOWN = 200
SEASONS_SHOWN = 10
# With more rounds, the page links only to some of them.
ROUNDS_SHOWN = 30


class Asked(NamedTuple):
    """The round that the reader asked for, and the seed of the entrant whose path in the bracket is highlighted."""

    round: int | None
    path: int | None

    @classmethod
    def of(cls, request: HttpRequest, event: Event) -> "Asked":
        return cls(number_in(request, "round"), number_in(request, "path") if find(event.format).is_bracket else None)


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/events/events.html", {
        "section": "events", "events": reads.visible_to(request.user)[:LISTED], "series": reads.series(request.user)})


def series(request: HttpRequest, slug: str) -> HttpResponse:
    """A series: its schedule and its events; of a league, also its seasons, paginated by their events' IDs.

    The first season of the page is shown with its divisions.
    """
    found = get_object_or_404(reads.series(request.user), slug=slug)
    listed, links = page_of(request, highest(found), SEASONS_SHOWN)
    past = seasons_of(listed)
    return render(request, "frontend/events/series.html", {
        "section": "events", "series": found, "events": reads.visible_to(request.user).filter(series=found)[:LISTED],
        "organises": organises(request.user, found), "seasons": past,
        "waits": Waits(timezone.now()).of_series([found])[found.pk],
        "season": past[0] if past else None, "note": note(past[0].events[0]) if past else "",
        "divisions": divisions_of(past[:1])[0] if past else [], **links})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    asked = Asked.of(request, event)
    obstacle, waits = _waits(event)
    return render(request, "frontend/events/event.html", {
        "section": "events", "etag": _etag(event, asked, obstacle), **_live(event, asked, obstacle),
        **_for(request.user, event), "waits": waits,
        "playing": lambda: boards(being_played(request.user, BOARDS_BESIDE, event)),
        "path_rule": path_rule(event) if find(event.format).is_bracket else "",
        "card": "" if event.private else reverse("event-card", args=[slug])})


def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that is polled while the page is visible and the event is not over."""
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    asked = Asked.of(request, event)
    obstacle, _ = _waits(event)
    return render_unless_known(request, "frontend/events/_event_parts.html", _etag(event, asked, obstacle),
                               lambda: _live(event, asked, obstacle))


def crosstable(request: HttpRequest, slug: str) -> HttpResponse:
    """The crosstable of an event that is too large to show it on the event's page."""
    event = get_object_or_404(reads.visible_to(request.user).exclude(format__in=BRACKETS), slug=slug)
    return render(request, "frontend/events/crosstable.html", {
        "section": "events", "event": event, "entrants": event.entries.count(), "shown": CROSSTABLE_SHOWN,
        "crosstable": lambda: reads.crosstable(event, CROSSTABLE_SHOWN), **_kept(event)})


def _kept(event: Event) -> dict[str, Any]:
    """The cache time and key of a rendered crosstable, which is slow to render and depends on the matches alone."""
    return {"kept_seconds": settings.KEPT_TABLE_SECONDS, "revision": reads.etag(event)}


def _for(user: Any, event: Event) -> dict[str, Any]:
    """The actions that this user can take on the event."""
    runs = organises(user, event)
    closed = registration_closed(event, now := timezone.now())
    may_enter = not closed or (runs and (event.status == EventStatus.SCHEDULED or late_entry_open(event, now)))
    running = event.status in (EventStatus.RUNNING, EventStatus.PAUSED)
    return {
        "follow": follow_of(user, event),
        "closed": closed,
        "may_enter": may_enter,
        "enterable": enterable.enterable(event, user) if may_enter else [],
        "mine": [] if event.status in OVER else enterable.entries_of(event, user),
        "verbs": [verb for verb in ("start", "pause", "resume", "cancel")
                  if runs and event.status in EVENT_TRANSITIONS[verb]],
        "may_return": late_entry_open(event, now),
        "excludable": (event.entries.filter(disqualification=None, place__isnull=False)
                       .select_related("bot", "version").order_by("bot__name") if runs and running else []),
        "annuls": find(event.format).annuls,
        "invitations": event.invitations.select_related("user") if runs and event.private else None,
    }


def _waits(event: Event) -> tuple[str, list[Wait]]:
    """Why no worker plays the event, which comes and goes without a change of the event, and the other reasons."""
    waits = Waits(timezone.now()).of_events([event])[event.pk]
    return (" ".join(wait.text for wait in waits if wait.reason == Reason.WORKER),
            [wait for wait in waits if wait.reason != Reason.WORKER])


def _etag(event: Event, asked: Asked, obstacle: str) -> str:
    return in_language(f"{reads.etag(event)}-{asked.round}-{asked.path}-{crc32(obstacle.encode()):x}")


def _live(event: Event, asked: Asked, obstacle: str) -> dict[str, Any]:
    """The part that all users share, rendered at most once per SHARED_PAGE_SECONDS: functions for the template to call.

    It may be rendered for one user and shown to another, so nothing in it depends on the user.
    """
    knockout = find(event.format).is_bracket
    has_crosstable = reads.has_crosstable(event)
    entrants = cache(event.entries.count)
    table = cache(lambda: reads.crosstable(event))
    inline = cache(lambda: has_crosstable and entrants() <= CROSSTABLE_INLINE)
    # If the crosstable is shown, it already contains the standings.
    places = cache(lambda: [row.standing for row in table()] if inline() else reads.standings(event))
    rounds = cache(lambda: reads.round_summaries(event))
    progress = cache(lambda: reads.progress(event, timezone.now()))
    measured = cache(lambda: precision(event))
    shown = cache(lambda: next((r for r in rounds() if r.number == asked.round), None) or _current(rounds()))
    return {
        "event": event,
        "shared_seconds": settings.SHARED_PAGE_SECONDS,
        "format": formats.name(event),
        "rules": " ".join(filter(None, (formats.rules(event), *regulations(event)))),
        "note": note(event),
        "openings": of_event(event),
        "over": event.status in OVER,
        "goes_on": event.status not in OVER,
        "has_trf": event.started_at is not None and find(event.format).takes_rounds,
        "progress": progress,
        "obstacle": obstacle,
        "entrants": entrants,
        "standings": cache(lambda: standing_lines(event, places()[:STANDINGS_SHOWN])),
        "champions": cache(lambda: reads.champions(event, places())),
        "tie_breaks": reads.tie_break_columns(event),
        "knockout": knockout,
        "has_crosstable": has_crosstable,
        "crosstable_inline": inline,
        "crosstable": table,
        **_kept(event),
        "arena": cache(lambda: arena(event, timezone.now())),
        "arena_time": lambda: arena_text.time_left(event, timezone.now()),
        "precision": measured,
        "target": lambda: precision_text.target(event),
        "stopped": lambda: precision_text.stopped(getattr(measured(), "stopped", None)),
        "bracket": cache(lambda: bracket(event, asked.path)),
        "rounds": rounds,
        "rounds_in_all": lambda: formats.rounds_in_all(progress()),
        "linked_rounds": lambda: linked(rounds(), shown()),
        "round": shown,
        "asked": asked,
        "matches": lambda: reads.matches_of(shown()),
        "byes": lambda: reads.byes(shown()),
        # Of events under earlier releases. Other formats have none, and need no query.
        "changes": lambda: reads.changes(shown()) if find(event.format).takes_rounds else (),
        "void_attempts": cache(lambda: list(reads.void_attempts(event)[:VOID_SHOWN])),
    }


def linked(rounds: Sequence[reads.RoundSummary], shown: reads.RoundSummary) -> list[reads.RoundSummary | None]:
    """The rounds to link to, with None for each gap; of many rounds, fewer the farther they are from the shown one."""
    if len(rounds) <= ROUNDS_SHOWN:
        return list(rounds)
    links: list[reads.RoundSummary | None] = []
    for each in rounds:
        away = abs(each.number - shown.number)
        step = 1 if away <= 5 else 10 if away <= 50 else 100
        if each in (rounds[0], rounds[-1]) or each.number % step == 0:
            links.append(each)
        elif links[-1] is not None:
            links.append(None)
    return links


def _current(rounds: list[Any]) -> Any:
    """The first unfinished round, or else the last round."""
    return next((r for r in rounds if r.ended < r.total), rounds[-1] if rounds else None)
