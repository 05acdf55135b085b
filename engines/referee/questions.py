"""Asks one bot for its turn in a position, with a given time.

The bot is started, receives the turns that led to the position, is asked for one turn, and is killed. Handshake,
timing and checks are the same as in a game (`engines.referee.play`), but there is no result.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.records.record import Fault, GameRecord
from engines.records.time_control import Clock, ClockKind, TimeControl
from engines.referee.conduct import BotFault
from engines.referee.play import judge, stop_bots
from engines.referee.seat import Player, Seat
from engines.rules.errors import TurnError
from engines.rules.registry import find
from engines.rules.ruleset import Position, Ruleset
from engines.sandbox.isolation.limits import DEFAULT, Limits
from engines.view import View


class NoQuestion(ValueError):
    """The question is invalid: the turns cannot be played, or the game is over. `str()` is a sentence."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position, given by the turns that lead to it, and the time left.

    `remaining` is the time in seconds that the seat to move has left in a game at `time_control`.
    """

    ruleset: Ruleset
    size: int
    turns: tuple[str, ...]
    time_control: TimeControl
    remaining: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: a legal `turn` in canonical notation, or "" and the fault that would lose a game.

    `seconds` is the time charged and `wall` the wall-clock time for the turn; `handshake` came before and is not
    charged. `view` is what the bot reported with its turn, if anything.
    """

    turn: str
    fault: Fault | None
    seconds: float
    wall: float
    handshake: float
    clock: ClockKind
    program: str = ""
    stderr: bytes = field(default=b"", repr=False)
    view: View | None = None


def position_after(ruleset: Ruleset, size: int, turns: Sequence[str]) -> Position:
    """Return the position after these turns. Raises NoQuestion if they cannot be played, SetupError for a bad size."""
    return retold(ruleset, size, turns)[0]


def clock_at(record: GameRecord, ply: int) -> float:
    """Return the remaining seconds of the seat to move after `ply` plies of a recorded game."""
    ruleset = find(record.ruleset)
    position = ruleset.start(record.size)
    clocks = [Clock(record.time_control, record.clock) for _ in ruleset.colours]
    for text, seconds in record.plies[:ply]:
        if seconds is not None:
            clocks[position.seat_to_move].charge(seconds)
        position = position.after(position.parse(text))
    return clocks[position.seat_to_move].remaining


def ask(question: Question, player: Player, *, limits: Limits = DEFAULT) -> Answer:
    """Start the bot, ask the question, check the answer, and kill the bot.

    Raises NoQuestion or SetupError if the question is invalid, HostStarved if the bot could not have kept to its time
    because of the host, and any exception from `player`.
    """
    position, told = retold(question.ruleset, question.size, question.turns)
    if position.outcome is not None:
        raise NoQuestion(f"The game is over here: {position.outcome.reason}.")
    seat = Seat(position.seat_to_move, player, limits)
    try:
        kind = ClockKind.WALL if seat.process.cpu_seconds() is None else ClockKind.CPU
        turn, view, fault, began = "", None, None, time.thread_time()
        try:
            seat.handshake(question.ruleset, question.size, question.time_control, kind, told)
            seat.clock.balance = question.remaining
            move = seat.move(None)
            seconds, wall = move.charged, move.wall
            turn, view = position.format(judge(position, move.text)), move.view
        except BotFault as met:
            fault = _fault(seat, met, position, len(told), began)
            seconds, wall = fault.seconds, fault.wall
        stop_bots([seat], None if fault is None else seat)
        return Answer(turn, fault, seconds, wall, seat.handshake_seconds, kind, seat.program, seat.channel.log.text(),
                      view)
    finally:
        seat.process.kill()


def retold(ruleset: Ruleset, size: int, turns: Sequence[str]) -> tuple[Position, list[tuple[str, str]]]:
    """Return the position after these turns, and the turns as sent to a bot: colour and canonical text of each.

    Raises NoQuestion if a turn cannot be played, SetupError for a bad size.
    """
    position: Position = ruleset.start(size)
    told: list[tuple[str, str]] = []
    for text in turns:
        try:
            turn = position.parse(text)
            position.check(turn)
        except TurnError as error:
            raise NoQuestion(f"The turn {text[:40]!r} cannot be played after {len(told)} plies: {error}.") from None
        told.append((ruleset.colours[position.seat_to_move], position.format(turn)))
        position = position.after(turn)
    return position, told


def _fault(seat: Seat, met: BotFault, position: Position, ply: int, began: float) -> Fault:
    """Return the fault for the answer. Raises HostStarved if the host is at fault."""
    seconds, wall = seat.timer.charged(), seat.timer.wall()
    return Fault(position.seat_to_move, met.kind, met.line, seat.excuse(met), ply, seconds, wall,
                 time.thread_time() - began)
