"""Parses and formats cells and turns. As in GTP, a cell is a column letter without `i` and a row number from the south.

A turn is a tuple of integers. Placements are cell indices (`row * size + column`, row 0 in the south, column 0 in the
west), in the order in which they are written. Words are one-element tuples with a negative code.
"""

from collections.abc import Iterable
from operator import index
from typing import Final

from engines.rules.errors import NotationError

Turn = tuple[int, ...]

PASS: Final = -1
SWAP: Final = -2
RESIGN: Final = -3

WORDS: Final = {"pass": PASS, "swap": SWAP, "resign": RESIGN}
COLUMNS: Final = "abcdefghjklmnopqrst"
MAX_SIZE: Final = len(COLUMNS)

_WORD_OF: Final = {code: word for word, code in WORDS.items()}
_LONGEST_QUOTE: Final = 40


def cell_name(cell: int, size: int) -> str:
    """Return the name of a cell, such as `a1` for index 0."""
    row, column = divmod(cell, size)
    return f"{COLUMNS[column]}{row + 1}"


def parse_cell(text: str, size: int) -> int:
    """Return the index of a cell from its name, in ASCII and either case. Raises NotationError."""
    column = COLUMNS.find(text[0].lower()) if text[:1].isascii() and text else -1
    digits = text[1:]
    if column < 0 or not 1 <= len(digits) <= 2 or not digits.isascii() or not digits.isdigit() or digits[0] == "0":
        raise NotationError(f"{quote(text)} is not a cell: a cell is a letter a–t without i, then a number, such as c4")
    row = int(digits) - 1
    if column >= size or row >= size:
        raise NotationError(f"{text.lower()} is off the {size}×{size} board")
    return row * size + column


def parse_turn(text: str, size: int) -> Turn:
    """Return the turn in a line of text, without checking that it is legal. Raises NotationError."""
    stripped = text.strip(" \t\r\n")
    if not stripped:
        raise NotationError("the turn is empty")
    if stripped.isascii() and (code := WORDS.get(stripped.lower())) is not None:
        return (code,)
    parts = stripped.split(",", size * size)
    if len(parts) > size * size:
        raise NotationError(f"{quote(stripped)} has more cells than the {size}×{size} board")
    return tuple(parse_cell(part, size) for part in parts)


def as_turn(given: object) -> Turn:
    """Return a tuple or list of whole numbers as a turn. Raises NotationError for anything else."""
    if isinstance(given, tuple | list) and all(hasattr(number, "__index__") for number in given):
        return tuple(map(index, given))
    raise NotationError("a turn is a text such as 'a1,b2' or a tuple of cells such as (0, 1), not "
                        f"{quote(repr(given))}")


def format_turn(turn: Turn, size: int) -> str:
    """Return the text of a turn, in lower case, with the cells in the turn's order."""
    if len(turn) == 1 and turn[0] in _WORD_OF:
        return _WORD_OF[turn[0]]
    return ",".join(cell_name(cell, size) for cell in turn)


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """Return a question with the name that is most like the given one, or nothing if none is like it."""
    from difflib import get_close_matches
    nearest = get_close_matches(given, list(names), 1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def quote(text: str) -> str:
    """Return untrusted text, truncated and escaped for use in a message."""
    cut = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"
    return ascii(cut) if not cut.isprintable() else f"'{cut}'"
