"""The layer over a board on which a turn is built: hollow stones, links, and cells that say why they are closed."""

from collections.abc import Mapping

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engines.rules.drawing import CELL, Geometry
from engines.rules.notation import Turn, cell_name
from frontend.drawing.board import Frame


def hollow(frame: Frame, stones: Turn, size: int, seat: int) -> SafeString:
    """Take the stones of the unfinished turn off the frame, and return them as rings with their numbers."""
    parts, geometry = [], Geometry(size)
    for number, cell in enumerate(stones, start=1):
        frame.stones.pop(cell, None)
        x, y = geometry.centre(cell)
        parts.append(f'<circle class="hollow rim{seat}" cx="{x}" cy="{y}" r="36"></circle>'
                     f'<circle class="hollow goal{seat}" cx="{x}" cy="{y}" r="36"></circle>'
                     f'<text class="number" x="{x}" y="{y + 14}">{number}</text>')
    frame.placed = [cell for cell in frame.placed if cell not in stones]
    return mark_safe("".join(parts))  # noqa: S308 — made of numbers


def links(stones: Turn, size: int, cells: Mapping[int, str]) -> SafeString:
    """A link for each cell where the next stone can go, with what it does; it leads to the page with that stone."""
    geometry = Geometry(size)
    prefix = "".join(f"{cell_name(cell, size)}," for cell in stones)
    return format_html_join("", (
        '<a class="target" href="?stones={}{}" data-cell="{}" aria-label="{}">{}<rect x="{}" y="{}" width="{}" '
        'height="{}"></rect><circle cx="{}" cy="{}" r="10"></circle></a>'), (
        (prefix, name, cell, name, _title(said), x - CELL // 2, y - CELL // 2, CELL, CELL, x, y)
        for cell, said in cells.items()
        for name, (x, y) in [(cell_name(cell, size), geometry.centre(cell))]))


def barriers(size: int, cells: Mapping[int, str]) -> SafeString:
    """The empty cells where the next stone cannot go, each with the reason."""
    geometry = Geometry(size)
    return format_html_join("", '<rect class="closed" data-cell="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>', (
        (cell, x - CELL // 2, y - CELL // 2, CELL, CELL, _title(said))
        for cell, said in cells.items() for x, y in [geometry.centre(cell)]))


def _title(said: str) -> SafeString:
    return format_html("<title>{}</title>", said) if said else mark_safe("")
