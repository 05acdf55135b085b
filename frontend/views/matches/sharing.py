"""Pictures of a finished game: an animation of its turns as GIF, and one position as SVG and PNG."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext, gettext_noop

from engines.records.older import shown_document
from frontend.drawing import board
from frontend.pictures.film import film_of
from frontend.pictures.gif import TooSlow, gif_of
from frontend.pictures.png import png_of
from frontend.views.shared.drawing import TOO_MANY, TooManyPictures, drawn
from frontend.views.shared.numbers import whole_number
from frontend.views.shared.private import private
from frontend.views.site.pictures import cached, is_private
from frontend.web.csp import HEADER
from tournaments.models import Game
from tournaments.selectors.matches import games as reads
from tournaments.web.errors import unavailable

# A standalone picture contains its styles and needs nothing else.
_SVG_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
# Width and height of a position's picture in pixels.
_PNG_SIDE: Final = 800
# Limit of a drawing's processor time, which is about 0.7 s for the longest games.
_DRAW_SECONDS: Final = 4.0
_MAX_AGE: Final = 86_400

_UNKNOWN: Final = gettext_noop("There is no finished game %(number)s. A game has pictures once it has ended.")
_OLDER: Final = gettext_noop("The game was recorded under older rules, so it has no picture.")
_NO_TURN: Final = gettext_noop("“%(name)s” must be a whole number from 0 to %(last)s, the last turn of this game. "
                               "It is “%(text)s”.")
_SWAPPED: Final = gettext_noop("“from” is turn %(first)s, which is after “to”, turn %(last)s. Swap the two numbers.")


class NoPicture(Exception):
    """There is no picture, for a reason in English with its values; `status` is the response's."""

    def __init__(self, status: int, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.values = values


def as_gif(request: HttpRequest, pk: int) -> HttpResponse:
    """The positions after turn `?from=` to turn `?to=` as an animation; by default the whole game."""
    def answer(game: Game, document: board.Document) -> HttpResponse:
        last = len(document["turns"])
        first, end = _turn(request, "from", last, 0), _turn(request, "to", last, last)
        if first > end:
            raise NoPicture(400, _SWAPPED, first=first, last=end)
        film = film_of(game, document, first, end)
        return _picture(request, game, "image/gif", film.key, lambda: gif_of(film, seconds=_DRAW_SECONDS))
    return _answer(request, pk, answer)


def as_png(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of `?turn=N` as PNG, by default of the last turn."""
    def answer(game: Game, document: board.Document) -> HttpResponse:
        svg = _board(request, document)
        key = sha256(f"{_PNG_SIDE} {svg}".encode()).hexdigest()
        return _picture(request, game, "image/png", key, lambda: png_of(svg, width=_PNG_SIDE))
    return _answer(request, pk, answer)


def as_svg(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of `?turn=N` as SVG, or with `?thumb` a small picture of the final position."""
    thumb = "thumb" in request.GET

    def answer(game: Game, document: board.Document) -> HttpResponse:
        picture = board.thumbnail(document) if thumb else _board(request, document)
        return HttpResponse(picture, content_type="image/svg+xml", headers={
            "Cache-Control": cached(game), HEADER: _SVG_POLICY})
    # Of older games, whose boards are empty, only the thumbnail of the bare board is of use.
    return _answer(request, pk, answer, older=thumb)


def _answer(request: HttpRequest, pk: int, answer: Callable[[Game, board.Document], HttpResponse], *,
            older: bool = False) -> HttpResponse:
    """Return the answer for the game and its replay document, or a page that says why there is no picture."""
    try:
        game = reads.whole_games(request.user).filter(pk=pk).first()
        if game is None:
            raise NoPicture(404, _UNKNOWN, number=pk)
        document = shown_document(game.record, measured=False)
        if document["older"] and not older:
            raise NoPicture(404, _OLDER)
        return answer(game, document)
    except NoPicture as refusal:
        return _refused(request, pk, refusal)
    except TooManyPictures as refusal:
        return _refused(request, pk, NoPicture(429, TOO_MANY, seconds=refusal.seconds))
    except TooSlow:
        return unavailable(request)


def _refused(request: HttpRequest, pk: int, refusal: NoPicture) -> HttpResponse:
    # Pictures are in English, but this is a page.
    with translation.override(translation.get_language_from_request(request)):
        response = private(render(request, "frontend/matches/no_picture.html", {
            "reason": gettext(refusal.reason) % refusal.values, "number": None if refusal.status == 404 else pk,
        }, status=refusal.status))
    if "seconds" in refusal.values:
        response["Retry-After"] = refusal.values["seconds"]
    return response


def _board(request: HttpRequest, document: board.Document) -> str:
    last = len(document["turns"])
    return board.standalone_svg(document, board.frame_at(document, _turn(request, "turn", last, last)))


def _turn(request: HttpRequest, name: str, last: int, default: int) -> int:
    """The turn of this name in the query. Raises NoPicture if the game has no such turn."""
    text = request.GET.get(name, "").strip()
    number = whole_number(text) if text else default
    if number is None or number > last:
        raise NoPicture(400, _NO_TURN, name=name, last=last, text=text[:20])
    return number


def _picture(request: HttpRequest, game: Game, media_type: str, key: str, draw: Callable[[], bytes]) -> HttpResponse:
    """The picture with this key, from the cache if it has been drawn before. Raises TooManyPictures and TooSlow."""
    etag = f'"{key}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(drawn(request, key, draw), content_type=media_type)
    response["ETag"] = etag
    # The game and so the picture never change.
    response["Cache-Control"] = f"{'private' if is_private(game) else 'public'}, max-age={_MAX_AGE}, immutable"
    return response
