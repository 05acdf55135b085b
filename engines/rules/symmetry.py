"""Symmetries of the board, and the places of games in the explorer of openings.

A ruleset names the symmetries that keep its rules and each seat's goal sides. All images of a position under them are
one *place*, which also has the number of plies played, so that no sequence of turns leads back to a place. The key of a
place is a hash, the same in every version of Python. Earlier boards are not part of a place: where a ruleset forbids
repetition, the few turns that it forbids differ between games of one place.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from engines.rules.notation import Turn, format_turn

if TYPE_CHECKING:
    from engines.rules.ruleset import Position, Ruleset

# A symmetry of the board: a function from (row, column, highest row) to (row, column).
Symmetry = Callable[[int, int, int], tuple[int, int]]
# These keep each player's goal sides; reflections in the diagonals exchange them.
REFLECTIONS: Final[tuple[Symmetry, ...]] = (
    lambda row, column, _: (row, column),
    lambda row, column, top: (top - row, column),
    lambda row, column, top: (row, top - column),
    lambda row, column, top: (top - row, top - column),
)
IDENTITY: Final = REFLECTIONS[:1]
# The only one that keeps both goal sides and neighbours along a single diagonal.
HALF_TURN: Final = (REFLECTIONS[0], REFLECTIONS[3])
DIAGONAL: Final[tuple[Symmetry, ...]] = (
    lambda row, column, _: (column, row),
    lambda row, column, top: (top - column, top - row),
)
QUARTER_TURNS: Final[tuple[Symmetry, ...]] = (
    lambda row, column, top: (column, top - row),
    lambda row, column, top: (top - column, row),
)
EVERY: Final = (*REFLECTIONS, *DIAGONAL, *QUARTER_TURNS)
# The explorer follows games for this many plies.
EXPLORED_PLIES: Final = 12
# The step of a game that ends at a place, or that is followed no further.
END: Final = ""


@cache
def table(symmetry: Symmetry, size: int) -> tuple[int, ...]:
    """Return the cell to which the symmetry maps each cell."""
    places = (symmetry(*divmod(cell, size), size - 1) for cell in range(size * size))
    return tuple(row * size + column for row, column in places)


class Place(NamedTuple):
    """A position's place: its key, and the tables that map the position to the place's own orientation.

    There are several tables if the position is its own image under some symmetry.
    """

    key: int
    tables: tuple[tuple[int, ...], ...]

    def step(self, position: "Position", turn: Turn) -> str:
        """Return the text of a turn in the place's orientation; of turns that are each other's images, the same."""
        return format_turn(min(_mapped(position, turn, each) for each in self.tables), position.size)

    def turns(self, position: "Position", step: str) -> list[Turn]:
        """Return the turns of a step in the position's orientation: several if they are each other's images."""
        turn = position.parse(step)
        return sorted({position.canonical(_mapped(position, turn, _inverse(each))) for each in self.tables})


def place(position: "Position", ply: int) -> Place:
    """Return the position's place after this number of plies."""
    images = [(bytes(map(position.stones.__getitem__, inverse)), each)
              for each, inverse in _tables(type(position), position.size)]
    least = min(image for image, _ in images)
    facts = (position.slug, position.version, position.size, ply, position.seat_to_move, *position.unseen)
    digest = blake2b(" ".join(map(str, facts)).encode() + b"\n" + least, digest_size=8).digest()
    return Place(int.from_bytes(digest, "big", signed=True), tuple(each for image, each in images if image == least))


def path(ruleset: "Ruleset", size: int, turns: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the key of each place of a game, up to EXPLORED_PLIES, with the step that follows it. Raises TurnError."""
    position = ruleset.start(size)
    for ply, text in enumerate(turns[:EXPLORED_PLIES]):
        here, turn = place(position, ply), position.parse(text)
        yield here.key, here.step(position, turn)
        position = position.play(turn)
    yield place(position, min(len(turns), EXPLORED_PLIES)).key, END


def _mapped(position: "Position", turn: Turn, cells: tuple[int, ...]) -> Turn:
    """Return the image of a turn, with its stones in ascending order, except for a first stone that counts."""
    image = [cells[cell] if cell >= 0 else cell for cell in turn]
    fixed = int(position.first_stone_counts)
    return (*image[:fixed], *sorted(image[fixed:]))


@cache
def _tables(ruleset: "Ruleset", size: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return the table of each of the ruleset's symmetries with its inverse."""
    tables = [table(symmetry, size) for symmetry in ruleset.symmetries]
    return tuple((each, _inverse(each)) for each in tables)


@cache
def _inverse(cells: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(cells)), key=cells.__getitem__))
