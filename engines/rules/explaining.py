"""An unfinished turn in facts: what its stones do, where the next stone can go, and why it cannot go elsewhere.

The facts are cells and numbers, and refusals by the rules; a site says them in the reader's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.rules.errors import IllegalTurn
from engines.rules.grid import groups
from engines.rules.notation import Turn
from engines.rules.ruleset import EMPTY, Effect, Position

# The rule of a refusal that concerns only the order in which a turn is built: the whole turn would be legal.
ORDER = "order"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The facts about an unfinished turn.

    `placed`: what each of its stones does. `open`: what the next stone would do, on each possible cell. `closed`: for
    each other empty cell, why the next stone cannot go there. `growable`: one stone of each of the player's groups that
    the turn can still grow. `unfinished`: why the turn cannot end here; None if it can, or if it has no stones.
    `wins`: whether the turn wins if it ends here.
    """

    placed: tuple[Effect, ...]
    open: Mapping[int, Effect]
    closed: Mapping[int, IllegalTurn]
    growable: tuple[int, ...]
    unfinished: IllegalTurn | None
    wins: bool


def explain(position: Position, stones: Turn = ()) -> Explanation:
    """Return the facts about a turn that begins with these stones, which must have been built by `steps`."""
    steps = position.steps(stones)
    board = position.board_with(stones)
    free = set(steps.next)
    closed = {cell: _refusal(position, (*stones, cell)) or _out_of_order(cell)
              for cell, stone in enumerate(board) if stone == EMPTY and cell not in free and position.outcome is None}
    possible = {cell: position.effect(stones, cell) for cell in steps.next if cell >= 0}
    outcome = position.after(stones).outcome if stones and steps.may_end else None
    return Explanation(
        tuple(position.effect(stones[:number], cell) for number, cell in enumerate(stones)), possible, closed,
        _growable(position, possible),
        _refusal(position, stones) if stones and not steps.may_end else None,
        outcome is not None and outcome.winner == position.seat_to_move)


def _refusal(position: Position, turn: Turn) -> IllegalTurn | None:
    try:
        position.check(turn)
    except IllegalTurn as refusal:
        return refusal
    return None


def _out_of_order(cell: int) -> IllegalTurn:
    return IllegalTurn(ORDER, "the turn can have this stone only before the last one", cell)


def _growable(position: Position, possible: Mapping[int, Effect]) -> tuple[int, ...]:
    """Return the first stone of each group that one of the possible stones grows."""
    first = groups(position.stones, position.size, position.links)
    grown = {stone for effect in possible.values() if effect.grows for stone in effect.groups or ()}
    return tuple(sorted({first[stone] for stone in grown}))
