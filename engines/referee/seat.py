"""One seat of a game: sends the bot its commands, reads its answers, and keeps its clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from engines.records.time_control import Clock, ClockKind, TimeControl, seconds_text
from engines.referee.clock import Deadline, HandshakeDeadline, TurnTimer
from engines.referee.conduct import BotFault, Move, out_of_memory, printable_line
from engines.referee.gtp import LIST_BYTES, Channel, Process
from engines.referee.host import HostStarved, StarvationMonitor
from engines.rules.outcome import Forfeit
from engines.rules.ruleset import Ruleset
from engines.sandbox.isolation.limits import Limits
from engines.sandbox.processes.watch import tree_cpu_seconds
from engines.view import WORD, View

_OPTIONAL: Final = ("set_ruleset", "time_settings", "time_left")
_PROGRAM_KEPT: Final = 80
_VERSION: Final = "2"


@dataclass(frozen=True, slots=True)
class Player:
    """A player: the bot's name for the record, and a function that starts its process.

    `excusable` is called before a starved host excuses a loss on time. If it returns False, the loss counts. If not
    `timed`, the bot is not told its time: it plays as in a game without a limit.
    """

    name: str
    start: Callable[[], Process]
    excusable: Callable[[], bool] = lambda: True
    timed: bool = True

    def sit(self, number: int, limits: Limits) -> "Seat":
        """Start the bot, and return its seat in a new game."""
        return Seat(number, self, limits)


class Seat:
    """One seat of one game. Every fault of the bot is raised as a BotFault."""

    def __init__(self, number: int, player: Player, limits: Limits) -> None:
        self.name = player.name
        self.process = player.start()
        self.channel = Channel(self.process, limits)
        self.program = ""
        self._excusable = player.excusable
        self._timed = player.timed
        self.handshake_seconds = 0.0
        self._number = number
        self._limits = limits
        self._known: frozenset[str] = frozenset()
        self.timer: Deadline | TurnTimer

    def handshake(self, ruleset: Ruleset, size: int, control: TimeControl, kind: ClockKind,
                  opening: Sequence[tuple[str, str]]) -> None:
        """Set up the game and send the (colour, turn) pairs of the opening. Not charged, but the total time is limited.

        The CPU time since the bot's start is also limited, because bots could otherwise use other bots' cores without
        being charged.
        """
        self.clock = Clock(control, kind)
        self.kind = kind
        self.colour = ruleset.colours[self._number]
        seconds = self._limits.handshake_seconds
        self._watch = StarvationMonitor(self.process.pid, self._cpu_since_start)
        self.timer = deadline = HandshakeDeadline(seconds, self._limits.handshake_cpu_seconds, self._cpu_since_start,
                                                  self._watch.begin)
        try:
            self._ask_who(deadline)
            if "set_ruleset" in self._known:
                self._tell(f"set_ruleset {ruleset.slug}", deadline)
            self._tell(f"boardsize {size}", deadline)
            self._tell("clear_board", deadline)
            if "time_settings" in self._known:
                self.channel.ask(self._time_settings(control), deadline)
            for news in opening:
                self._tell_turn(news, deadline)
            if deadline.overspent():
                raise BotFault(Forfeit.TIME, f"it used too much CPU time before the game ({deadline.spent()})")
        finally:
            self.handshake_seconds = deadline.wall()

    def move(self, news: tuple[str, str] | None) -> Move:
        """Send the other seat's (colour, turn), if any, request a turn, and charge the clock for both.

        Charging starts with the first command of the turn, so that the bot cannot think for free during `play`.
        """
        self._watch = StarvationMonitor(self.process.pid, self._cpu_since_start)
        self.timer = timer = TurnTimer(self.clock.balance, self.kind, self.process.cpu_seconds, self._watch.begin)
        if news is not None:
            self._tell_turn(news, timer)
        if "time_left" in self._known:
            self.channel.ask(self._time_left(), timer)
        text, view = _with_view(self._tell(f"genmove {self.colour}", timer))
        move = Move(text, timer.charged(), timer.wall(), view)
        # A child process may be killed for its memory use while the bot itself continues.
        if self.process.memory_exceeded():
            raise out_of_memory()
        self.clock.charge(move.charged)
        if self.clock.flagged:
            raise BotFault(Forfeit.TIME, f"its answer came too late ({timer.spent()})", printable_line(text.encode()))
        return move

    def excuse(self, fault: BotFault) -> str:
        """Return the fault in words. Raises HostStarved if the host has caused it; call it at once.

        That is a loss on time on a starved host, or any fault of a bot that lost a process because the host, and not
        the bot, ran out of memory. A bot that is killed by another process is at fault, because it could do so itself.
        """
        if starved := self._starved(fault):
            if self._excusable():
                how = "on time" if fault.kind is Forfeit.TIME else f"by {fault.kind.value}"
                raise HostStarved(f"{self.name} would have lost {how}, but {starved}", self._number) from fault
            return f"{fault}; {starved}, but a busy host has already excused this bot too often today"
        return str(fault)

    def _starved(self, fault: BotFault) -> str:
        """Return in words what the host did to the bot, or ""."""
        if self.process.killed_for_others():
            return "the host ran out of memory and killed one of its processes"
        if fault.kind is Forfeit.TIME and not self.timer.overspent():
            return self._watch.verdict(wall_is_charged=self.kind is ClockKind.WALL)
        return ""

    def _cpu_since_start(self) -> float:
        """Return the CPU time of the bot's whole tree; without a cgroup, the part that can be measured."""
        used = self.process.cpu_seconds()
        return tree_cpu_seconds(self.process.pid) if used is None else used

    # --- commands ----------------------------------------------------------------------------

    def _tell(self, command: str, timer: Deadline | TurnTimer) -> str:
        """Send a command that no bot may refuse, and return the answer."""
        success, text = answer = self.channel.ask(command, timer)
        if not success:
            raise _breach(f"it refused {command!r}", answer)
        return text

    def _tell_turn(self, news: tuple[str, str], timer: Deadline | TurnTimer) -> None:
        """Send the other seat's turn. The answer must be empty: text in it would be a turn that was not requested."""
        command = f"play {news[0]} {news[1]}"
        success, text = answer = self.channel.ask(command, timer, fits=lambda success, text: success and not text)
        if not success:
            raise _breach(f"it refused {command!r}", answer)
        if text:
            raise _breach(f"its answer to {command!r} is not empty", answer)

    def _ask_who(self, deadline: Deadline) -> None:
        """Ask for the bot's name and commands. A bot may refuse any of these commands, but must answer."""
        success, version = answer = self.channel.ask(
            "protocol_version", deadline, fits=lambda success, text: not success or text == _VERSION)
        if success and version != _VERSION:
            wrong = "does not speak version 2 of the protocol" if version else "gave 'protocol_version' an empty answer"
            raise _breach(f"it {wrong}: answer `2`, or `?`", answer)
        said = [text for success, text in (self.channel.ask(question, deadline) for question in ("name", "version"))
                if success]
        self.program = printable_line(" ".join(said).encode())[:_PROGRAM_KEPT]
        success, names = self.channel.ask("list_commands", deadline, LIST_BYTES)
        if success:
            self._known = frozenset(names.split())
        else:
            self._known = frozenset(name for name in _OPTIONAL
                                    if self.channel.ask(f"known_command {name}", deadline) == (True, "true"))
        if not self._timed:
            self._known -= {"time_settings", "time_left"}

    def _time_settings(self, control: TimeControl) -> str:
        """Return the time_settings command. GTP has no increments; overtime of one stone per period comes closest.

        A bot that keeps to such overtime never runs out of time. A fixed time per turn has no main time and one stone
        per period. GTP's times are whole numbers, and Go programs reject other numbers; a bot that supports
        `set_ruleset` gets exact times.
        """
        if control.per_turn:
            return f"time_settings 0 {self._per_turn(control.per_turn)} 1"
        if "set_ruleset" in self._known:
            base, increment = seconds_text(control.base), seconds_text(control.increment)
        else:
            base, increment = str(max(1, int(control.base))), str(int(control.increment))
        # In GTP, a period without stones means no limit at all, and stones without a period have no meaning.
        return f"time_settings {base} {increment} {0 if increment == '0' else 1}"

    def _time_left(self) -> str:
        left = self.clock.remaining
        if self.clock.control.per_turn:
            return f"time_left {self.colour} {self._per_turn(left)} 1"
        exact = "set_ruleset" in self._known
        return f"time_left {self.colour} {seconds_text(left) if exact else str(int(left))} 0"

    def _per_turn(self, seconds: float) -> str:
        """Return a fixed time per turn as text; whole seconds are at least 1, because a period of 0 is no overtime."""
        return seconds_text(seconds) if "set_ruleset" in self._known else str(max(1, int(seconds)))


def _with_view(answer: str) -> tuple[str, View | None]:
    """Return the turn in the answer, and the view below it. A malformed view is ignored, any other line is kept."""
    turn, _, rest = answer.partition("\n")
    if rest.split(None, 1)[:1] != [WORD]:
        return answer, None
    return turn, View.parse(rest)


def _breach(message: str, answer: tuple[bool, str]) -> BotFault:
    """Return the fault for an answer that is well-formed but not what the protocol requires."""
    success, text = answer
    return BotFault(Forfeit.PROTOCOL, message, printable_line(f"{'=' if success else '?'} {text}".encode()))
