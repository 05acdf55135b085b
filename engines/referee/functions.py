"""Players that are Python functions, in the referee's own process. They need no sandbox, and cannot be interrupted."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.records.time_control import Clock, ClockKind, TimeControl
from engines.referee.conduct import BotFault, Move
from engines.rules.errors import NotationError
from engines.rules.notation import Turn, as_turn
from engines.rules.outcome import Forfeit
from engines.rules.ruleset import Position, Ruleset

Chooser = Callable[[Position], Turn | str]


@dataclass(frozen=True, slots=True)
class Function:
    """A player: its name for the record, and a function from a position to a turn or the text of one."""

    name: str
    choose: Chooser

    def sit(self, number: int, _limits: object = None) -> "FunctionSeat":
        """Return the player's seat in a new game."""
        return FunctionSeat(number, self)


class FunctionSeat:
    """The seat of a function, with what `play_game` needs of a `Seat`. An exception in the function is not caught."""

    program = "python function"
    handshake_seconds = 0.0

    def __init__(self, number: int, player: Function) -> None:
        self.name = player.name
        self.process = self.channel = self.timer = _Stub()
        self._number = number
        self._choose = player.choose
        self._said = ""

    def handshake(self, ruleset: Ruleset, size: int, control: TimeControl, kind: ClockKind,
                  opening: Sequence[tuple[str, str]]) -> None:
        """Set up the game, after the turns of the opening."""
        self.clock = Clock(control, kind)
        self.colour = ruleset.colours[self._number]
        self._position = ruleset.start(size)
        for _, text in opening:
            self._follow(text)

    def move(self, news: tuple[str, str] | None) -> Move:
        """Follow the function's last turn and the other seat's, and return the function's next turn."""
        for text in (self._said, news[1] if news else ""):
            if text:
                self._follow(text)
        move = self.choose(self._position)
        self._said = move.text
        return move

    def choose(self, position: Position) -> Move:
        """Call the function, and charge the clock. Raises BotFault if the time was exceeded."""
        began = time.perf_counter()
        said = self._choose(position)
        self.timer.seconds = seconds = time.perf_counter() - began
        text = said if isinstance(said, str) else position.format(self._turn(said))
        self.clock.charge(seconds)
        if self.clock.flagged:
            raise BotFault(Forfeit.TIME, f"its answer came too late ({seconds:.3f} s)", text)
        return Move(text, seconds, seconds)

    def _turn(self, said: object) -> Turn:
        try:
            return as_turn(said)
        except NotationError as error:
            raise NotationError(f"the player {self.name!r} has not returned a turn: {error}") from None

    def excuse(self, fault: BotFault) -> str:
        """Return the fault in words."""
        return str(fault)

    def _follow(self, text: str) -> None:
        self._position = self._position.after(self._position.parse(text))


class _Stub:
    """The process, the channel and the timer of a seat that has no process."""

    seconds = 0.0

    @property
    def log(self) -> "_Stub":
        return self

    def text(self) -> bytes:
        return b""

    def cpu_seconds(self) -> None:
        """Return that CPU time cannot be measured, so that wall-clock time is charged."""

    def charged(self) -> float:
        return self.seconds

    wall = charged

    def ignore(self, _: object = None) -> None:
        """Do nothing: there is no process."""

    freeze = thaw = kill = say_quit = await_exit = collect = ignore
