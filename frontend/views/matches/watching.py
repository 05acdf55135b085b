"""Live games: the watch page with all of them, and a page for each game from its pairing on."""

from typing import Any
from zlib import crc32

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response

from frontend.drawing.lead import graph
from frontend.live.replays import (
    boards,
    boards_etag,
    live_document,
    live_ending,
    live_result,
    players,
    turns_in_words,
    viewer,
    views_of,
)
from frontend.templatetags.squarefield import visible
from frontend.text import wording
from frontend.text.languages import in_language
from frontend.text.spoilers import are_hidden, hidden
from frontend.views.matches.games import options
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.numbers import number_in, text_in
from frontend.views.site.pictures import asked_turn
from tournaments.models.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.matches import live as reads

# Number of boards on the watch page, and on pages with other content.
BOARDS = 6
BOARDS_BESIDE = 3
EVENTS = 8


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Redirect to the game of a match that is in progress."""
    found = get_object_or_404(reads.match_to_watch(request.user, pk))
    return redirect("match-game", pk, reads.current_number(found))


def game(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """A game of a match: its state and its turns so far. Redirects to the replay once the game is stored."""
    live = reads.watch(get_object_or_404(reads.match_to_watch(request.user, pk)), number)
    if live.game is not None:
        query = request.GET.urlencode()
        return redirect(f"{reverse('game', args=[live.game.pk])}{'?' if query else ''}{query}")
    document, state = live_document(live), _state(live)
    # There is nothing to hide before the game is stored.
    with hidden(False):
        return render(request, "frontend/matches/match_game.html", {
            "section": "watch", "live": live, "match": live.match, "number": number, "other": 3 - number,
            "state": state, "ended": live.match.status in MATCH_ENDED, **options(request),
            **viewer(live.seats, document, asked_turn(request, document))})


def turns(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """The feed of a live game: its state, and the turns after the first `?since=` turns of `?attempt=`.

    If the current attempt is another one, the feed has all its turns, and `since` is 0.
    """
    live = reads.watch(get_object_or_404(reads.match_to_watch(request.user, pk)), number)
    match, state = live.match, _state(live)
    same = number_in(request, "attempt") == match.attempt
    since = min(number_in(request, "since") or 0, live.plies) if same else 0
    etag = f'"{pk}-{number}-{match.attempt}-{since}-{live.plies}-{match.status}-{crc32(state.encode())}"'
    known = get_conditional_response(request, etag=etag)
    if isinstance(known, HttpResponseNotModified):
        return known
    document = live_document(live)
    return JsonResponse({
        "state": state, "attempt": match.attempt, "since": since, "turns": turns_in_words(document)[since:],
        "lead": graph(document, 0), "views": render_to_string("frontend/replays/_views.html", {
            "views": views_of(live.seats, document), "players": players(live.seats, document)}),
        "ended": match.status in MATCH_ENDED, "game": reverse("game", args=[live.game.pk]) if live.game else None,
        # For viewers who have followed the game to its end.
        "shown": "?result=1" if are_hidden() else "",
        # For the director, which shows it with the last turn.
        "over": live.over, "result": live_result(live), "ending": visible(live_ending(live)),
    }, headers={"ETag": etag, "Cache-Control": "no-cache"})


def _state(live: reads.LiveGame) -> str:
    match = live.match
    waits = match.status == MatchStatus.QUEUED and not match.held
    ending = "" if are_hidden() else visible(live_ending(live))
    return wording.live_state(live, reads.matches_before(match) if waits else 0, ending)


def page(request: HttpRequest) -> HttpResponse:
    """The boards of live games, and the running events."""
    playing, events = _playing(request), list(event_reads.current()[:EVENTS])
    return render(request, "frontend/matches/watch.html", {
        "section": "watch", "etag": _etag(playing, events), **_watch(playing, events)})


def live(request: HttpRequest) -> HttpResponse:
    """The part of the watch page that is polled."""
    playing, events = _playing(request), list(event_reads.current()[:EVENTS])
    return render_unless_known(request, "frontend/matches/_watch_live.html", _etag(playing, events),
                               lambda: _watch(playing, events))


def beside(request: HttpRequest, slug: str) -> HttpResponse:
    """The boards on an event's page, which are polled."""
    event = get_object_or_404(event_reads.visible_to(request.user), slug=slug)
    playing = reads.being_played(request.user, BOARDS_BESIDE, event)
    return render_unless_known(request, "frontend/matches/_playing.html", in_language(boards_etag(playing) or "none"),
                               lambda: {"playing": boards(playing), "event": event})


def public_boards() -> list[reads.LiveGame]:
    """The live games on the front page, the same for all users."""
    return reads.being_played(AnonymousUser(), BOARDS_BESIDE)


def _playing(request: HttpRequest) -> list[reads.LiveGame]:
    if slug := text_in(request, "event"):
        event = get_object_or_404(event_reads.visible_to(request.user), slug=slug)
        return reads.being_played(request.user, BOARDS, event)
    return reads.being_played(request.user, BOARDS)


def _etag(playing: list[reads.LiveGame], events: list[Any]) -> str:
    return in_language("-".join(["watch", boards_etag(playing), *map(event_reads.etag, events)]))


def _watch(playing: list[reads.LiveGame], events: list[Any]) -> dict[str, Any]:
    now = timezone.now()
    return {"playing": boards(playing), "running": [(event, event_reads.progress(event, now)) for event in events]}
