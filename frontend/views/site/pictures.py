"""Pictures: a game's board as SVG and PNG, and the preview cards that other sites show for links."""

from hashlib import sha256

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from engines.records.older import shown_document
from frontend.drawing import board
from frontend.pictures import cards
from frontend.pictures.png import png_of
from frontend.views.shared.numbers import number_in
from frontend.web.csp import HEADER
from tournaments.models import Game
from tournaments.selectors.bots import bots as bot_reads
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.matches import games as reads

# A standalone picture contains its styles and needs nothing else.
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
# Width and height of a board's picture in pixels.
_PNG_SIDE = 800
_CARD_SECONDS = 3600


def as_svg(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of `?turn=N` as SVG, or with `?thumb` a small picture of the final position."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record, measured=False)
    picture = board.thumbnail(document) if "thumb" in request.GET else _drawn(request, document)
    return HttpResponse(picture, content_type="image/svg+xml", headers={
        "Cache-Control": cached(game), HEADER: _SVG_POLICY})


def as_png(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of `?turn=N` as PNG, for programs that do not support SVG."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    drawn = _drawn(request, shown_document(game.record, measured=False))
    return HttpResponse(png_of(drawn, width=_PNG_SIDE), content_type="image/png",
                        headers={"Cache-Control": cached(game)})


def game_card(request: HttpRequest, pk: int) -> HttpResponse:
    """The preview card of a game; 404 for private events, because the sites that fetch cards are not signed in."""
    game = get_object_or_404(reads.whole_games(), pk=pk)
    document = shown_document(game.record)
    _refuse_older(document)
    return _card(cards.of_game(game, document))


def event_card(request: HttpRequest, slug: str) -> HttpResponse:
    event = get_object_or_404(event_reads.events().filter(private=False), slug=slug)
    return _card(cards.of_event(event))


def bot_card(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(bot_reads.bots(), slug=slug)
    return _card(cards.of_bot(bot))


def _drawn(request: HttpRequest, document: board.Document) -> str:
    """The board of the requested turn."""
    _refuse_older(document)
    return board.standalone_svg(document, board.frame_at(document, asked_turn(request, document)))


def _refuse_older(document: board.Document) -> None:
    """Raise Http404 for older games, whose boards are empty: only a thumbnail of the bare board is of use."""
    if document["older"]:
        raise Http404("The game was recorded under older rules, so it has no picture.")


def _card(svg: str) -> HttpResponse:
    # Only rendering the PNG is slow. Its cache key is a hash of its content, so it is never out of date.
    key = f"card-{sha256(svg.encode()).hexdigest()}"
    drawn = cache.get_or_set(key, lambda: png_of(svg, width=cards.WIDTH), _CARD_SECONDS)
    return HttpResponse(drawn, content_type="image/png", headers={"Cache-Control": f"public, max-age={_CARD_SECONDS}"})


def cached(game: Game) -> str:
    """The Cache-Control header of downloads of a game."""
    # A game never changes, but its rendering may. Shared caches must not store games of private events.
    event = game.event
    return f"{'private' if event is not None and event.private else 'public'}, max-age=3600"


def asked_turn(request: HttpRequest, document: board.Document) -> int:
    """The turn in the query, at most the last one; by default the last."""
    last = len(document["turns"])
    chosen = number_in(request, "turn")
    return last if chosen is None else min(chosen, last)
