"""Opening books: text files of openings, each judged by the rules.

A book has one opening per line: its turns in the notation of the rules, separated by spaces. Blank lines are ignored,
and so is everything after a `#`.

    # four balanced openings
    b1 g1,a2
    c2 f2,g3
"""

from functools import lru_cache
from typing import Final

from engines.public import Copyable
from engines.rules.errors import TurnError
from engines.rules.notation import quote
from engines.rules.openings import Opening
from engines.rules.ruleset import Position, Ruleset

MOST_OPENINGS: Final = 2_000
MOST_BYTES: Final = 200_000
MOST_TURNS: Final = 20
_FAULTS_SHOWN: Final = 10


class BookError(Copyable, ValueError):
    """The book cannot be used. `faults` are sentences, one per bad line, up to ten; `str()` joins them."""

    def __init__(self, *faults: str) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def decode(data: bytes) -> str:
    """Return the text of a book's file. Raises BookError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BookError(f"Line {line} is not UTF-8 text: save the file as UTF-8.") from None


@lru_cache(maxsize=8)
def read_book(text: str, ruleset: Ruleset, size: int) -> tuple[Opening, ...]:
    """Return the book's openings in canonical notation, in the order of its lines.

    Raises SetupError if the ruleset does not have this size, and BookError, which names up to ten bad lines.
    """
    start = ruleset.start(size)
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise BookError(f"The book is too large: at most {MOST_BYTES:,} bytes are allowed. Remove some openings.")
    lines = [(number, turns) for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1)
             if (turns := line.partition("#")[0].split())]
    if not lines:
        raise BookError("The book has no openings: write at least one line, with turns separated by spaces.")
    if len(lines) > MOST_OPENINGS:
        raise BookError(f"Line {lines[MOST_OPENINGS][0]} is one opening too many: at most {MOST_OPENINGS:,} are "
                        "allowed. Remove the rest.")
    found: dict[Opening, int] = {}
    faults = []
    for number, turns in lines:
        try:
            opening = _judged(start, turns)
        except _Fault as fault:
            faults.append(f"Line {number}: {fault}")
            continue
        if opening in found:
            faults.append(f"Line {number}: the opening is the same as in line {found[opening]}: remove one of them.")
        found.setdefault(opening, number)
    if faults:
        more = len(faults) - _FAULTS_SHOWN
        raise BookError(*faults[:_FAULTS_SHOWN], *([f"Lines with errors that are not listed: {more}."]
                                                   if more > 0 else []))
    return tuple(found)


class _Fault(ValueError):
    """A fault of an opening, with its remedy."""


def _judged(position: Position, turns: list[str]) -> Opening:
    """Return the opening in canonical notation. Raises _Fault."""
    if len(turns) > MOST_TURNS:
        raise _Fault(f"the opening has {len(turns)} turns, but at most {MOST_TURNS} are allowed: shorten it.")
    opening = []
    for number, text in enumerate(turns, start=1):
        try:
            turn = position.parse(text)
            position.check(turn)
        except TurnError as error:
            raise _Fault(f"turn {number}, {quote(text)}, cannot be played: {error}. Correct or remove it.") from None
        opening.append(position.format(turn))
        position = position.after(turn)
        if position.outcome is not None:
            raise _Fault(f"turn {number}, {quote(text)}, ends the game: end the opening before it.")
    return tuple(opening)
