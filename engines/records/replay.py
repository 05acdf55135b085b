"""What a viewer draws: a recorded game as a board, stones put on and taken off, and a result in words.

The viewer knows no rules: every turn comes with its `ops`, and cells are indices, row by row from the
south-west corner. `rings` says whether the ruleset counts stones by area. The document is plain JSON data:

    {"ruleset": {"slug", "name", "version": that of the rules by which the game was recorded},
     "older": whether the present rules cannot play the game through (records/older.py), so that no stones are shown,
     "board": {"size", "width", "height", "drawn": "cells" | "points", "goal_sides": bool, "rings": bool,
               "columns": "abc…"},
     "players": [{"name", "colour"}, {"name", "colour"}],
     "initial": [[cell, seat], …],
     "opening": how many of the turns were given,
     "turns": [{"text", "seat", "ops": [[cell, seat or null], …], "seconds"?, "note"?, "marked"?}, …],
     "result": {"winner": seat or null, "ended_by", "reason", "text", "cells": [cell, …], "counts"},
     "fault": {"seat", "kind", "line", "message", "ply"} or null}

Names, lines and messages are strangers' text: whoever shows them must escape them.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from engines.records.record import GameRecord, verify
from engines.rules.notation import COLUMNS, PASS, RESIGN, SWAP, Turn, parse_cell
from engines.rules.outcome import spoken
from engines.rules.registry import find
from engines.rules.ruleset import SYMBOLS, Position, Ruleset

JSON = dict[str, Any]
# Stones in text: the same two for all rulesets, as their colours' initials collide (red and red, black and black).
MARKS: Final = ".XO"

_WORD_NOTES: Final = {PASS: "pass", SWAP: "swap", RESIGN: "resigns"}


def replay_document(record_dict: JSON) -> JSON:
    """The document for a record's JSON. Raises RecordError for a record that the rules contradict."""
    record = GameRecord.from_dict(record_dict)
    verify(record)
    ruleset = find(record.ruleset)
    size = record.size
    result = record.result
    return {
        "ruleset": {"slug": ruleset.slug, "name": ruleset.name, "version": record.rules},
        "older": False,
        "board": drawn_board(ruleset, size),
        "players": [{"name": seat.name, "colour": colour}
                    for seat, colour in zip(record.seats, ruleset.colours, strict=True)],
        "initial": [],
        "opening": len(record.opening),
        "turns": drawn_turns(ruleset, size, record.plies),
        "result": {"winner": result.winner, "ended_by": result.ended_by.value, "reason": result.reason.value,
                   "text": result_sentence(record), "cells": [parse_cell(cell, size) for cell in result.cells],
                   "counts": [list(pair) for pair in result.counts]},
        "fault": record.fault and {name: getattr(record.fault, name)
                                   for name in ("seat", "kind", "line", "message", "ply")},
    }


def drawn_board(ruleset: Ruleset | None, size: int) -> JSON:
    """The document's `board`; for a ruleset that is gone, plain cells."""
    rules = ruleset or Position
    return {"size": size, "width": size, "height": size, "drawn": rules.drawn_on,
            "goal_sides": rules.has_goal_sides, "rings": bool(rules.areas(size)), "columns": COLUMNS[:size]}


def drawn_turns(ruleset: Ruleset, size: int, plies: Iterable[tuple[str, float | None]]) -> list[JSON]:
    """The document's `turns`, of a game that may still be going on: legal turns, and the seconds of each, if any."""
    return turns_from(ruleset.start(size), plies)[0]


def turns_from(position: Position, plies: Iterable[tuple[str, float | None]]) -> tuple[list[JSON], Position]:
    """The document's `turns` from this position on, as in `drawn_turns`, and the position after them."""
    turns = []
    for text, seconds in plies:
        turn = position.parse(text)
        after = position.after(turn)
        turns.append(_turn(position, turn, after, seconds))
        position = after
    return turns, position


def result_sentence(record: GameRecord) -> str:
    """How the game ended, such as "searcher (white) won by connection after 43 plies"."""
    result, fault = record.result, record.fault
    colours = find(record.ruleset).colours
    who = [f"{seat.name} ({colour})" for seat, colour in zip(record.seats, colours, strict=True)]
    plies = len(record.plies)
    after = f"after {plies} {'ply' if plies == 1 else 'plies'}"
    how = spoken(result.reason, drawn=result.winner is None)
    if fault is not None:
        return f"{who[1 - fault.seat]} won: {who[fault.seat]} forfeited ({how}) {after}"
    if result.winner is None:
        return f"{who[0]} and {who[1]} drew {how} {after}"
    return f"{who[result.winner]} won {how} {after}"


def rows_after(document: JSON, turns: int) -> list[str]:
    """The board after so many of the document's turns: rows, north first, `.` empty, `1` seat 0, `2` seat 1."""
    size = document["board"]["size"]
    stones = [0] * (size * size)
    for cell, seat in document["initial"]:
        stones[cell] = seat + 1
    for turn in document["turns"][:turns]:
        for cell, seat in turn["ops"]:
            stones[cell] = 0 if seat is None else seat + 1
    return ["".join(SYMBOLS[stone] for stone in stones[row * size:(row + 1) * size])
            for row in range(size - 1, -1, -1)]


def board_text(rows: Sequence[str]) -> str:
    """A board as text with its letters and numbers, X for seat 0 and O for seat 1; no newline at the end.

    `rows` are those of `Position.rows`: north first.
    """
    size = len(rows)
    marks = str.maketrans(SYMBOLS, MARKS)
    letters = "   " + " ".join(COLUMNS[:size])
    lines = [f"{number:2} {' '.join(row.translate(marks))} {number}"
             for number, row in zip(range(size, 0, -1), rows, strict=True)]
    return "\n".join((letters, *lines, letters))


def _turn(before: Position, turn: Turn, after: Position, seconds: float | None) -> JSON:
    # `ops` is of the turn as written, so that stones can be numbered in that order.
    ops = before.ops(turn)
    document: JSON = {"text": before.format(turn), "seat": before.seat_to_move, "ops": [list(op) for op in ops]}
    if seconds is not None:
        document["seconds"] = round(seconds, 3)
    removed = sum(seat is None for _, seat in ops)
    if removed:
        document["note"] = f"captured {removed}"
    elif turn[0] in _WORD_NOTES:
        document["note"] = _WORD_NOTES[turn[0]]
    elif note := before.note(turn, after):
        document["note"] = note.text
        if note.marked:
            document["marked"] = list(note.marked)
    return document
