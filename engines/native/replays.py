"""Fast replays of finished games: all turns but the last are checked by the native engine.

Python's rules play the last turn, so that the outcome, with the cells that show it, is always theirs. A game that the
native engine refuses is replayed in Python, which says what is wrong.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from engines.native import module
from engines.rules.bitboard import cells_with, geometry
from engines.rules.notation import PASS, Turn
from engines.rules.ruleset import Position, Ruleset


class _Replayed(NamedTuple):
    """The native position after some turns, the boards before each turn, and whether the last turn was a pass."""

    native: Any
    boards: list[bytes]
    passed: bool


def before_last(ruleset: Ruleset, size: int, turns: Sequence[Turn]) -> Position | None:
    """Return the position before the last turn of a game; None if the native engine cannot say.

    It must know the ruleset (`knows`). Each turn but the last must be legal, with its stones in the order in which
    `Position.format` writes them.
    """
    hidden = _HIDDEN.get(ruleset.slug)
    if hidden is None or not turns:
        return None
    answer = module().replay(ruleset.slug, size, turns[:-1])
    if answer is None or answer[0].over:
        return None
    replayed = _Replayed(answer[0], answer[1], passed=list(turns[-2:-1]) == [(PASS,)])
    native = replayed.native
    return ruleset(size=size, stones=native.stones, seat_to_move=native.seat, **hidden(replayed))


def _growth(replayed: _Replayed) -> dict[str, Any]:
    # Groups never shrink, so that a side has grown exactly if two of its stones touch.
    native, board = replayed.native, geometry(replayed.native.size)
    own = [cells_with(native.stones, stone) for stone in (1, 2)]
    return {"someone_has_grown": any(stones & board.beside(stones) for stones in own), "passed": replayed.passed}


def _mark(replayed: _Replayed) -> dict[str, Any]:
    from engines.rules.games.squ import Mark

    length, seat, corner = replayed.native.record
    across, up = length - 1, (length - 1) * replayed.native.size
    corners = (corner, corner + across, corner + up, corner + up + across)
    return {"record": Mark(length, seat, corners) if length else None}


def _history(replayed: _Replayed) -> dict[str, Any]:
    return {"history": frozenset(replayed.boards) - {replayed.native.stones}, "passed": replayed.passed}


# The fields of positions that the native engine does not hold, by ruleset.
_HIDDEN: Final[dict[str, Callable[[_Replayed], dict[str, Any]]]] = {
    "scware": _growth,
    "ooscg-w": lambda _: {},
    "squ": _mark,
    "square-grid-hex": lambda _: {},
    "squaresquared": _history,
}
