"""Openings: the first turns of a game, given to both sides alike, so that bots without chance vary their games.

What is balanced about them follows from the rules alone, not from anybody's judgement of positions:

- *Mirrored pairs.* Seat 1's stones are the images of seat 0's in a reflection of the board that exchanges the goal
  sides; in a game without these, in any reflection or half turn. So the position is its own image with
  the colours exchanged: neither side has anything that the other has not. Two plies, and where these
  give fewer than `ENOUGH`, four as well, with no two stones of one colour in touch.
- *A stone to swap.* Where seat 1 may swap the first stone, it is the opening. It stands on one of the two
  outermost rings, where it is worth least, and seat 1 has its choice of the sides.
- *Cells alike.* Where seat 0 places one stone and then seat 1 two, all three stand on cells that the board's
  symmetries carry into one another: no stone is better placed than another, and their numbers are
  those with which the game begins anyway.

Whoever moves first keeps the advantage that the ruleset gives; a match plays its opening twice, seats exchanged.
Openings that are alike under a symmetry of the game are one. They fill at most an eighth of the board, so on
the smallest boards there is none but the empty one. docs/decisions/0007-openings.md has the reasons.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Final

from engines.rules.grid import neighbours
from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import EMPTY, Position, Ruleset

# An opening as text, its turns in canonical notation.
Opening = tuple[str, ...]
ENOUGH: Final = 30
_CELLS_PER_STONE: Final = 8

# A symmetry of the board: (row, column, highest row) to (row, column).
Symmetry = Callable[[int, int, int], tuple[int, int]]
# These keep the goal sides where they are, those in the diagonals exchange them.
_KEEPING: Final[tuple[Symmetry, ...]] = (
    lambda row, column, _: (row, column),
    lambda row, column, top: (top - row, column),
    lambda row, column, top: (row, top - column),
    lambda row, column, top: (top - row, top - column),
)
_HALF_TURN: Final = _KEEPING[3]
_DIAGONAL: Final[tuple[Symmetry, ...]] = (
    lambda row, column, _: (column, row),
    lambda row, column, top: (top - column, top - row),
)
_QUARTER_TURNS: Final[tuple[Symmetry, ...]] = (
    lambda row, column, top: (column, top - row),
    lambda row, column, top: (top - column, row),
)


@cache
def openings(ruleset: Ruleset, size: int) -> tuple[Opening, ...]:
    """Every opening of the ruleset on this board, always in the same order; only the empty one where there is no other.

    Raises SetupError for a size that is not the ruleset's.
    """
    return tuple(_openings_of(ruleset.start(size))) or ((),)


class Bag:
    """The openings from which a pair of bots draws: none comes again before all have been drawn."""

    def __init__(self, every: Sequence[Opening], used: Iterable[Opening] = ()) -> None:
        """`used` are those that the pair has had, in any order; what is not among `every` does not matter."""
        self._times = dict.fromkeys(every, 0)
        for opening, times in Counter(used).items():
            if opening in self._times:
                self._times[opening] = times
        self._left: list[Opening] = []

    def draw(self, seed: int) -> Opening:
        """One of those drawn least often so far, chosen by the seed."""
        if not self._left:
            least = min(self._times.values())
            self._left = [opening for opening, times in self._times.items() if times == least]
        # Of all that random.Random offers, only random() is promised to stay as it is.
        opening = self._left.pop(int(Random(seed).random() * len(self._left)))  # noqa: S311 - a draw to be repeated
        self._times[opening] += 1
        return opening


def draw(ruleset: Ruleset, size: int, seed: int, used: Iterable[Opening] = ()) -> Opening:
    """The opening that the seed draws for a pair that has already had those in `used`. Raises SetupError."""
    return Bag(openings(ruleset, size), used).draw(seed)


# --- making them -----------------------------------------------------------------------------


def _openings_of(start: Position) -> list[Opening]:
    keeping = _KEEPING if start.has_goal_sides else (*_KEEPING, *_DIAGONAL, *_QUARTER_TURNS)
    first = next((cell for cell in range(start.size**2) if start.is_legal((cell,))), None)
    if first is None:
        # Nothing is known about a game that does not begin with one stone.
        return []
    second = start.after((first,))
    if second.is_legal((SWAP,)):
        # Of the symmetries, only the half turn is also one of boards that have diagonal neighbours on one side.
        return _distinct(start, _stones_to_swap(start.size), (_KEEPING[0], _HALF_TURN))
    if not any(second.is_legal((cell,)) for cell in range(start.size**2)):
        return _distinct(start, _alike(start), keeping)
    pairs = _distinct(start, _mirrored(start, 1), keeping)
    return pairs if len(pairs) >= ENOUGH else pairs + _distinct(start, _mirrored(start, 2), keeping)


def _stones_to_swap(size: int) -> Iterator[list[Turn]]:
    for cell in range(size * size):
        if min(*divmod(cell, size), *(size - 1 - place for place in divmod(cell, size))) < 2:
            yield [(cell,)]


def _mirrored(start: Position, pairs: int) -> Iterator[list[Turn]]:
    """Each of so many stones of seat 0, followed by its image, by all that exchange the seats and undo themselves."""
    beside = neighbours(start.size)
    for mirror in _DIAGONAL if start.has_goal_sides else (*_DIAGONAL, *_KEEPING[1:]):
        image = _table(mirror, start.size)
        for cells in product(range(start.size**2), repeat=pairs):
            if not any(one in beside[other] for one, other in combinations(cells, 2)):
                yield [(stone,) for cell in cells for stone in (cell, image[cell])]


def _alike(start: Position) -> Iterator[list[Turn]]:
    tables = [_table(symmetry, start.size) for symmetry in (*_KEEPING, *_DIAGONAL, *_QUARTER_TURNS)]
    for cell in range(start.size**2):
        for others in combinations(sorted({table[cell] for table in tables} - {cell}), 2):
            yield [(cell,), others]


def _distinct(start: Position, sequences: Iterable[list[Turn]], keeping: Iterable[Symmetry]) -> list[Opening]:
    """Those that can be played; of several that are alike under the symmetries that keep the game, the first."""
    tables = [_table(symmetry, start.size) for symmetry in keeping]
    found: dict[bytes, Opening] = {}
    for turns in sequences:
        if _CELLS_PER_STONE * sum(map(len, turns)) <= start.size**2 and (played := _play(start, turns)):
            stones, opening = played
            found.setdefault(min(bytes(stones[cell] for cell in table) for table in tables), opening)
    return list(found.values())


def _play(start: Position, turns: list[Turn]) -> tuple[bytes, Opening] | None:
    """The board after these turns, and their text; None when they are not legal, remove stones or end the game."""
    position = start
    opening = []
    for turn in turns:
        if not position.is_legal(turn):
            return None
        opening.append(position.format(turn))
        position = position.after(turn)
    whole = position.stones.count(EMPTY) == start.size**2 - sum(map(len, turns))
    return (position.stones, tuple(opening)) if whole and position.outcome is None else None


@cache
def _table(symmetry: Symmetry, size: int) -> tuple[int, ...]:
    """Where the symmetry carries each cell."""
    places = (symmetry(*divmod(cell, size), size - 1) for cell in range(size * size))
    return tuple(row * size + column for row, column in places)
