"""Openings: the first turns of a game, set for both sides, so that games between deterministic bots vary.

Their balance follows from the rules alone, not from an evaluation of positions:

- *Mirrored pairs.* Seat 1's stones are the images of seat 0's under a reflection of the board that exchanges the goal
  sides; in a game without goal sides, under any reflection or half turn. The position is therefore its own image with
  the colours exchanged, and neither side has an advantage except the move. Two plies, and if these give fewer than
  `ENOUGH` openings, also four plies, in which no two stones of one colour touch.
- *A stone to swap.* If seat 1 may swap the first stone, that stone is the opening. It is on one of the two
  outermost rings, where it is worth least, and seat 1 can choose between the sides.
- *Equivalent cells.* If seat 0 places one stone and seat 1 then places two, all three are on cells that the board's
  symmetries map to each other: no stone is better placed than another, and the game starts with these numbers of
  stones anyway.

The first player keeps the advantage that the ruleset gives; a match plays its opening twice, with the seats exchanged.
Openings that are equal under a symmetry of the game count as one. Openings fill at most an eighth of the board, so the
smallest boards have only the empty opening. docs/decisions/0007-openings.md gives the reasons.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Final

from engines.rules.grid import neighbours
from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import EMPTY, Position, Ruleset
from engines.rules.symmetry import DIAGONAL, EVERY, HALF_TURN, REFLECTIONS, Symmetry, table

# An opening as text, its turns in canonical notation.
Opening = tuple[str, ...]
ENOUGH: Final = 30
_CELLS_PER_STONE: Final = 8


@cache
def openings(ruleset: Ruleset, size: int) -> tuple[Opening, ...]:
    """Return every opening of the ruleset on this board, in a fixed order; only the empty one if there is no other.

    Raises SetupError if the ruleset does not have this size.
    """
    return tuple(_openings_of(ruleset.start(size))) or ((),)


class Bag:
    """The openings from which a pair of bots draws: no opening is repeated before all have been drawn."""

    def __init__(self, every: Sequence[Opening], used: Iterable[Opening] = ()) -> None:
        """Initialise with the openings the pair has already `used`, in any order; any not in `every` are ignored."""
        self._times = dict.fromkeys(every, 0)
        for opening, times in Counter(used).items():
            if opening in self._times:
                self._times[opening] = times
        self._left: list[Opening] = []

    def draw(self, seed: int) -> Opening:
        """Return one of the openings drawn least often so far, chosen by the seed."""
        if not self._left:
            least = min(self._times.values())
            self._left = [opening for opening, times in self._times.items() if times == least]
        # random() is the only method of random.Random whose sequence is guaranteed not to change.
        opening = self._left.pop(int(Random(seed).random() * len(self._left)))  # noqa: S311 - a draw to be repeated
        self._times[opening] += 1
        return opening


def draw(ruleset: Ruleset, size: int, seed: int, used: Iterable[Opening] = ()) -> Opening:
    """Return the opening that the seed selects for a pair that has already `used` others. Raises SetupError."""
    return Bag(openings(ruleset, size), used).draw(seed)


# --- generation ------------------------------------------------------------------------------


def _openings_of(start: Position) -> list[Opening]:
    keeping = REFLECTIONS if start.has_goal_sides else EVERY
    first = next((cell for cell in range(start.size**2) if start.is_legal((cell,))), None)
    if first is None:
        # There is no kind of opening for games that do not begin with one stone.
        return []
    second = start.after((first,))
    if second.is_legal((SWAP,)):
        # Of these symmetries, only the half turn also keeps boards with neighbours along a single diagonal.
        return _distinct(start, _stones_to_swap(start.size), HALF_TURN)
    if not any(second.is_legal((cell,)) for cell in range(start.size**2)):
        return _distinct(start, _alike(start), keeping)
    pairs = _distinct(start, _mirrored(start, 1), keeping)
    return pairs if len(pairs) >= ENOUGH else pairs + _distinct(start, _mirrored(start, 2), keeping)


def _stones_to_swap(size: int) -> Iterator[list[Turn]]:
    for cell in range(size * size):
        if min(*divmod(cell, size), *(size - 1 - place for place in divmod(cell, size))) < 2:
            yield [(cell,)]


def _mirrored(start: Position, pairs: int) -> Iterator[list[Turn]]:
    """Yield `pairs` stones of seat 0, each followed by its image, for all symmetries that exchange the seats."""
    beside = neighbours(start.size)
    for mirror in DIAGONAL if start.has_goal_sides else (*DIAGONAL, *REFLECTIONS[1:]):
        image = table(mirror, start.size)
        for cells in product(range(start.size**2), repeat=pairs):
            if not any(one in beside[other] for one, other in combinations(cells, 2)):
                yield [(stone,) for cell in cells for stone in (cell, image[cell])]


def _alike(start: Position) -> Iterator[list[Turn]]:
    tables = [table(symmetry, start.size) for symmetry in EVERY]
    for cell in range(start.size**2):
        for others in combinations(sorted({each[cell] for each in tables} - {cell}), 2):
            yield [(cell,), others]


def _distinct(start: Position, sequences: Iterable[list[Turn]], keeping: Iterable[Symmetry]) -> list[Opening]:
    """Return the playable openings; of several that are equal under the game's symmetries, only the first."""
    tables = [table(symmetry, start.size) for symmetry in keeping]
    found: dict[bytes, Opening] = {}
    for turns in sequences:
        if _CELLS_PER_STONE * sum(map(len, turns)) <= start.size**2 and (played := _play(start, turns)):
            stones, opening = played
            found.setdefault(min(bytes(stones[cell] for cell in each) for each in tables), opening)
    return list(found.values())


def _play(start: Position, turns: list[Turn]) -> tuple[bytes, Opening] | None:
    """Return the board after these turns, and their text; None if they are illegal, remove stones or end the game."""
    position = start
    opening = []
    for turn in turns:
        if not position.is_legal(turn):
            return None
        opening.append(position.format(turn))
        position = position.after(turn)
    whole = position.stones.count(EMPTY) == start.size**2 - sum(map(len, turns))
    return (position.stones, tuple(opening)) if whole and position.outcome is None else None
