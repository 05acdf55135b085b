"""Observations: planes of size × size bytes.

A view belongs to one seat, normally to the seat to move. Planes 0 to 3 are the same in every ruleset: own stones,
without those of the unfinished turn; the other seat's stones; the stones of the unfinished turn; and 1 on every cell if
the view belongs to seat 1. Further planes hold what else the rules need. A plane of a fact has the same number on every
cell.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engines.env.state import State
from engines.rules.games.scware import Scware
from engines.rules.games.squ import Squ
from engines.rules.games.squaresquared import SquareSquared
from engines.rules.registry import RULESETS

COMMON: Final = ("own stones", "the other seat's stones", "stones of the unfinished turn", "the view belongs to seat 1")
EXTRA: Final[Mapping[str, tuple[str, ...]]] = {
    "scware": ("a seat has grown a group", "the previous turn was a pass"),
    "ooscg-w": ("stones that the unfinished turn has removed",),
    "squ": ("cells per side of the marked square, if it is own", "the same, if it is the other seat's"),
    "squaresquared": ("the previous turn was a pass", "empty points that superko forbids"),
}
# The names of each ruleset's planes. A ruleset that is not in EXTRA has only the common ones.
PLANES: Final[Mapping[str, tuple[str, ...]]] = {slug: (*COMMON, *EXTRA.get(slug, ())) for slug in RULESETS}

# Stones of seat 0, of seat 1 and of the unfinished turn (3 on the marked board).
_SEATS: Final = bytes.maketrans(b"\0\1\2\3", b"\0\1\0\0"), bytes.maketrans(b"\0\1\2\3", b"\0\0\1\0")
_TURN: Final = bytes.maketrans(b"\0\1\2\3", b"\0\0\0\1")


class _View(NamedTuple):
    state: State
    marked: bytes
    seat: int


def planes(state: State, seat: int | None = None) -> list[bytes]:
    """Return the planes of a state, each with its size² bytes in the order of the cells.

    The view belongs to `seat`, or to the seat to move.
    """
    view = state.seat if seat is None else seat
    board = state.position.board_with(state.stones)
    for cell in state.stones:
        board[cell] = 3
    marked = bytes(board)
    extra = _EXTRAS.get(state.position.slug)
    return [marked.translate(_SEATS[view]), marked.translate(_SEATS[1 - view]), marked.translate(_TURN),
            _all(state, view), *(extra(_View(state, marked, view)) if extra else ())]


def _all(state: State, number: int) -> bytes:
    return bytes((number,)) * state.size**2


def _scware(seen: _View) -> list[bytes]:
    position = seen.state.position
    assert isinstance(position, Scware)
    return [_all(seen.state, position.someone_has_grown), _all(seen.state, position.passed)]


def _ooscg_w(seen: _View) -> list[bytes]:
    enemy = 2 - seen.state.seat
    return [bytes(before == enemy != now for before, now in zip(seen.state.position.stones, seen.marked, strict=True))]


def _squ(seen: _View) -> list[bytes]:
    position = seen.state.position
    assert isinstance(position, Squ)
    length, seat = (position.record.length, position.record.seat) if position.record else (0, 0)
    return [_all(seen.state, length if seat == seen.seat else 0), _all(seen.state, length if seat != seen.seat else 0)]


def _squaresquared(seen: _View) -> list[bytes]:
    position = seen.state.position
    assert isinstance(position, SquareSquared)
    closed = bytearray(0 if stone or seen.state.over else 1 for stone in seen.marked)
    for step in seen.state.steps.next:
        if step >= 0:
            closed[step] = 0
    return [_all(seen.state, position.passed), bytes(closed)]


_EXTRAS: Final[Mapping[str, Callable[[_View], list[bytes]]]] = {
    "scware": _scware, "ooscg-w": _ooscg_w, "squ": _squ, "squaresquared": _squaresquared,
}
