"""Replay documents for games that the current rules cannot replay, such as games recorded under older rules.

They show the players, the turns as written, and the result, but no stones: the positions are unknown.
"""

from collections.abc import Mapping
from typing import Any, Final

from engines.records.record import GameRecord, RecordError
from engines.records.replay import drawn_board, replay_document, result_sentence
from engines.rules.notation import MAX_SIZE
from engines.rules.registry import RULESETS

JSON = dict[str, Any]
_FAULT: Final = {"seat": 0, "kind": "", "line": "", "message": "", "ply": 0}


def shown_document(record_dict: JSON, *, measured: bool = True) -> JSON:
    """Return the replay document of any record; without stones if the rules contradict the record. Raises nothing."""
    try:
        return replay_document(record_dict, measured=measured)
    except RecordError:
        return _older_document(record_dict)


def _older_document(data: object) -> JSON:
    """Return a document without stones. The record is not trusted: its format may be unknown."""
    slug = _of(data, "ruleset", str, "")
    ruleset = RULESETS.get(slug)
    size = min(max(_of(data, "size", int, 1), 1), MAX_SIZE)
    opening = [str(text) for text in _of(data, "opening", list, [])]
    turns = [(_of(turn, "turn", str, "?"), _of(turn, "seconds", float, 0.0)) for turn in _of(data, "turns", list, [])]
    plies = [*((text, None) for text in opening), *turns]
    seats = [*_of(data, "seats", list, []), None, None][:2]
    result, fault = _of(data, "result", dict, {}), _of(data, "fault", dict, None)
    return {
        "ruleset": {"slug": slug, "name": ruleset.name if ruleset else slug, "version": _of(data, "rules", int, 1)},
        "older": True,
        "board": drawn_board(ruleset, size),
        "players": [{"name": _of(seat, "name", str, "?"), "colour": colour}
                    for seat, colour in zip(seats, ruleset.colours if ruleset else ("", ""), strict=True)],
        "initial": [],
        "opening": len(opening),
        "turns": [{"text": text, "seat": ply % 2, "ops": [], **({} if seconds is None else {"seconds": seconds})}
                  for ply, (text, seconds) in enumerate(plies)],
        "result": {"winner": _seat(result.get("winner")), "ended_by": _of(result, "ended_by", str, ""),
                   "reason": _of(result, "reason", str, ""), "text": _result_text(data), "cells": [], "counts": []},
        "fault": fault and {name: _seat(fault.get(name)) or 0 if name == "seat" else _of(fault, name, type(none), none)
                            for name, none in _FAULT.items()},
    }


def _of(data: object, name: str, kind: type, missing: Any) -> Any:
    """Return the mapping's value for `name` if it is of type `kind`, otherwise `missing`; `data` may be no mapping."""
    value = data.get(name) if isinstance(data, Mapping) else None
    return value if type(value) is kind else missing


def _seat(value: object) -> int | None:
    return int(value) if value in (0, 1) and isinstance(value, int) else None


def _result_text(data: object) -> str:
    try:
        record = GameRecord.from_dict(data)
    except RecordError:
        return ""
    return result_sentence(record) if record.ruleset in RULESETS else ""
