"""Data for the page of openings: the board, whose cells lead to the next turns, and the lines of the table."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from engines.records.replay import drawn_board, turns_from
from engines.rules.drawing import CELL, Geometry
from engines.rules.notation import parse_turn
from frontend.drawing import board
from frontend.drawing.board import Document
from frontend.live.replays import NO_RESULT
from frontend.templatetags.squarefield import spaced, thin
from frontend.text import wording
from frontend.text.core_words import translated
from frontend.text.measures import captions
from tournaments.selectors.ladders.openings import Explored, Line, Reached

# Radius of a cell's dot: without games, and what is added if all games continued there.
_DOT, _MORE_DOT = 9, 26


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of the table: its address, and its share of all games."""

    line: Line
    address: str
    share: float


def context(reached: Reached, explored: Explored, band: int | None) -> dict[str, Any]:
    """The template context of the position and its lines."""
    position, turns = reached.position, reached.turns
    ruleset = type(position)
    drawn, _ = turns_from(ruleset.start(position.size), [(text, None) for text in turns])
    document: Document = {
        "ruleset": {"slug": ruleset.slug, "name": ruleset.name}, "initial": [], "turns": drawn,
        "players": [{"colour": colour} for colour in ruleset.colours], "result": NO_RESULT,
        "board": drawn_board(ruleset, position.size)}
    frame = board.frame_at(document, len(turns))
    said = _said(reached)
    return {
        "board": board.svg(document, frame, gettext("Board: %(said)s") % {"said": said},
                           _targets(reached, explored, band)),
        "text": board.text(document, frame),
        "said": said,
        "caption": captions(ruleset.slug, drawn)[-1:],
        "seat": position.seat_to_move,
        "over": position.outcome is not None,
        "trail": [{"seat": turn["seat"], "text": turn["text"], "address": address(turns[:number], band)}
                  for number, turn in enumerate(drawn, start=1)],
        "start": address([], band),
        "back": address(turns[:-1], band),
        "lines": [Shown(line, address([*turns, line.turn], band), line.score.games / explored.score.games)
                  for line in explored.lines],
        "others": explored.different - len(explored.lines),
        "ply": len(turns),
        "next_ply": len(turns) + 1,
    }


def address(turns: list[str], band: int | None) -> str:
    """The relative address of the position after these turns."""
    asked = {"turns": " ".join(turns), "band": "" if band is None else str(band)}
    return "?" + urlencode({name: value for name, value in asked.items() if value}, safe=",")


def _said(reached: Reached) -> str:
    position = reached.position
    colour = translated(position.colours[position.seat_to_move])
    if not reached.turns:
        return gettext("Start of the game: %(colour)s is to move.") % {"colour": colour}
    facts = {"turn": len(reached.turns), "played": spaced(reached.turns[-1]), "colour": colour}
    if position.outcome is not None:
        return gettext("After turn %(turn)s, %(played)s: the game is over.") % facts
    return gettext("After turn %(turn)s, %(played)s: %(colour)s is to move.") % facts


def _targets(reached: Reached, explored: Explored, band: int | None) -> SafeString:
    """Links on the cells of the listed turns; on each cell, the one with the most games. The table has the same links.

    The size of the dot shows the share of the games.
    """
    size = reached.position.size
    geometry, found = Geometry(size), {}
    for line in explored.lines:
        for image in line.images:
            for cell in parse_turn(image, size):
                if cell >= 0:
                    found.setdefault(cell, (image, line))
    links = format_html_join("", (
        '<a class="target" href="{}" tabindex="-1" aria-label="{}"><rect x="{}" y="{}" width="{}" height="{}"></rect>'
        '<circle cx="{}" cy="{}" r="{}"></circle></a>'), (
        (address([*reached.turns, image], band), _label(image, line), x - CELL // 2, y - CELL // 2, CELL, CELL, x, y,
         _DOT + round(_MORE_DOT * line.score.games / explored.score.games))
        for cell, (image, line) in sorted(found.items()) for x, y in [geometry.centre(cell)]))
    return format_html('<g class="targets">{}</g>', links)


def _label(turn: str, line: Line) -> str:
    games = line.score.games
    return ngettext("%(turn)s: %(games)s game, score %(score)s", "%(turn)s: %(games)s games, score %(score)s",
                    games) % {"turn": spaced(turn), "games": thin(games), "score": wording.percent(line.score.share)}
