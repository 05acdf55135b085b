"""Draws a position as text, and as an SVG that needs no style sheet, such as for a notebook.

Units: a cell is 100 wide; cells are `row * size + column`, and row 0 is the southernmost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engines.rules.notation import COLUMNS
from engines.rules.ruleset import SYMBOLS, Position

CELL: Final = 100
# Width of the margin around the grid, which contains the goal sides.
RIM: Final = 34
# Stones in text. All rulesets use the same marks, because the initials of their colours would be ambiguous.
MARKS: Final = ".XO"
WOOD, LINES, LABELS, WINNING = "#efe7d8", "#cbbfa8", "#5e5a55", "#0f6f68"
# From this size on, boards with stones on points have stars.
_STARS_FROM: Final = 9


class Paint(NamedTuple):
    """The colours of a stone, of its edge, and of the marks on it."""

    fill: str
    edge: str
    on: str


LIGHT: Final[Mapping[str, Paint]] = {
    "black": Paint("#1f1e1d", "#000", "#fff"),
    "white": Paint("#fff", "#5e5a55", "#1c1b1a"),
    "red": Paint("#c62828", "#7a1414", "#fff"),
    "blue": Paint("#2456a6", "#173a73", "#fff"),
}


@dataclass(frozen=True, slots=True)
class Geometry:
    """Positions and dimensions on a board with `size` cells per side."""

    size: int

    @property
    def label(self) -> int:
        """Font size of the coordinates: larger for large boards, which are scaled down more on a phone."""
        return max(32, 3 * self.size + 5)

    @property
    def left(self) -> int:
        """Distance of the grid from the left."""
        return RIM + self.label * 3 // 2

    @property
    def side(self) -> int:
        """Width and height of the grid."""
        return self.size * CELL

    @property
    def width(self) -> int:
        """Width of the picture."""
        return self.left + self.side + RIM + 2

    @property
    def height(self) -> int:
        """Height of the picture."""
        return self.side + 2 * RIM + 2 + self.label * 3 // 2

    def centre(self, cell: int) -> tuple[int, int]:
        """Return the centre of a cell."""
        row, column = divmod(cell, self.size)
        return self.left + column * CELL + CELL // 2, RIM + (self.size - 1 - row) * CELL + CELL // 2

    def lines(self, *, on_points: bool) -> str:
        """Return the path of the grid's lines, around the cells or through their centres."""
        inset, count = (CELL // 2, self.size) if on_points else (0, self.size + 1)
        length = self.side - 2 * inset
        return "".join(f"M{self.left + inset} {RIM + inset + i * CELL}h{length}"
                       f"M{self.left + inset + i * CELL} {RIM + inset}v{length}" for i in range(count))

    def stars(self) -> list[tuple[int, int]]:
        """Return the centres of the four stars of a board whose stones are on points."""
        if self.size < _STARS_FROM:
            return []
        third = 2 if self.size < 12 else 3
        places = (third, self.size - 1 - third)
        return [self.centre(row * self.size + column) for row in places for column in places]

    def goal_sides(self) -> tuple[str, str]:
        """Return the paths of seat 0's sides, north and south, and of seat 1's, west and east."""
        left, side, middle = self.left, self.side, RIM // 2 - 1
        west, east = left - RIM + middle, left + side + RIM - middle
        return (f"M{left} {middle}h{side}M{left} {side + 2 * RIM - middle}h{side}",
                f"M{west} {RIM}v{side}M{east} {RIM}v{side}")

    def labels(self) -> Iterator[tuple[int, int, str]]:
        """Yield the coordinates: where they stand, and their text."""
        for index in range(self.size):
            y = RIM + self.side - index * CELL - CELL // 2
            yield (self.left - RIM) // 2, y + self.label // 3, str(index + 1)
            yield self.left + index * CELL + CELL // 2, self.height - self.label // 3, COLUMNS[index]


def board_text(rows: Sequence[str]) -> str:
    """Return a board as text with its coordinates, X for seat 0 and O for seat 1, without a newline at the end.

    `rows` come from `Position.rows`, north first.
    """
    size = len(rows)
    marks = str.maketrans(SYMBOLS, MARKS)
    letters = "   " + " ".join(COLUMNS[:size])
    lines = [f"{number:2} {' '.join(row.translate(marks))} {number}"
             for number, row in zip(range(size, 0, -1), rows, strict=True)]
    return "\n".join((letters, *lines, letters))


def board_svg(position: Position, *, width: int = 360) -> str:
    """Return a position as an SVG, `width` pixels wide, with the cells that decided the game in circles."""
    geometry = Geometry(position.size)
    board = geometry.side + 2 * RIM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width * geometry.height // geometry.width}"',
        f' viewBox="0 0 {geometry.width} {geometry.height}" role="img" aria-label="{position.name}">',
        f'<rect x="{geometry.left - RIM}" y="0" width="{board}" height="{board}" rx="20" fill="{WOOD}"/>',
        f'<path d="{geometry.lines(on_points=position.drawn_on == "points")}" fill="none" stroke="{LINES}"',
        ' stroke-width="2.5"/>',
        *_decorations(position, geometry), *_stones(position, geometry), "</svg>",
    ]
    return "".join(parts)


def _decorations(position: Position, geometry: Geometry) -> Iterator[str]:
    """Yield stars, goal sides and coordinates."""
    if position.drawn_on == "points":
        yield from (f'<circle cx="{x}" cy="{y}" r="9" fill="{LINES}"/>' for x, y in geometry.stars())
    if position.has_goal_sides:
        for seat, path in enumerate(geometry.goal_sides()):
            paint = LIGHT[position.colours[seat]]
            dashes = ' stroke-dasharray="38 32"' if seat else ""  # colour is never the only cue
            yield from (f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{thick}" stroke-linecap="round"'
                        f'{dashes}/>' for stroke, thick in ((paint.edge, 18), (paint.fill, 12)))
    yield (f'<g font-family="sans-serif" font-weight="600" font-size="{geometry.label}" text-anchor="middle" '
           f'fill="{LABELS}">')
    yield from (f'<text x="{x}" y="{y}">{text}</text>' for x, y, text in geometry.labels())
    yield "</g>"


def _stones(position: Position, geometry: Geometry) -> Iterator[str]:
    for cell, stone in enumerate(position.stones):
        if stone:
            x, y = geometry.centre(cell)
            paint = LIGHT[position.colours[stone - 1]]
            yield f'<circle cx="{x}" cy="{y}" r="41" fill="{paint.fill}" stroke="{paint.edge}" stroke-width="3"/>'
            if stone > 1:
                yield f'<circle cx="{x}" cy="{y}" r="27" fill="none" stroke="{paint.on}" stroke-width="3"/>'
    for cell in position.outcome.cells if position.outcome else ():
        x, y = geometry.centre(cell)
        yield f'<circle cx="{x}" cy="{y}" r="45" fill="none" stroke="{WINNING}" stroke-width="7"/>'
