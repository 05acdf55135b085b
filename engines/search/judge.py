"""What a bot that looks one turn ahead must judge, and who judges for which ruleset."""

from typing import NamedTuple, Protocol

from engines.rules.notation import Turn
from engines.rules.ruleset import Position


class StaticEvaluation(NamedTuple):
    """What is seen of a position without looking ahead, by the seat to move.

    `chance` is its chance to win, from 0 to 1, None where the judge has no opinion; `wins` that it
    certainly wins at once.
    """

    chance: float | None = None
    wins: bool = False


class Evaluator(Protocol):
    """An opinion about one ruleset's positions, made for speed and not for truth."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        """How promising each step is after the stones in `partial`: 0 for useless, in no fixed unit."""

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """What is seen at once after the stones in `partial`. The game is not over."""

    def rate(self, position: Position, seat: int) -> float:
        """How good a position that is not over is for the seat that has just moved."""


class NotSearched(LookupError):
    """The search has no judge or no estimator for a ruleset; `str()` says where one is added."""


def judge_for(slug: str) -> Evaluator:
    """The ruleset's judge. Imported by name, so that a bot loads only what it plays. Raises NotSearched."""
    if slug == "squ":
        from engines.search.squares import SquaresJudge
        return SquaresJudge()
    if slug == "squaresquared":
        from engines.search.edges import EdgesJudge
        return EdgesJudge()
    if slug in ("scware", "ooscg-w", "square-grid-hex"):
        from engines.search.connection import ConnectionJudge
        return ConnectionJudge(hexagonal=slug == "square-grid-hex")
    raise NotSearched(f"no judge knows the ruleset {slug!r}: add one to judge_for in engines/search/judge.py")


def stones_with(position: Position, partial: Turn) -> bytearray:
    """The board with the stones of an unfinished turn; what OOSCG-W's first stone removes is gone."""
    board = bytearray(position.stones)
    own = position.seat_to_move + 1
    if partial and position.slug == "ooscg-w":
        from engines.rules.games.ooscg_w import crosscut_enemies
        for cell in crosscut_enemies(board, position.size, own - 1, partial[0]):
            board[cell] = 0
    for cell in partial:
        if cell >= 0:
            board[cell] = own
    return board
