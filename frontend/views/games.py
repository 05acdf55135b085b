"""Games: the list, the replay, and its downloads."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from engines.replay import replay_document
from engines.sgf import GAMES, MEDIA_TYPE
from frontend import board, wording
from frontend.csp import HEADER
from frontend.views.numbers import number_in, text_in
from tournaments.models import Bot, Game
from tournaments.selectors import games as reads
from tournaments.selectors.events import visible_to
from tournaments.services.exports import ExportRefused, game_sgf

PAGE = 30
# A picture of its own brings its styles and needs nothing else.
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def index(request: HttpRequest) -> HttpResponse:
    """Games, newest first, in pages that follow one another by id."""
    chosen = {name: text_in(request, name) for name in ("bot", "vs", "event")}
    games = reads.filtered(user=request.user, bot=chosen["bot"], opponent=chosen["vs"], event=chosen["event"])
    if before := number_in(request, "before"):
        games = games.filter(place__lt=before)
    listed = list(games[:PAGE + 1])
    query = request.GET.copy()
    if len(listed) > PAGE:
        query["before"] = str(listed[PAGE - 1].pk)
    return render(request, "frontend/games.html", {
        "section": "games", "games": listed[:PAGE], "chosen": chosen, "filtered": any(chosen.values()),
        **_named(request.user, chosen),
        "older": query.urlencode() if len(listed) > PAGE else "", "before": before,
    })


def _named(user: Any, chosen: dict[str, str]) -> dict[str, Any]:
    """The bots and the event that were chosen, None of what there is not, or not for this person."""
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in=filter(None, (chosen["bot"], chosen["vs"])))}
    event = visible_to(user).filter(slug=chosen["event"]).first() if chosen["event"] else None
    return {"bot": bots.get(chosen["bot"]), "opponent": bots.get(chosen["vs"]), "event": event}


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """The replay at `?turn=N`, the last turn without it. Every turn is drawn here for readers without scripts."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = replay_document(game.record)
    frame = board.frame_at(document, _turn(request, document))
    said = _said(game, document, frame.turn)
    return render(request, "frontend/game.html", {
        "section": "games",
        "game": game,
        "document": document,
        "turn": frame.turn,
        "last": len(document["turns"]),
        "board": board.svg(document, frame, said),
        "text": board.text(document, frame),
        "said": said,
        "players": _players(game, document),
        "rows": _rows(document, frame.turn),
        "bars": _bars(document, frame.turn),
        "has_sgf": game.match.ruleset in GAMES,
    })


def as_json(request: HttpRequest, pk: int) -> HttpResponse:
    """The record: the whole game, as `engines.record` reads it."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    return JsonResponse(game.record, json_dumps_params={"indent": 1}, headers={
        "Content-Disposition": f'attachment; filename="game-{pk}.json"', "Cache-Control": _cached(game)})


def as_sgf(request: HttpRequest, pk: int) -> HttpResponse:
    """The game as SGF, in the rulesets that it has a notation for."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    try:
        text = game_sgf(game)
    except ExportRefused as refusal:
        raise Http404(str(refusal)) from refusal
    return HttpResponse(text, content_type=f"{MEDIA_TYPE}; charset=utf-8", headers={
        "Content-Disposition": f'attachment; filename="game-{pk}.sgf"', "Cache-Control": _cached(game)})


def as_text(request: HttpRequest, pk: int) -> HttpResponse:
    """The game for people with a text editor: facts, turns, the last board."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = replay_document(game.record)
    final = board.frame_at(document, len(document["turns"]))
    context = {"game": game, "document": document, "text": board.text(document, final)}
    return render(request, "frontend/game.txt", context, content_type="text/plain; charset=utf-8")


def as_svg(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of `?turn=N` as a picture, or with `?thumb` the small final position."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = replay_document(game.record)
    picture = (board.thumbnail(document) if "thumb" in request.GET
               else board.standalone_svg(document, board.frame_at(document, _turn(request, document))))
    return HttpResponse(picture, content_type="image/svg+xml", headers={
        "Cache-Control": _cached(game), HEADER: _SVG_POLICY})


def _cached(game: Game) -> str:
    # A game never changes, but the way it is drawn may. One of a private event is not for caches that others share.
    event = game.event
    return f"{'private' if event is not None and event.private else 'public'}, max-age=3600"


def _turn(request: HttpRequest, document: board.Document) -> int:
    last = len(document["turns"])
    chosen = number_in(request, "turn")
    return last if chosen is None else min(chosen, last)


def _said(game: Game, document: board.Document, turn: int) -> str:
    """The turn in a sentence, as the viewer's script says it."""
    if turn == 0:
        return "Start of the game"
    played = document["turns"][turn - 1]
    name = (game.seat0 if played["seat"] == 0 else game.seat1).bot.name
    return f"Turn {turn} of {len(document['turns'])}: {name} {played['text']}"


def _players(game: Game, document: board.Document) -> list[dict[str, Any]]:
    points = (1 / 2, 1 / 2) if game.winner is None else (1 - game.winner, game.winner)
    return [{"seat": seat, "version": version, "points": "½" if points[seat] == 1 / 2 else points[seat],
             "words": wording.seat_words(document, seat),
             "seconds": sum(turn.get("seconds", 0) for turn in document["turns"] if turn["seat"] == seat)}
            for seat, version in enumerate((game.seat0, game.seat1))]


def _rows(document: board.Document, turn: int) -> list[dict[str, Any]]:
    """The turns in two columns: `cells` has a turn or None for each seat. A seat that goes twice starts a new row."""
    rows: list[dict[str, Any]] = []
    for number, played in enumerate(document["turns"], start=1):
        seat = played["seat"]
        if not rows or seat == 0 or rows[-1]["cells"][1]:
            rows.append({"number": len(rows) + 1, "cells": [None, None]})
        rows[-1]["cells"][seat] = {"seconds": None, **played, "number": number, "now": number == turn,
                                   "given": number <= document["opening"]}
    return rows


def _bars(document: board.Document, turn: int) -> list[dict[str, Any]]:
    """The time strip: each turn's share of the longest, `height` 0 to 1."""
    longest = max((played.get("seconds", 0) for played in document["turns"]), default=0)
    return [{"number": number, "seat": played["seat"], "now": number == turn,
             "height": round(played.get("seconds", 0) / longest, 3) if longest else 0}
            for number, played in enumerate(document["turns"], start=1)]
