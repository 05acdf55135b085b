"""Turns that are put together stone by stone: the stones so far and the possible next steps."""

from dataclasses import dataclass

from engines.rules.errors import IllegalTurn
from engines.rules.notation import WORDS, Turn, cell_name, parse_turn
from engines.rules.ruleset import Position


@dataclass(frozen=True, slots=True)
class PartialTurn:
    """The stones so far, in the order in which they were placed, and the steps that lead to a legal turn.

    `cells` are in ascending order. `words` contains "pass" and "swap" if they are legal instead of a first stone.
    `may_end` is true if the stones so far are a legal turn.
    """

    stones: Turn
    cells: tuple[int, ...]
    words: tuple[str, ...]
    may_end: bool

    @property
    def is_complete(self) -> bool:
        """True if the stones so far are a turn and nothing can be added."""
        return self.may_end and not self.cells


def build(position: Position, text: str = "") -> PartialTurn:
    """Return the partial turn for text with stones, such as `c3,d4`, or "" for none.

    Raises NotationError if the text is not a list of cells, and IllegalTurn if a stone cannot be placed there.
    """
    stones: Turn = ()
    steps = position.steps()
    for cell in parse_turn(text, position.size) if text.strip() else ():
        if cell < 0 or cell not in steps.next:
            name = cell_name(cell, position.size) if cell >= 0 else text
            raise IllegalTurn("building", f"{name} is not a possible {'next' if stones else 'first'} step of this turn")
        stones = (*stones, cell)
        steps = position.steps(stones)
    words = tuple(word for word, code in WORDS.items() if code in steps.next)
    return PartialTurn(stones, tuple(cell for cell in steps.next if cell >= 0), words, steps.may_end)
