"""The judge of the games in which a side joins its goal sides."""

from functools import cache
from math import exp
from typing import ClassVar, Final

from engines.rules.notation import SWAP, Turn
from engines.rules.ruleset import Position
from engines.search.games.paths import Paths, distance, shares, shortest_paths
from engines.search.judge import StaticEvaluation

# A word is always worth a look; nothing on the board is worth more than twice 1.
_WORD: Final = 3.0
# Among equal distances, many ways to go are better than few. Small against a whole stone.
_PER_WAY: Final = 0.5
# What the turn is worth, in stones, and how many stones ahead make e : 1 of the chances.
_TURN: Final = 0.5
_STONES_TO_E: Final = 1.5


class ConnectionJudge:
    """Judges by the number of stones that either side still needs, were the other to do nothing."""

    hexagonal: ClassVar[bool] = False

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """A cell is worth what the shortest paths of both sides hang on it."""
        stones, size = bytes(position.board_with(partial)), position.size
        ours, theirs = (shares(self.paths(stones, size, seat), size) for seat in (0, 1))
        nearness = _nearness(size)
        return [_WORD if step < 0 else ours[step] + theirs[step] + nearness[step] for step in steps]

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """The chance by the difference of the distances; a win where one legal stone joins the sides."""
        stones, size, seat = bytes(position.board_with(partial)), position.size, position.seat_to_move
        own, other = (distance(stones, size, who, hexagonal=self.hexagonal) for who in (seat, 1 - seat))
        if own == 1 and not partial and self.can_join(position, stones):
            return StaticEvaluation(1.0, wins=True)
        lead = self.lead(stones, size, seat, own, other) + _TURN
        return StaticEvaluation(1 / (1 + exp(-lead / _STONES_TO_E)))

    def can_join(self, position: Position, stones: bytes) -> bool:
        """Whether a turn may place the one stone that is missing."""
        return True

    def lead(self, stones: bytes, size: int, seat: int, own: int, other: int) -> float:
        """How many stones the seat is ahead, by both sides' distances."""
        return max(-size, min(size, other - own))

    def rate(self, position: Position, seat: int) -> float:
        """The difference of the two distances; where the other may swap, a lead is no good."""
        own, other = (self.paths(position.stones, position.size, who) for who in (seat, 1 - seat))
        lead = other.length - own.length + _PER_WAY * (_breadth(own) - _breadth(other))
        return -abs(lead) if SWAP in position.steps().next[:1] else lead

    def paths(self, stones: bytes, size: int, seat: int) -> Paths:
        """The seat's shortest paths."""
        return shortest_paths(stones, size, seat, hexagonal=self.hexagonal)


class HexJudge(ConnectionJudge):
    """The same where the board is Hex's."""

    hexagonal: ClassVar[bool] = True


@cache
def _nearness(size: int) -> tuple[float, ...]:
    """For each cell, 0.01 at the centre of the board, near 0 in a corner: among equals, the inner ones first."""
    middle = (size - 1) / 2
    return tuple(0.01 * (1 - (abs(row - middle) + abs(column - middle)) / (2 * size))
                 for row in range(size) for column in range(size))


def _breadth(paths: Paths) -> float:
    """0 for a path with a single way at its narrowest place, towards 1 for a broad one."""
    return 1 - 1 / min((place.bit_count() for place in paths.tight), default=1)
