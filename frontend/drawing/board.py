"""Draw the board after a given turn of a replay document, as SVG and as text.

The layer of stones depends on `Frame` alone. `static/frontend/board.js` builds the same layer from the same
document, character for character (the browser tests compare them), so stepping does not need the server.
Units: a cell is 100 wide; cells are `row * size + column`, and row 0 is the southernmost.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_noop

from engines.records.replay import rows_after
from engines.rules.drawing import CELL, RIM, Geometry, board_text
from frontend.drawing import stones

# Captions, used here and in the browser. The second is shown once the marked cells have won the game.
LEADING: Final = gettext_noop("Leading %(note)s, made on turn %(turn)s")
WINNING: Final = gettext_noop("Winning %(note)s, made on turn %(turn)s")
# Number of marked cells that form the corners of a square and are connected by a line.
_CORNERS: Final = 4
Document = dict[str, Any]


@dataclass(slots=True)
class Frame:
    """The board after `turn` turns. `stones` maps cells to seats; the other fields describe the last turn.

    `placed` lists the cells where it placed stones, in order; `changed` the cells that it recoloured; `ghosts` maps
    cells to the stones that it removed. `ringed` lists the highlighted cells: the latest ones that a turn marked, or
    on the last turn the cells that decided the game. `marked_on` is the turn that marked them, or 0.
    """

    turn: int
    stones: dict[int, int] = field(default_factory=dict)
    placed: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    ghosts: dict[int, int] = field(default_factory=dict)
    ringed: list[int] = field(default_factory=list)
    marked_on: int = 0


def frame_at(document: Document, turn: int) -> Frame:
    """The frame after `turn` turns, 0 for the start. Out-of-range numbers are clamped."""
    turns = document["turns"]
    frame = Frame(max(0, min(turn, len(turns))))
    _apply(frame, document["initial"])
    for number in range(frame.turn):
        frame.placed, frame.changed, frame.ghosts = [], [], {}
        if "marked" in turns[number]:
            frame.ringed, frame.marked_on = turns[number]["marked"], number + 1
        _apply(frame, turns[number]["ops"])
    if frame.turn == 0:
        frame.placed = []
    if turns and frame.turn == len(turns):
        frame.ringed = document["result"]["cells"] or frame.ringed
    return frame


def _apply(frame: Frame, ops: list[list[Any]]) -> None:
    for cell, seat in ops:
        before = frame.stones.pop(cell, None)
        if seat is None:
            if cell in frame.placed:
                frame.placed.remove(cell)
            if before is not None:
                frame.ghosts[cell] = before
            continue
        frame.stones[cell] = seat
        frame.ghosts.pop(cell, None)
        if before is None:
            frame.placed.append(cell)
        elif cell not in frame.placed:
            frame.changed.append(cell)


def text(document: Document, frame: Frame) -> str:
    """The board for a terminal or a screen reader."""
    return board_text(rows_after(document, frame.turn))


def caption(document: Document, frame: Frame) -> str:
    """The caption of this position: who is ahead, or for rulesets without a measure the current mark, or ""."""
    turns = document["turns"]
    if measured := frame.turn and turns[frame.turn - 1].get("caption"):
        return measured
    if frame.marked_on:
        marking = turns[frame.marked_on - 1]
        won = frame.turn == len(turns) and marking["marked"] == document["result"]["cells"]
        return gettext(WINNING if won else LEADING) % {"note": marking["note"], "turn": frame.marked_on}
    return ""


# --- the layer that changes ---------------------------------------------------------------------


def layer(document: Document, frame: Frame) -> SafeString:
    """The content of `<g class="stones">`, from bottom to top. It contains only numbers, so nothing needs escaping."""
    geometry = Geometry(document["board"]["size"])
    return mark_safe(  # noqa: S308 — made of numbers
        f'<g class="under">{_under(geometry, frame)}</g>'
        f'<g class="men" transform="translate({geometry.left} {RIM})">{_men(geometry, frame)}</g>'
        f'<g class="over">{_over(document, geometry, frame)}</g>')


def _men(geometry: Geometry, frame: Frame) -> str:
    """A path per seat: the squares of its stones, filled with the stone pattern.

    With one element per stone, hundreds of elements would be repainted at every turn.
    """
    squares: list[list[str]] = [[], []]
    for cell, seat in sorted(frame.stones.items()):
        row, column = divmod(cell, geometry.size)
        squares[seat].append(f"M{column * CELL} {(geometry.size - 1 - row) * CELL}h{CELL}v{CELL}h-{CELL}z")
    return "".join(f'<path fill="url(#stone{seat})" d="{"".join(path)}"></path>' for seat, path in enumerate(squares))


def _under(geometry: Geometry, frame: Frame) -> str:
    parts = []
    for cell in (*frame.placed, *frame.changed, *frame.ghosts):
        x, y = geometry.centre(cell)
        parts.append(f'<rect class="last" x="{x - 47}" y="{y - 47}" width="94" height="94" rx="14"></rect>')
    return "".join(parts)


def _over(document: Document, geometry: Geometry, frame: Frame) -> str:
    parts = []
    for cell, seat in frame.ghosts.items():
        x, y = geometry.centre(cell)
        parts.append(f'<use href="#ghost{seat}" x="{x}" y="{y}"></use>')
    parts.append(marks(document, geometry, frame))
    for number, cell in enumerate(frame.placed, start=1):
        x, y = geometry.centre(cell)
        seat = frame.stones[cell]
        if len(frame.placed) == 1:
            parts.append(f'<circle class="dot on{seat}" cx="{x}" cy="{y}" r="11"></circle>')
        else:
            parts.append(f'<text class="number on{seat}" x="{x}" y="{y + 14}">{number}</text>')
    for cell in frame.changed:
        x, y = geometry.centre(cell)
        parts.append(f'<circle class="dot on{frame.stones[cell]}" cx="{x}" cy="{y}" r="11"></circle>')
    for cell in document["turns"][frame.turn - 1].get("best", ()) if frame.turn else ():
        x, y = geometry.centre(cell)
        parts.append(f'<circle class="best" cx="{x}" cy="{y}" r="38"></circle>')
    return "".join(parts)


def marks(document: Document, geometry: Geometry, frame: Frame) -> str:
    """The line and the circles of the highlighted cells."""
    circles = (f'<circle class="win" cx="{x}" cy="{y}" r="45"></circle>' for x, y in map(geometry.centre, frame.ringed))
    return _trace(document, geometry, frame) + "".join(circles)


def _trace(document: Document, geometry: Geometry, frame: Frame) -> str:
    """The line along the winning path, or through the corners of the marked square."""
    if len(frame.ringed) > 1 and frame.ringed is document["result"]["cells"] \
            and document["result"]["reason"] == "connection":
        cells, end = frame.ringed, ""
    elif frame.marked_on and len(frame.ringed) == _CORNERS:
        low_left, low_right, high_left, high_right = frame.ringed
        cells, end = [low_left, low_right, high_right, high_left], "Z"
    else:
        return ""
    points = "L".join("{} {}".format(*geometry.centre(cell)) for cell in cells)
    return f'<path class="trace" d="M{points}{end}"></path>'


# --- the layer that stays -----------------------------------------------------------------------

# Seat 1 has a ring on its stones and dashed goal sides, so that colour is never the only cue.
_STONES = """<defs><radialGradient id="shine" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="#fff" \
stop-opacity=".22"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient>
<pattern id="stone0" width="100" height="100" patternUnits="userSpaceOnUse"><circle class="s0" cx="50" cy="50" r="41"/>\
<circle fill="url(#shine)" cx="50" cy="50" r="40"/></pattern>
<pattern id="stone1" width="100" height="100" patternUnits="userSpaceOnUse"><circle class="s1" cx="50" cy="50" r="41"/>\
<circle fill="url(#shine)" cx="50" cy="50" r="40"/><circle class="ring" cx="50" cy="50" r="27"/></pattern>
<g id="ghost0"><circle class="gone g0" r="36"/><path class="cross g0" d="M-14-14 14 14M14-14-14 14"/></g>
<g id="ghost1"><circle class="gone g1" r="36"/><path class="cross g1" d="M-14-14 14 14M14-14-14 14"/></g></defs>"""


def background(document: Document) -> SafeString:
    """Wood, lines, goal sides and coordinates."""
    board = document["board"]
    geometry = Geometry(board["size"])
    left, side = geometry.left, geometry.side
    on_points = board["drawn"] == "points"
    parts = [f'<rect class="wood" x="{left - RIM}" y="0" width="{side + 2 * RIM}" height="{side + 2 * RIM}" rx="20"/>',
             _lines(geometry, on_points=on_points)]
    if board["goal_sides"]:
        parts.append(_goal_sides(geometry))
    parts += [f'<text class="label" x="{x}" y="{y}">{text}</text>' for x, y, text in geometry.labels()]
    return mark_safe("".join(parts))  # noqa: S308 — made of numbers and constant letters


def _lines(geometry: Geometry, *, on_points: bool) -> str:
    dots = "".join(f'<circle class="star" cx="{x}" cy="{y}" r="9"/>' for x, y in geometry.stars()) if on_points else ""
    return f'<path class="lines" d="{geometry.lines(on_points=on_points)}"/>{dots}'


def _goal_sides(geometry: Geometry) -> str:
    return "".join(f'<path class="goal rim rim{seat}" d="{path}"/><path class="goal goal{seat}" d="{path}"/>'
                   for seat, path in enumerate(geometry.goal_sides()))


def _colours(document: Document) -> list[str]:
    return [player["colour"] for player in document["players"]]


def svg(document: Document, frame: Frame, label: str, over: SafeString | None = None) -> SafeString:
    """The complete board for a page, which must supply the styles. `over` is a clickable layer above the stones."""
    geometry = Geometry(document["board"]["size"])
    return format_html(
        '<svg class="board" viewBox="0 0 {} {}" role="{}" aria-label="{}" style="--label:{}px;{}">{}{}'
        '<g class="stones">{}</g>{}</svg>',
        geometry.width, geometry.height, "img" if over is None else "group", label, geometry.label,
        stones.seats(_colours(document)), mark_safe(_STONES),  # noqa: S308 — a constant
        background(document), layer(document, frame), over or "")


# The light theme of site.css, for standalone files.
STANDALONE_STYLE = """text{font-family:Inter,system-ui,sans-serif;font-weight:600;text-anchor:middle}
.wood{fill:#efe7d8}.lines{fill:none;stroke:#cbbfa8;stroke-width:2.5}.star{fill:#cbbfa8}.label{fill:#5e5a55;font-size:LABELpx}
.last{fill:#dccfb4}.gone{stroke-width:4;stroke-dasharray:9 8}.cross{fill:none;stroke-width:6;stroke-linecap:round}
.win{fill:none;stroke:#0f6f68;stroke-width:7}.trace{fill:none;stroke:#0f6f68;stroke-width:7;stroke-linejoin:round}.number{font-size:40px}"""


def standalone_svg(document: Document, frame: Frame) -> str:
    """The board as a standalone file."""
    geometry = Geometry(document["board"]["size"])
    style = STANDALONE_STYLE.replace("LABEL", str(geometry.label)) + stones.sheet(_colours(document))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 {geometry.width + 20} {geometry.height + 20}">'
            f"<style>{style}</style>{_STONES}{background(document)}"
            f"<g>{layer(document, frame)}</g></svg>\n")


def small(document: Document, frame: Frame, label: str) -> SafeString:
    """The board for a page that shows several: stones and the last turn, without coordinates."""
    geometry = Geometry(document["board"]["size"])
    ring = '<circle class="ring" cx="{}" cy="{}" r="24"></circle>'
    men = "".join(f'<circle class="s{seat}" cx="{x}" cy="{y}" r="40"></circle>{ring.format(x, y) if seat else ""}'
                  for cell, seat in sorted(frame.stones.items()) for x, y in [geometry.centre(cell)])
    side = geometry.side + 2 * RIM
    return format_html(
        '<svg class="board small" viewBox="{} 0 {} {}" role="img" aria-label="{}" style="{}">{}</svg>',
        geometry.left - RIM, side, side, label,
        stones.seats(_colours(document)), mark_safe(  # noqa: S308 — made of numbers
            f'<rect class="wood" x="{geometry.left - RIM}" y="0" width="{side}" height="{side}" rx="20"></rect>'
            f'{_lines(geometry, on_points=document["board"]["drawn"] == "points")}'
            f'{_goal_sides(geometry) if document["board"]["goal_sides"] else ""}{_under(geometry, frame)}{men}'
            f'{_trace(document, geometry, frame)}'))


def thumbnail(document: Document) -> str:
    """The final position, small and without text."""
    frame = frame_at(document, len(document["turns"]))
    geometry = Geometry(document["board"]["size"])
    # Pages show it on their own board background, light or dark. If the ruleset was removed, players have no colours.
    light, dark = ("".join(f".s{seat}{{fill:{paints[colour].fill};stroke:{paints[colour].edge}}}"
                           for seat, colour in enumerate(_colours(document)) if colour in paints)
                   for paints in (stones.LIGHT, stones.DARK))
    style = f"circle{{stroke-width:6}}{light}@media(prefers-color-scheme:dark){{circle{{stroke-width:10}}{dark}}}"
    men = "".join(
        f'<circle class="s{seat}" cx="{x}" cy="{y}" r="38"/>'
        for cell, seat in sorted(frame.stones.items()) for x, y in [geometry.centre(cell)])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{geometry.left - 20} {RIM - 20} {geometry.side + 40} '
            f'{geometry.side + 40}"><style>{style}</style>{men}</svg>\n')
