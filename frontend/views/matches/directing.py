"""Director mode: a full-screen page that shows the tensest running game, and the parts that its script fetches."""

import time

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from engines.records.older import shown_document
from frontend.live import director
from frontend.text.spoilers import hidden
from tournaments.selectors.matches import games as game_reads
from tournaments.selectors.matches import live as reads


def page(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/matches/director.html", {"section": "watch"})


def news(request: HttpRequest) -> HttpResponse:
    """The choice of the director, the same for all viewers, with the other games and the lists next to the board."""
    return JsonResponse(director.news(time.time()), headers={"Cache-Control": "no-cache"})


def match(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """A running game on the stage, or the finished one once it is stored."""
    live = reads.watch(get_object_or_404(reads.match_to_watch(request.user, pk)), number)
    if live.game is not None:
        return game(request, live.game.pk)
    return _stage(request, director.stage_of_live(live))


def game(request: HttpRequest, pk: int) -> HttpResponse:
    """A finished game on the stage."""
    found = get_object_or_404(game_reads.whole_games(request.user), pk=pk)
    document = shown_document(found.record)
    if document["older"]:
        raise Http404("The game was recorded under older rules, so it cannot be replayed.")
    return _stage(request, director.stage_of_game(found, document))


@hidden(False)
def _stage(request: HttpRequest, context: dict) -> HttpResponse:
    """The part: its script shows nothing before its turn, so that the reader's choice does not matter."""
    response = render(request, "frontend/matches/_director_stage.html", context)
    response["Cache-Control"] = "no-cache"
    return response
