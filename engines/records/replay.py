"""The replay document of a recorded game, for the viewer: the board, the stones added and removed, the result in words.

The viewer does not know the rules: every turn lists its `ops`. Cells are indices, row by row from the
south-west corner. `rings` is true if the ruleset measures positions by several counts, such as the stones on each ring.
The document is plain JSON data:

    {"ruleset": {"slug", "name", "version": the version of the rules under which the game was recorded},
     "older": true if the current rules cannot replay the game (records/older.py), so that no stones are shown,
     "board": {"size", "width", "height", "drawn": "cells" | "points", "goal_sides": bool, "rings": bool,
               "columns": "abc…"},
     "players": [{"name", "colour"}, {"name", "colour"}],
     "initial": [[cell, seat], …],
     "opening": the number of turns that belong to the opening,
     "turns": [{"text", "seat", "ops": [[cell, seat or null], …], "seconds"?, "note"?, "marked"?,
                "measure"?: {"counts": [[seat 0's, seat 1's], …], "leader": seat or null}, "view"?}, …],
     "result": {"winner": seat or null, "ended_by", "reason", "text", "cells": [cell, …], "counts"},
     "fault": {"seat", "kind", "line", "message", "ply"} or null}

A `view` is the bot's own: {"win"?, "depth"?, "nodes"?, "pv"?}, as in `engines.view`, with nothing that must be escaped,
but its turns may be illegal. Names, lines and messages are untrusted input: escape them before display.
"""

from collections.abc import Iterable
from typing import Any, Final

from engines.records.endings import GameEnd, last_position
from engines.records.record import GameRecord, verify
from engines.rules.notation import COLUMNS, PASS, RESIGN, SWAP, Turn, parse_cell
from engines.rules.registry import find
from engines.rules.ruleset import SYMBOLS, Position, Ruleset

JSON = dict[str, Any]
_WORD_NOTES: Final = {PASS: "pass", SWAP: "swap", RESIGN: "resigns"}


def replay_document(record_dict: JSON, *, measured: bool = True) -> JSON:
    """Return the document for a record's JSON. Raises RecordError if the record contradicts the rules.

    The measures take as long as everything else; pictures do not need them.
    """
    record = GameRecord.from_dict(record_dict)
    last = verify(record)
    ruleset = find(record.ruleset)
    size = record.size
    result = record.result
    turns = turns_from(ruleset.start(size), record.plies, measured=measured)[0]
    for turn, played in zip(turns[len(record.opening):], record.turns, strict=True):
        if played.view is not None:
            turn["view"] = played.view.to_dict()
    return {
        "ruleset": {"slug": ruleset.slug, "name": ruleset.name, "version": record.rules},
        "older": False,
        "board": drawn_board(ruleset, size),
        "players": [{"name": seat.name, "colour": colour}
                    for seat, colour in zip(record.seats, ruleset.colours, strict=True)],
        "initial": [],
        "opening": len(record.opening),
        "turns": turns,
        "result": {"winner": result.winner, "ended_by": result.ended_by.value, "reason": result.reason.value,
                   "text": result_sentence(record, last), "cells": [parse_cell(cell, size) for cell in result.cells],
                   "counts": [list(pair) for pair in result.counts]},
        "fault": record.fault and {name: getattr(record.fault, name)
                                   for name in ("seat", "kind", "line", "message", "ply")},
    }


def drawn_board(ruleset: Ruleset | None, size: int) -> JSON:
    """Return the document's `board`; for a ruleset that no longer exists, plain cells."""
    rules = ruleset or Position
    return {"size": size, "width": size, "height": size, "drawn": rules.drawn_on,
            "goal_sides": rules.has_goal_sides, "rings": ruleset is not None and _counts(ruleset.empty(size)) > 1,
            "columns": COLUMNS[:size]}


def drawn_turns(ruleset: Ruleset, size: int, plies: Iterable[tuple[str, float | None]]) -> list[JSON]:
    """Return the document's `turns` for these legal turns and their seconds, if any; the game may be in progress."""
    return turns_from(ruleset.start(size), plies)[0]


def turns_from(position: Position, plies: Iterable[tuple[str, float | None]], *,
               measured: bool = True) -> tuple[list[JSON], Position]:
    """Return the document's `turns` from this position on, as in `drawn_turns`, and the position after them."""
    turns = []
    for text, seconds in plies:
        turn = position.parse(text)
        after = position.after(turn)
        turns.append(_turn(position, turn, after, seconds))
        if measured and (measure := after.measure()):
            turns[-1]["measure"] = {"counts": [list(pair) for pair in measure.counts], "leader": measure.leader}
        position = after
    return turns, position


def result_sentence(record: GameRecord, last: Position | None = None) -> str:
    """Return the result as a sentence, such as "searcher (white) won by connecting north and south after 43 plies".

    `last` is the last position, if it is known already. If the rules cannot play the record, there are fewer details.
    """
    who = [f"{seat.name} ({colour})"
           for seat, colour in zip(record.seats, find(record.ruleset).colours, strict=True)]
    end = GameEnd.of_record(record, last or last_position(record))
    if "turn" in end.how(*who[:1]).values:
        return end.sentence(who)
    return f"{end.sentence(who)} after {end.plies} {'ply' if end.plies == 1 else 'plies'}"


def rows_after(document: JSON, turns: int) -> list[str]:
    """Return the board after the first `turns` turns: rows, north first, `.` empty, `1` seat 0, `2` seat 1."""
    size = document["board"]["size"]
    stones = [0] * (size * size)
    for cell, seat in document["initial"]:
        stones[cell] = seat + 1
    for turn in document["turns"][:turns]:
        for cell, seat in turn["ops"]:
            stones[cell] = 0 if seat is None else seat + 1
    return ["".join(SYMBOLS[stone] for stone in stones[row * size:(row + 1) * size])
            for row in range(size - 1, -1, -1)]


def _turn(before: Position, turn: Turn, after: Position, seconds: float | None) -> JSON:
    # `ops` follows the turn as written, so that the viewer can number the stones in that order.
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


def _counts(position: Position) -> int:
    measure = position.measure()
    return len(measure.counts) if measure else 0
