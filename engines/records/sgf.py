"""Writes recorded games as SGF, for rulesets whose turns equal those of a game that SGF supports (`Position.sgf_game`).

Format: SGF FF[4], https://www.red-bean.com/sgf/ , with its pages on Hex (GM[11]) and on Go (GM[1], for
SquareSquared, which has Go's turns but not its score). SGF numbers rows from the north, Squarefield from the south.

The swap of Square Grid Hex turns black's first stone white on the same point. SGF has no property for this:
`swap-sides` changes the sides, and `swap-pieces` mirrors the stone. The swap is therefore written as a set-up node,
which any program can read: the stone is now white (AW), black is to move (PL), and a comment gives the reason.
"""

from collections.abc import Iterator
from typing import Final

from engines.records.record import GameRecord
from engines.records.replay import result_sentence
from engines.records.time_control import Clock, seconds_text
from engines.rules.notation import PASS, RESIGN, SWAP, Turn, parse_turn
from engines.rules.outcome import Ending, Forfeit
from engines.rules.registry import RULESETS, find

MEDIA_TYPE: Final = "application/x-go-sgf"
_HEX: Final = 11
_COLOURS: Final = "BW"


class NoSgf(ValueError):
    """SGF has no notation for this ruleset's turns; `str()` lists the rulesets for which it has."""


def has_sgf(slug: str) -> bool:
    """Return whether games of this ruleset can be written as SGF."""
    return slug in RULESETS and RULESETS[slug].sgf_game is not None


def sgf(record: GameRecord, *, event: str = "", round_name: str = "", date: str = "") -> str:
    """Return the game as SGF text: one game tree with one node per turn, and a newline at the end.

    `date` is YYYY-MM-DD; empty arguments are left out. The record is not checked: use `records.record.verify` for
    that. Raises NoSgf, and NotationError if the text of a turn is invalid.
    """
    if not has_sgf(record.ruleset):
        able = " and ".join(slug for slug in RULESETS if has_sgf(slug))
        raise NoSgf(f"SGF does not support games of {record.ruleset}; it supports {able}.")
    nodes = [_root(record, {"EV": event, "RO": round_name, "DT": date}), *_turns(record)]
    return "(" + "\n".join(nodes) + ")\n"


def _root(record: GameRecord, about: dict[str, str]) -> str:
    control, ruleset = record.time_control, find(record.ruleset)
    facts = {
        "FF": "4", "GM": str(ruleset.sgf_game), "CA": "UTF-8", "AP": "Squarefield", "SZ": str(record.size),
        "RU": ruleset.name, "KM": "0" if ruleset.sgf_game != _HEX else "",
        "PB": record.seats[0].name, "PW": record.seats[1].name,
        "TM": seconds_text(control.base) if control.base else "",
        "OT": (f"{seconds_text(control.per_turn)} s per turn" if control.per_turn
               else f"{seconds_text(control.increment)} Fischer" if control.increment else ""),
        **about, "RE": _result(record), "GC": result_sentence(record),
    }
    return ";" + "".join(f"{name}[{escaped(value)}]" for name, value in facts.items() if value)


def _result(record: GameRecord) -> str:
    result = record.result
    if result.winner is None:
        return "0"
    how = {Ending.RESIGNATION: "R", Forfeit.TIME: "T"}.get(result.reason, "F" if record.fault is not None else "")
    return f"{_COLOURS[result.winner]}+{how}"


def _turns(record: GameRecord) -> Iterator[str]:
    """Yield the nodes of the turns. Seats alternate, also after passes and swaps."""
    clocks = [Clock(record.time_control, record.clock) for _ in record.seats]
    before: Turn = ()
    for ply, (text, seconds) in enumerate(record.plies):
        turn, seat = parse_turn(text, record.size), ply % 2
        comments, time_left = [], ""
        if seconds is None:
            comments = ["opening"]
        elif record.time_control.per_turn:
            comments = [f"{seconds:.3f} s"]
        else:
            time_left = f"{_COLOURS[seat]}L[{clocks[seat].charge(seconds):.3f}]"
        move, words = _move(record, turn, seat, before)
        comments = [*words, *comments]
        yield f";{move}{time_left}" + (f"C[{escaped('; '.join(comments))}]" if comments else "")
        before = turn


def _move(record: GameRecord, turn: Turn, seat: int, before: Turn) -> tuple[str, list[str]]:
    """Return a turn's SGF property and its comments. SGF has no move for a swap, and in Go none for a resignation."""
    colour, code, is_hex = _COLOURS[seat], turn[0], find(record.ruleset).sgf_game == _HEX
    if code == SWAP:
        stone = _point(before[0], record.size, is_hex=is_hex)
        return f"AW[{stone}]PL[B]", ["swap: the stone turns white on the same point"]
    if code == RESIGN:
        return f"{colour}[resign]" if is_hex else "", ["resigns"]
    if code == PASS:
        return f"{colour}[]", ["pass"]
    return f"{colour}[{_point(code, record.size, is_hex=is_hex)}]", []


def _point(cell: int, size: int, *, is_hex: bool) -> str:
    """Return SGF's name of a cell: in Hex a letter and a number, in Go two letters; both include the letter `i`."""
    row, column = divmod(cell, size)
    from_north = size - 1 - row
    letter = chr(ord("a") + column)
    return f"{letter}{from_north + 1}" if is_hex else letter + chr(ord("a") + from_north)


def escaped(text: str) -> str:
    """Return untrusted text as SGF's SimpleText: one line, no control characters, `]` and backslashes escaped."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return plain.replace("\\", "\\\\").replace("]", "\\]")
