"""The plan of an animated picture: what each frame shows, as SVG of its parts and as places of sprites.

Drawing every frame as SVG would take about 0.1 s each. So the stones are drawn once, as squares of a row, and each
frame is put together from them (`gif.py`). A cell is a whole number of pixels, so that stones look alike everywhere:
that keeps the file small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.conf import settings

from frontend.drawing import board, stones
from frontend.pictures.cards import line
from frontend.text import endings
from tournaments.models import Game

WIDTH: Final = 480
HEAD: Final = 60
# Height of the two lines below the board.
CAPTION: Final = 56
MOST_FRAMES: Final = 60
# A frame is shown for at least and at most this long, so that a game takes about the total; the last is held longer.
FASTEST_MS: Final = 150
SLOWEST_MS: Final = 700
TOTAL_MS: Final = 15_000
LAST_MS: Final = 3000
_MARGIN: Final = 16
_NAME_ROOM: Final = WIDTH - 3 * _MARGIN - 9
_GHOST: Final = ('<g transform="translate(50 50)"><circle class="gone g{0}" r="36"/>'
                 '<path class="cross g{0}" d="M-14-14 14 14M14-14-14 14"/></g>')
_DOT: Final = '<circle class="on{0}" cx="50" cy="50" r="12"/>'
# The squares of the row of sprites; those for both seats are next to each other.
_SPRITES: Final = ('<rect class="last" x="3" y="3" width="94" height="94" rx="14"/>',
                   '<circle class="s0" cx="50" cy="50" r="41"/>',
                   '<circle class="s1" cx="50" cy="50" r="41"/><circle class="ring" cx="50" cy="50" r="27"/>',
                   _DOT.format(0), _DOT.format(1), _GHOST.format(0), _GHOST.format(1))
_LAST, _STONE, _MARK, _GONE = 0, 1, 3, 5
SPRITES: Final = len(_SPRITES)
_STYLE: Final = """text{font-family:Inter;font-weight:600;fill:#1c1b1a}.soft{fill:#5e5a55}.accent{fill:#0f6f68}
.label{text-anchor:middle}.last{fill:#dccfb4}"""


@dataclass(frozen=True, slots=True)
class Still:
    """A frame: its sprites as `(kind, x, y)`, the SVG above them or "", its line of captions, and how long it shows."""

    pastes: tuple[tuple[int, int, int], ...]
    over: str
    line: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Film:
    """Everything that an animated picture shows; `side` is a cell's size in pixels."""

    back: str
    sprites: str
    captions: str
    side: int
    height: int
    stills: tuple[Still, ...]

    @property
    def key(self) -> str:
        """A hash of what is drawn, and so the name of the picture in caches."""
        return sha256(repr(self).encode()).hexdigest()


def film_of(game: Game, document: board.Document, first: int, last: int) -> Film:
    """Plan the frames after turn `first` to turn `last`, at most MOST_FRAMES; the game's last turn shows the result."""
    place = _Place.of(document["board"]["size"])
    numbers = frames(first, last)
    pause = max(FASTEST_MS, min(SLOWEST_MS, TOTAL_MS // len(numbers))) // 10 * 10
    style = f"<style>{_style(document, place)}</style>"
    stills = tuple(_still(document, place, style, number, index, LAST_MS if number == last else pause)
                   for index, number in enumerate(numbers))
    row = "".join(f'<g transform="translate({100 * kind})">{drawn}</g>' for kind, drawn in enumerate(_SPRITES))
    return Film(
        back=_svg(WIDTH, place.height, style + _back(game, document, place)),
        sprites=f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {100 * SPRITES} 100">{style}{row}</svg>',
        captions=_svg(WIDTH, CAPTION * len(numbers), style + "".join(
            _caption(game, document, number, CAPTION * index) for index, number in enumerate(numbers))),
        side=place.side, height=place.height, stills=stills)


def frames(first: int, last: int) -> list[int]:
    """The turns that are shown: all, or if there are more than MOST_FRAMES, evenly spaced ones with both ends."""
    turns = last - first
    steps = min(turns, MOST_FRAMES - 1)
    return [first + round(step * turns / steps) for step in range(steps + 1)] if steps else [first]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the board is: the pixels of a cell, and of the top left corner of the north-west cell."""

    geometry: board.Geometry
    side: int
    left: int
    top: int
    height: int

    @classmethod
    def of(cls, size: int) -> "_Place":
        geometry = board.Geometry(size)
        side = (WIDTH - 4) * 100 // geometry.width
        left = round((WIDTH - geometry.width * side / 100 + geometry.left * side / 50) / 2)
        top = HEAD + round(board.RIM * side / 100)
        return cls(geometry, side, left, top, HEAD + geometry.height * side // 100 + CAPTION)

    def at(self, cell: int) -> tuple[int, int]:
        row, column = divmod(cell, self.geometry.size)
        return self.left + column * self.side, self.top + (self.geometry.size - 1 - row) * self.side

    def on_board(self, drawn: str) -> str:
        """A drawing in the units of `frontend.drawing.board`, at its place in the picture."""
        scale = self.side / 100
        x, y = self.left - self.geometry.left * scale, self.top - board.RIM * scale
        return f'<g transform="translate({x:.2f} {y:.2f}) scale({scale})">{drawn}</g>'


def _still(document: board.Document, place: _Place, style: str, turn: int, line_number: int,
           milliseconds: int) -> Still:
    frame = board.frame_at(document, turn)
    pastes = [(_LAST, cell) for cell in (*frame.placed, *frame.changed, *frame.ghosts)]
    pastes += [(_STONE + seat, cell) for cell, seat in sorted(frame.stones.items())]
    pastes += [(_GONE + seat, cell) for cell, seat in frame.ghosts.items()]
    pastes += [(_MARK + frame.stones[cell], cell) for cell in (*frame.placed, *frame.changed)]
    over = _svg(WIDTH, place.height, style + place.on_board(board.marks(document, place.geometry, frame))) \
        if frame.ringed else ""
    return Still(tuple((kind, *place.at(cell)) for kind, cell in pastes), over, line_number, milliseconds)


def _back(game: Game, document: board.Document, place: _Place) -> str:
    names = "".join(
        f'<circle class="s{seat}" cx="{_MARGIN + 9}" cy="{19 + 26 * seat}" r="9"/>'
        f"{line(version.bot.name, 25 + 26 * seat, 19, _NAME_ROOM, left=2 * _MARGIN + 9)}"
        for seat, version in enumerate((game.seat0, game.seat1)))
    return (f'<rect width="{WIDTH}" height="{place.height}" fill="#fbfaf7"/>{names}'
            f"{place.on_board(board.background(document))}")


def _caption(game: Game, document: board.Document, turn: int, top: int) -> str:
    """The two lines below the board: the turn, or at the end the result, and the game's ladder and site."""
    last = len(document["turns"])
    told, soft = f"Turn {turn} of {last}", f"{game.match.ladder.name} · {settings.SITE_NAME}"
    if turn == last:
        names = [version.bot.name for version in (game.seat0, game.seat1)]
        told = "Draw" if game.winner is None else f"{names[game.winner]} won"
        soft = endings.how(endings.end_of(game, document))
    room = WIDTH - 2 * _MARGIN
    return (line(told, top + 22, 19, room, "accent" if turn == last else "", left=_MARGIN)
            + line(soft, top + 43, 14, room, "soft", left=_MARGIN))


def _style(document: board.Document, place: _Place) -> str:
    colours: Sequence[str] = [player["colour"] for player in document["players"]]
    return (board.STANDALONE_STYLE.replace("LABEL", str(place.geometry.label)).replace("text-anchor:middle", "")
            + stones.sheet(colours) + _STYLE)


def _svg(width: int, height: int, content: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{content}</svg>'
