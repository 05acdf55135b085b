"""The front page: the game of the day, stories, live games, running events, leaders, and how to take part."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils import timezone

from engines.rules.registry import RULESETS
from frontend.live.replays import boards, boards_etag
from frontend.live.stories import stories
from frontend.text.core_words import translated
from frontend.text.languages import in_language
from frontend.views.matches.watching import public_boards
from frontend.views.shared.conditional import render_unless_known
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.ladders import ladders as ladder_reads
from tournaments.selectors.matches import games as game_reads
from tournaments.selectors.matches.live import LiveGame

RECENT_GAMES = 6
# The page counts the games of each of these events.
RUNNING_EVENTS = 8

# Personal pages and forms, which crawlers do not need to find everything else. This list does not protect anything.
ROBOTS = "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in (
    "/account/", "/admin/", "/api/", "/challenges/new/", "/events/new/", "/news/", "/openings/", "/play/",
    "/questions/", "/unsubscribe/", "/upload/",
)) + "Allow: /api/docs/\n"


def page(request: HttpRequest) -> HttpResponse:
    events = list(event_reads.current()[:RUNNING_EVENTS])
    playing = public_boards()
    return render(request, "frontend/site/home.html", {
        **_live(events, playing), "etag": _etag(events, playing), "leaders": ladder_reads.leaders(3),
        "upcoming": event_reads.upcoming()[:5], **stories(),
        "rulesets": [(slug, ruleset.name, translated(ruleset.summary)) for slug, ruleset in RULESETS.items()],
    })


def live(request: HttpRequest) -> HttpResponse:
    """The part of the page that is polled while the page is visible."""
    events = list(event_reads.current()[:RUNNING_EVENTS])
    playing = public_boards()
    return render_unless_known(request, "frontend/site/_home_live.html", _etag(events, playing),
                               lambda: _live(events, playing))


def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon, for the admin and for clients that request the conventional path."""
    return redirect(static("frontend/mark.svg"))


def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8", headers={
        "Cache-Control": "public, max-age=86400"})


def _live(events: list[Any], playing: list[LiveGame]) -> dict[str, Any]:
    now = timezone.now()
    return {
        "running": [(event, event_reads.progress(event, now)) for event in events],
        "playing": boards(playing),
        "every": 2 if events or playing else 15,
        "games": game_reads.brief(game_reads.games())[:RECENT_GAMES],
    }


def _etag(events: list[Any], playing: list[LiveGame]) -> str:
    newest = game_reads.games().values_list("id", flat=True).first()
    return in_language("-".join(["home", str(newest or 0), boards_etag(playing), *map(event_reads.etag, events)]))
