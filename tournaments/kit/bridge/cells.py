"""Names of cells and turns in an engine's notation."""

from dataclasses import dataclass
from typing import Final

from engines.rules.notation import COLUMNS, PASS, RESIGN, SWAP, Turn

CORNERS: Final = ("south-west", "south-east", "north-west", "north-east")
# Facts that the name of a cell can contain.
PARTS: Final = ("letter", "number", "column", "row")
_CODES: Final = {"pass": PASS, "swap": SWAP, "resign": RESIGN}


class NamesRefused(ValueError):
    """The names of the cells do not fit the board; `str()` says why and how to fix it."""


@dataclass(frozen=True, slots=True)
class Notation:
    """An engine's notation. `corner` is the corner of the first letter and the number `first`.

    If `transpose` is true, the letters count the rows instead of the columns. `cell` is the pattern of a cell's name,
    such as `{letter}{number}`. A word of `words` is "" if the engine has no such turn.
    """

    letters: str = COLUMNS
    first: int = 1
    corner: str = "south-west"
    transpose: bool = False
    cell: str = "{letter}{number}"
    separator: str = ","
    words: tuple[tuple[str, str], ...] = (("pass", "pass"), ("swap", ""), ("resign", "resign"))

    def names(self, size: int) -> list[str]:
        """Return the engine's name of each cell. Raises NamesRefused."""
        if len(self.letters) < size:
            raise NamesRefused(f"letters has {len(self.letters)} letters, but the board {size} columns: add letters")
        names = [self._name(*divmod(cell, size), size) for cell in range(size * size)]
        if len({name.lower() for name in names}) < len(names):
            raise NamesRefused(f"cell = {self.cell!r} gives several cells the same name: use {{letter}}{{number}}, or "
                               "{column} and {row}")
        return names

    def word(self, code: int) -> str:
        """Return the engine's word for PASS, SWAP or RESIGN, or "" if it has none."""
        return next(text for name, text in self.words if _CODES[name] == code)

    def format(self, turn: Turn, size: int) -> str:
        """Return a turn in the engine's notation; "" if the engine has no word for it."""
        if turn[0] < 0:
            return self.word(turn[0])
        names = self.names(size)
        return self.separator.join(names[cell] for cell in turn)

    def parse(self, text: str, size: int) -> Turn | None:
        """Return the turn in an engine's answer, in upper or lower case; None if it is not a turn."""
        text = text.strip().lower()
        for name, word in self.words:
            if word and text == word.lower():
                return (_CODES[name],)
        cells = {name.lower(): cell for cell, name in enumerate(self.names(size))}
        if text in cells:
            return (cells[text],)
        found = [cells.get(part.strip()) for part in text.split(self.separator.lower())]
        turn = tuple(cell for cell in found if cell is not None)
        return turn if len(turn) == len(found) else None

    def _name(self, row: int, column: int, size: int) -> str:
        north_south, _, west_east = self.corner.partition("-")
        row = size - 1 - row if north_south == "north" else row
        column = size - 1 - column if west_east == "east" else column
        if self.transpose:
            row, column = column, row
        return self.cell.format(letter=self.letters[column], number=row + self.first,
                                column=column + self.first, row=row + self.first)
