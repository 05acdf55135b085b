"""The example boards on the rules pages: positions with a legal or illegal turn, and a short complete game.

They are stored next to the rules, in `docs/rules/<slug>.json`:

    {"game": {"size", "says", "turns": ["c3", …]},
     "boards": [{"under": a heading's anchor, "rows": north first, "seat", "given"?, "play" or "refuse": a turn,
                 "says": the caption}, …]}

`given` holds the state that rows cannot express (`Position.setup`). The turns are checked by the rules themselves,
so a page cannot disagree with the referee.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from engines.check import board_of
from engines.records.replay import drawn_board, drawn_turns, turns_from
from engines.rules.errors import IllegalTurn
from engines.rules.notation import cell_name
from engines.rules.registry import find
from engines.rules.ruleset import Position, Ruleset
from frontend.documents.library import DOCS
from frontend.drawing import board, stones
from frontend.text.core_words import translated

_SEATS: Final = (0, 1)
_LONGEST_GAME: Final = 200


class ExampleError(Exception):
    """An example board contradicts the rules."""


@dataclass(frozen=True, slots=True)
class Example:
    """A board: its section, picture, turn and caption, and the referee's message if the turn is illegal."""

    under: str
    picture: SafeString
    seat: int
    colour: str
    turn: str
    says: str
    refusal: str


@lru_cache(maxsize=64)
def boards(slug: str) -> tuple[Example, ...]:
    """The ruleset's boards, in the order of the file. Raises ExampleError."""
    return tuple(_example(find(slug), entry) for entry in _entries(slug)["boards"])


@lru_cache(maxsize=64)
def short_game(slug: str) -> board.Document:
    """A complete game as a replay document with `says`. Raises IllegalTurn and the other errors of the rules."""
    ruleset, entry = find(slug), _entries(slug)["game"]
    size, turns = entry["size"], entry["turns"]
    position = ruleset.start(size)
    for text in turns:
        position = position.play(position.parse(text))
    plies = drawn_turns(ruleset, size, [(text, None) for text in turns])
    return {**_document(ruleset, size, [], plies, position), "says": entry["says"]}


def _entries(slug: str) -> dict[str, Any]:
    """The file next to the rules; if it does not exist yet, no boards and a game of random turns."""
    path = DOCS / "rules" / f"{slug}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    size = board_of(find(slug))
    return {"game": {"size": size, "turns": _random_game(find(slug).start(size)),
                     "says": "Two players who choose each turn at random."}, "boards": []}


def _random_game(position: Position) -> list[str]:
    rng, turns = Random(1), []  # noqa: S311 - seeded, so every page shows the same game
    while position.outcome is None and len(turns) < _LONGEST_GAME:
        turn = position.random_turn(rng)
        turns.append(position.format(turn))
        position = position.play(turn)
    return turns


def _document(ruleset: Ruleset, size: int, initial: list[Any], turns: list[Any], last: Position) -> board.Document:
    outcome = last.outcome
    return {
        "ruleset": {"slug": ruleset.slug, "name": ruleset.name}, "board": drawn_board(ruleset, size),
        "players": [{"name": colour.capitalize(), "colour": colour} for colour in ruleset.colours],
        "initial": initial, "opening": 0, "turns": turns, "fault": None,
        "result": {"winner": outcome and outcome.winner, "ended_by": "rule", "text": "",
                   "reason": outcome.reason.value if outcome else "", "cells": list(outcome.cells) if outcome else [],
                   "counts": [list(pair) for pair in outcome.counts] if outcome else []},
    }


def _example(ruleset: Ruleset, entry: dict[str, Any]) -> Example:
    position = ruleset.setup(entry["rows"], entry["seat"], **entry.get("given", {}))
    initial = [[cell, stone - 1] for cell, stone in enumerate(position.stones) if stone]
    text = entry.get("play") or entry["refuse"]
    turn = position.parse(text)
    try:
        after, refusal = position.play(turn), ""
    except IllegalTurn as illegal:
        after, refusal = position, str(illegal)
    if bool(refusal) != ("refuse" in entry):
        raise ExampleError(f"{ruleset.slug}: {text} is {'refused: ' + refusal if refusal else 'legal'}")
    turns = [] if refusal else turns_from(position, [(text, None)])[0]
    document = _document(ruleset, position.size, initial, turns, after)
    frame = board.frame_at(document, len(turns))
    if refusal:
        frame.ghosts = {cell: entry["seat"] for cell in turn if cell >= 0}
    return Example(entry["under"], _picture(ruleset, document, frame), entry["seat"], ruleset.colours[entry["seat"]],
                   text, entry["says"], refusal)


def _picture(ruleset: Ruleset, document: board.Document, frame: board.Frame) -> SafeString:
    """The board as SVG. The page must also contain a board by `board.svg`, which defines the stones used here."""
    geometry = board.Geometry(document["board"]["size"])
    return format_html(
        '<svg class="board" viewBox="0 0 {} {}" role="img" aria-label="{}" style="--label:{}px;{}">{}'
        '<g class="stones">{}</g></svg>',
        geometry.width, geometry.height, _in_words(ruleset, geometry.size, frame), geometry.label,
        stones.seats(ruleset.colours), board.background(document), board.layer(document, frame))


def _in_words(ruleset: Ruleset, size: int, frame: board.Frame) -> str:
    """Describe the stones of each colour, for screen readers."""
    names = {seat: [cell_name(cell, size) for cell, owner in sorted(frame.stones.items()) if owner == seat]
             for seat in _SEATS}
    return "; ".join(f"{translated(ruleset.colours[seat]).capitalize()}: {', '.join(cells) or gettext('no stones')}"
                     for seat, cells in names.items())
