"""A turn that somebody puts together stone by stone: what stands so far, and what may come next."""

from dataclasses import dataclass

from engines.rules.errors import IllegalTurn
from engines.rules.notation import WORDS, Turn, cell_name, parse_turn
from engines.rules.ruleset import Position


@dataclass(frozen=True, slots=True)
class PartialTurn:
    """The stones so far, in the order in which they were put, and what may follow on the way to a legal turn.

    `cells` ascend; `words` are "pass" and "swap" where they are turns here, instead of a first stone. `may_end`: the
    stones so far are a turn.
    """

    stones: Turn
    cells: tuple[int, ...]
    words: tuple[str, ...]
    may_end: bool

    @property
    def is_complete(self) -> bool:
        """Whether the stones so far are a turn to which nothing can be added."""
        return self.may_end and not self.cells


def build(position: Position, text: str = "") -> PartialTurn:
    """What may follow the stones that the text names, such as `c3,d4`; "" for none.

    Raises NotationError for text that names no cells, and IllegalTurn for a stone that cannot come there.
    """
    stones: Turn = ()
    steps = position.steps()
    for cell in parse_turn(text, position.size) if text.strip() else ():
        if cell < 0 or cell not in steps.next:
            name = cell_name(cell, position.size) if cell >= 0 else text
            raise IllegalTurn("building", f"{name} cannot come {'next' if stones else 'first'} in a turn here")
        stones = (*stones, cell)
        steps = position.steps(stones)
    words = tuple(word for word, code in WORDS.items() if code in steps.next)
    return PartialTurn(stones, tuple(cell for cell in steps.next if cell >= 0), words, steps.may_end)
