"""The preview cards that other sites show for links, and what the pictures of games share."""

from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext

from engines.records.older import shown_document
from frontend.drawing import board
from frontend.pictures import cards
from frontend.pictures.gif import TooSlow
from frontend.pictures.png import png_of
from frontend.views.shared.drawing import TOO_MANY, TooManyPictures, drawn
from frontend.views.shared.numbers import number_in
from tournaments.models import Game
from tournaments.selectors.bots import bots as bot_reads
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.matches import games as reads
from tournaments.web.errors import unavailable

_CARD_SECONDS = 3600


def game_card(request: HttpRequest, pk: int) -> HttpResponse:
    """The preview card of a game; 404 for private events, because the sites that fetch cards are not signed in."""
    game = get_object_or_404(reads.whole_games(), pk=pk)
    document = shown_document(game.record)
    if document["older"]:
        raise Http404("The game was recorded under older rules, so it has no picture.")
    return _card(request, cards.of_game(game, document))


def site_card(request: HttpRequest) -> HttpResponse:
    """The card of all pages without one of their own."""
    return _card(request, cards.of_site())


def event_card(request: HttpRequest, slug: str) -> HttpResponse:
    event = get_object_or_404(event_reads.events().filter(private=False), slug=slug)
    return _card(request, cards.of_event(event))


def bot_card(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(bot_reads.bots(), slug=slug)
    return _card(request, cards.of_bot(bot))


def _card(request: HttpRequest, svg: str) -> HttpResponse:
    # Only rendering the PNG is slow. Its cache key is a hash of its content, so it is never out of date.
    key = sha256(f"{cards.WIDTH} {svg}".encode()).hexdigest()
    try:
        card = drawn(request, key, lambda: png_of(svg, width=cards.WIDTH))
    except TooManyPictures as refusal:
        # For the programs of other sites, which show no pages.
        return HttpResponse(gettext(TOO_MANY) % {"seconds": refusal.seconds}, status=429, content_type="text/plain",
                            headers={"Retry-After": refusal.seconds})
    except TooSlow:
        return unavailable(request)
    return HttpResponse(card, content_type="image/png", headers={"Cache-Control": f"public, max-age={_CARD_SECONDS}"})


def cached(game: Game) -> str:
    """The Cache-Control header of downloads of a game."""
    # A game never changes, but its rendering may. Shared caches must not store games of private events.
    return f"{'private' if is_private(game) else 'public'}, max-age=3600"


def is_private(game: Game) -> bool:
    return game.event is not None and game.event.private


def asked_turn(request: HttpRequest, document: board.Document) -> int:
    """The turn in the query, at most the last one; by default the last."""
    last = len(document["turns"])
    chosen = number_in(request, "turn")
    return last if chosen is None else min(chosen, last)
