"""An evaluator and an estimator for any ruleset, which use only its rules and random playouts."""

from random import Random
from typing import ClassVar, Final

from engines.native import knows
from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.search.estimate import ANCHORS
from engines.search.judge import StaticEvaluation
from engines.search.playouts import LONGEST, PlayoutSample, native_sample

# Playouts per estimate; the visits of the tree provide more. The evaluator has no tree and needs more playouts.
_PLAYOUTS: Final = 4
_JUDGED: Final = 12


class Playouts:
    """Estimates chances by random playouts."""

    anchors: ClassVar[tuple[int, int, int]] = ANCHORS

    def sample(self, position: Position, partial: Turn, rng: Random) -> PlayoutSample:
        return _sample(position, partial, rng, _PLAYOUTS)


class GeneralJudge:
    """Ranks all steps equally, and rates a position by playouts, with the same result for the same position."""

    def rank(self, position: Position, partial: Turn, steps: tuple[int, ...]) -> list[float]:
        return [1.0] * len(steps)

    def glance(self, position: Position, partial: Turn) -> StaticEvaluation:
        """Return no opinion: the playouts are better."""
        return StaticEvaluation()

    def rate(self, position: Position, seat: int) -> float:
        """Return the chance of the seat, which is not the seat to move; a draw counts half."""
        rng = Random(position.stones)  # noqa: S311 - a bot's choices are no secrets
        return 1 - _sample(position, (), rng, _JUDGED).value


def _sample(position: Position, partial: Turn, rng: Random, playouts: int) -> PlayoutSample:
    if knows(position.slug):
        return native_sample(position, partial, rng, playouts)
    seat, cells = position.seat_to_move, len(position.stones)
    won, held, held_won = 0.0, [0] * cells, [0.0] * cells
    for _ in range(playouts):
        last = _play_out(position, partial, rng)
        result = 0.5 if last.outcome is None or last.outcome.winner is None else float(last.outcome.winner == seat)
        won += result
        for cell, stone in enumerate(last.stones):
            if stone == seat + 1:
                held[cell] += 1
                held_won[cell] += result
    return PlayoutSample(won / playouts, playouts, held, held_won)


def _play_out(position: Position, partial: Turn, rng: Random) -> Position:
    """Return the position at the end of the game, or where the playout reached its maximum length."""
    turn = position.complete_at_random(partial, rng) if partial else position.random_turn(rng)
    for _ in range(LONGEST * len(position.stones)):
        position = position.after(turn)
        if position.outcome is not None:
            break
        turn = position.random_turn(rng)
    return position
