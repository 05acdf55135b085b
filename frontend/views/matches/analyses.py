"""The analysis of a finished game: its page, the part that shows the progress, and the request for one."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext

from engines.records.older import shown_document
from frontend.live.analyses import shown_analysis
from frontend.live.replays import viewer
from frontend.text import analysis as words
from frontend.text.languages import in_language
from frontend.views.matches.games import options
from frontend.views.shared.acting import button, run_action
from frontend.views.shared.conditional import render_unless_known
from frontend.views.site.pictures import asked_turn
from tournaments.models import Analysis
from tournaments.models.lifecycle import ANALYSIS_OPEN
from tournaments.selectors.casual import analyses as reads
from tournaments.selectors.matches import games as game_reads
from tournaments.services.casual.analyses import analyse


@button
def ask(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the analysis of a game."""
    game = get_object_or_404(game_reads.whole_games(request.user), pk=pk)
    return run_action(request, analyse, gettext("The analysis starts when a worker is free."), ("game-analysis", pk),
                      game=game)


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """The newest analysis of the game, at `?turn=N`; by default at its largest turning point. 404 for older rules."""
    game = get_object_or_404(game_reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    if document["older"]:
        raise Http404
    seats, analysis = (game.seat0, game.seat1), reads.newest(game)
    context: dict[str, Any] = {"section": "games", "game": game, "analysis": analysis, **options(request)}
    if analysis is None:
        return render(request, "frontend/matches/analysis.html", {
            **context, **viewer(seats, document, asked_turn(request, document)), "etag": ""})
    shown = shown_analysis(reads.Judged(analysis), document, seats)
    worst = min(shown.points, key=lambda point: point.after - point.before, default=None)
    turn = worst.turn if worst and "turn" not in request.GET else asked_turn(request, document)
    seen = viewer(seats, shown.document, turn)
    here = seen["document"]["turns"][seen["turn"] - 1] if seen["turn"] else seen["document"]
    return render(request, "frontend/matches/analysis.html", {
        **context, **seen, **_state(analysis), "etag": _etag(analysis), "shown": shown,
        "chance": here["chance"], "verdict": here.get("verdict", ""), "judges": analysis.judges,
        "points": [(point.turn, words.turning_point(point, shown.names)) for point in shown.points]})


def part(request: HttpRequest, pk: int) -> HttpResponse:
    """The progress, which is polled while the analysis runs."""
    game = get_object_or_404(game_reads.games(request.user), pk=pk)
    analysis = reads.newest(game)
    if analysis is None:
        raise Http404
    return render_unless_known(request, "frontend/matches/_analysis_state.html", _etag(analysis),
                               lambda: {"game": game, **_state(analysis)})


def _state(analysis: Analysis) -> dict[str, Any]:
    return {"analysis": analysis, "open": analysis.status in ANALYSIS_OPEN, "state": words.state(analysis),
            "budget": words.budget(analysis)}


def _etag(analysis: Analysis) -> str:
    return in_language(f"{analysis.pk}-{analysis.status}-{analysis.judged}")
