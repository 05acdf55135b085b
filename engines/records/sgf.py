"""A recorded game as SGF, for rulesets whose turns are those of a game that SGF knows (`Position.sgf_game`).

Format: SGF FF[4], https://www.red-bean.com/sgf/ , with its pages on Hex (GM[11]) and on Go (GM[1], for
SquareSquared: its turns are Go's, its score is not). SGF numbers rows from the north, here they count from the south.

The swap of Square Grid Hex turns black's first stone white where it stands. Neither `swap-sides` nor `swap-pieces`,
which mirrors the stone, says that; so it is written as a set-up node, which any program reads: that stone is white
now (AW), black is to move (PL), and a comment says why.
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
    """SGF has no notation for this ruleset's turns; `str()` says for which it has."""


def has_sgf(slug: str) -> bool:
    """Whether games of this ruleset can be written as SGF."""
    return slug in RULESETS and RULESETS[slug].sgf_game is not None


def sgf(record: GameRecord, *, event: str = "", round_name: str = "", date: str = "") -> str:
    """The game as SGF text: one game tree, one node a turn, with a newline at the end.

    `date` is YYYY-MM-DD; what is empty is left out. The record is written as it is: `records.record.verify`
    tells whether the rules bear it out. Raises NoSgf, and NotationError for a turn that is none.
    """
    if not has_sgf(record.ruleset):
        able = " and ".join(slug for slug in RULESETS if has_sgf(slug))
        raise NoSgf(f"Games of {record.ruleset} cannot be written as SGF; those of {able} can.")
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
    """The nodes of the turns. Seats alternate, after passes and swaps too."""
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
    """A turn's property, and in words what SGF has no move for: a swap, and in Go a resignation."""
    colour, code, is_hex = _COLOURS[seat], turn[0], find(record.ruleset).sgf_game == _HEX
    if code == SWAP:
        stone = _point(before[0], record.size, is_hex=is_hex)
        return f"AW[{stone}]PL[B]", ["swap: white takes the stone over, where it stands"]
    if code == RESIGN:
        return f"{colour}[resign]" if is_hex else "", ["resigns"]
    if code == PASS:
        return f"{colour}[]", ["pass"]
    return f"{colour}[{_point(code, record.size, is_hex=is_hex)}]", []


def _point(cell: int, size: int, *, is_hex: bool) -> str:
    """A cell as SGF names it: in Hex a letter and a number, in Go two letters; both have every letter, `i` too."""
    row, column = divmod(cell, size)
    from_north = size - 1 - row
    letter = chr(ord("a") + column)
    return f"{letter}{from_north + 1}" if is_hex else letter + chr(ord("a") + from_north)


def escaped(text: str) -> str:
    """A stranger's text as SGF's SimpleText: on one line, without control characters; `]` and backslashes escaped."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return plain.replace("\\", "\\\\").replace("]", "\\]")
