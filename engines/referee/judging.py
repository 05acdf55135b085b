"""The parts of a game that need no process: the opening, the check of an answer, and the result.

`engines.referee.play` uses them for programs, the library also for functions, on any operating system.
"""

from collections.abc import Sequence

from engines.public import public
from engines.records.record import EndedBy, Fault, Result, name_cells
from engines.referee.conduct import BotFault, printable_line
from engines.rules.errors import TurnError
from engines.rules.notation import Turn
from engines.rules.outcome import Adjudication, Forfeit
from engines.rules.ruleset import Position, Ruleset


@public("squarefield.referee")
class OpeningError(ValueError):
    """The opening cannot be played, or already ends the game."""


def open_game(ruleset: Ruleset, size: int | None, opening: Sequence[str]) -> tuple[Position, list[str]]:
    """Return the position after the opening, and its turns as the rules write them.

    Raises SetupError for a size that the ruleset does not have, and OpeningError.
    """
    position = ruleset.start(size)
    written = []
    for text in opening:
        try:
            turn = position.parse(text)
            written.append(position.format(turn))
            position = position.play(turn)
        except TurnError as error:
            raise OpeningError(f"the turn {text!r} of the opening cannot be played: {error}") from None
        if position.outcome is not None:
            raise OpeningError(f"the opening ends the game: {position.outcome.reason}")
    return position, written


def judge(position: Position, text: str) -> Turn:
    """Return the turn in a bot's answer. Raises BotFault if the text is not a turn or the turn is illegal."""
    try:
        turn = position.parse(text)
        position.check(turn)
    except TurnError as error:
        raise BotFault(Forfeit.ILLEGAL, str(error), printable_line(text.encode())) from None
    return turn


def result_of(position: Position, fault: Fault | None) -> Result:
    """Return the result of a game that ended in this position, or by this fault, or by the ply cap."""
    if fault is not None:
        return Result(1 - fault.seat, EndedBy.CONDUCT, fault.kind)
    outcome = position.outcome
    if outcome is None:
        return Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)
    return Result(outcome.winner, EndedBy.RULE, outcome.reason, name_cells(outcome.cells, position.size),
                  outcome.counts)
