"""The bot's side of the protocol: GTP version 2 on stdin and stdout, where a move is a whole turn.

To write a bot, subclass `Bot`, implement `choose`, and pass an instance to `run`. Everything that a bot prints goes to
stderr, so that a forgotten `print` cannot corrupt an answer. An exception in `choose` ends the process with a traceback
on stderr, which the site shows to the author.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from engines.public import public
from engines.rules.errors import TurnError
from engines.rules.notation import Turn
from engines.view import View

if TYPE_CHECKING:
    from engines.rules.ruleset import Position, Ruleset

__all__ = ["ANY", "Bot", "Clock", "Refusal", "Session", "View", "run"]
ANY: Final = "*"


@public("squarefield.sdk")
class Clock(NamedTuple):
    """The bot's time: `remaining` seconds, infinite if no time was set.

    `increment` is the number of seconds that each turn adds to `remaining`.
    """

    remaining: float = inf
    increment: float = 0.0


@public("squarefield.sdk")
class Refusal(Exception):
    """A command that cannot be carried out; the message is the answer after the question mark."""


@public("squarefield.sdk")
class Bot(ABC):
    """A bot. `rulesets` are the slugs of its rulesets; with exactly one, `set_ruleset` is optional.

    `choose` may set `view`: the site shows it with the game.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    rulesets: ClassVar[Sequence[str]] = (ANY,)
    view: View | None = None

    @abstractmethod
    def choose(self, position: "Position", clock: Clock) -> Turn:
        """Return a legal turn for the seat to move. The game is not over."""


@public("squarefield.sdk")
class Session:
    """One session of the protocol: the commands, the current position, and the two clocks."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.over = False
        self._ruleset: Ruleset | None = None
        self._position: Position | None = None
        self._main, self._increment = inf, 0.0
        self._remaining = [inf, inf]
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: bot.name,
            "version": lambda _: bot.version,
            "known_command": lambda words: "true" if _only(words, "a command") in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "set_ruleset": self._set_ruleset,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "play": self._play,
            "genmove": self._genmove,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
        }
        if len(bot.rulesets) == 1 and bot.rulesets[0] != ANY:
            self._set_ruleset([bot.rulesets[0]])

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, including its final empty line; None for a blank line or a comment."""
        words = "".join(c for c in line.replace("\t", " ").partition("#")[0] if c >= " " and c != "\x7f").split()
        if not words:
            return None
        number = words.pop(0) if words[0].isdecimal() else ""
        try:
            if not words:
                raise Refusal("a number, but no command")
            command = self._commands.get(words[0])
            if command is None:
                raise Refusal(f"unknown command {words[0]!r}")
            return f"={number} {command(words[1:])}".rstrip() + "\n\n"
        except Refusal as refusal:
            return f"?{number} {refusal}\n\n"

    # --- commands ----------------------------------------------------------------------------

    def _quit(self, _: list[str]) -> str:
        self.over = True
        return ""

    def _set_ruleset(self, words: list[str]) -> str:
        slug = _only(words, "a ruleset")
        known = self.bot.rulesets
        if slug not in known and ANY not in known:
            raise Refusal(f"{self.bot.name} does not play {slug!r}; it plays {', '.join(known)}")
        # Imported only when needed, because a bot's process starts again for every game.
        from engines.rules.registry import UnknownRuleset, find
        try:
            self._ruleset = find(slug)
        except UnknownRuleset as unknown:
            raise Refusal(str(unknown)) from None
        self._position = None
        return ""

    def _boardsize(self, words: list[str]) -> str:
        from engines.rules.ruleset import SetupError
        size = _number(_only(words, "a size"))
        if not size.is_integer():
            raise Refusal(f"a size is a whole number, not {size}")
        if self._ruleset is None:
            raise Refusal("no ruleset yet: send set_ruleset first")
        try:
            self._position = self._ruleset.start(int(size))
        except SetupError as error:
            raise Refusal(str(error)) from None
        return ""

    def _clear_board(self, _: list[str]) -> str:
        if self._ruleset is None:
            raise Refusal("no ruleset yet: send set_ruleset first")
        self._position = self._ruleset.start(self._position.size if self._position else None)
        self._remaining = [self._main, self._main]
        return ""

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise Refusal("play needs a colour and a turn")
        position = self._to_move(words[0])
        try:
            self._position = position.play(position.parse(words[1]))
        except TurnError as error:
            raise Refusal(str(error)) from None
        return ""

    def _genmove(self, words: list[str]) -> str:
        position = self._to_move(_only(words, "a colour"))
        if position.outcome is not None:
            raise Refusal(f"the game is over: {position.outcome.reason}")
        turn = self.bot.choose(position, Clock(self._remaining[position.seat_to_move], self._increment))
        self._position = position.play(turn)
        text, view, self.bot.view = position.format(turn), self.bot.view, None
        return text if view is None else f"{text}\n{view.line()}"

    def _time_settings(self, words: list[str]) -> str:
        """Set the main time and the increment. GTP's third number, stones per period, is ignored."""
        if len(words) != 3:
            raise Refusal("time_settings needs three numbers")
        self._main, self._increment, _stones = map(_number, words)
        self._remaining = [self._main, self._main]
        return ""

    def _time_left(self, words: list[str]) -> str:
        if len(words) not in (2, 3):
            raise Refusal("time_left needs a colour and seconds")
        self._remaining[self._seat(words[0])] = _number(words[1])
        return ""

    # --- arguments ---------------------------------------------------------------------------

    def _to_move(self, colour: str) -> "Position":
        position = self._position
        if position is None:
            raise Refusal("no board yet: send boardsize first")
        if self._seat(colour) != position.seat_to_move:
            raise Refusal(f"it is {position.colours[position.seat_to_move]}'s turn")
        return position

    def _seat(self, colour: str) -> int:
        if self._ruleset is None:
            raise Refusal("no ruleset yet: send set_ruleset first")
        colours = self._ruleset.colours
        for seat, name in enumerate(colours):
            if colour.lower() in (name, name[0]):
                return seat
        raise Refusal(f"{colour!r} is neither {colours[0]} nor {colours[1]}")


def run(bot: Bot) -> None:
    """Answer the commands on stdin until `quit` or the end of the input."""
    out, sys.stdout = sys.stdout, sys.stderr
    session = Session(bot)
    while not session.over and (line := sys.stdin.buffer.readline()):
        answer = session.answer(line.decode("utf-8", "replace"))
        if answer is not None:
            out.write(answer)
            out.flush()


def _only(words: list[str], what: str) -> str:
    if len(words) != 1:
        raise Refusal(f"needs {what}")
    return words[0]


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise Refusal(f"{word[:20]!r} is not a number") from None
    if not 0 <= number < inf:
        raise Refusal(f"{word[:20]!r} is not a number of zero or more")
    return number
