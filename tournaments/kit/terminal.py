"""Terminal output of the kit: untrusted text made safe, live games and their results."""

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Final

from engines.records.record import GameRecord, TurnRecord
from engines.records.replay import result_sentence
from engines.records.time_control import TimeControl
from engines.rules.drawing import MARKS, board_text
from engines.rules.ruleset import Position, Ruleset
from engines.sandbox import Sandbox, SandboxUnavailable, Tier

HOME_AND_CLEAR: Final = "\x1b[H\x1b[J"
_LINE_AND_CLEAR: Final = "\r\x1b[K"
_LAST_WORDS: Final = 20
_LONGEST_LINE: Final = 300


def draws() -> bool:
    """Return whether standard output is a terminal that can redraw."""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def shown(text: str) -> str:
    """Return untrusted text made safe for a terminal: unprintable and unencodable characters are escaped."""
    plain = "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)
    encoding = sys.stdout.encoding or "utf-8"
    return plain.encode(encoding, "backslashreplace").decode(encoding)


def refused(what: str, error: Exception) -> int:
    """Print to standard error what failed and why. Returns the exit status 2."""
    unavailable = isinstance(error, SandboxUnavailable)
    remedy = " (for your own bots, --unsafe-local runs them without a sandbox)" if unavailable else ""
    print(f"{what}: {shown(str(error))}{remedy}", file=sys.stderr)
    return 2


def tell_tier(sandbox: Sandbox) -> None:
    """Print the tier of the sandbox if it is not the standard one."""
    if sandbox.tier is not Tier.STANDARD:
        print(f"sandbox: {sandbox.tier} ({shown(sandbox.reason)})", file=sys.stderr)


class Screen:
    """Display of a game in progress: a board redrawn in a terminal, otherwise a line for each turn."""

    def __init__(self, ruleset: Ruleset, size: int, control: TimeControl, names: tuple[str, str],
                 given: Sequence[str] = ()) -> None:
        self._ruleset = ruleset
        self._who = [f"{name} ({colour})" for name, colour in zip(names, ruleset.colours, strict=True)]
        self._title = f"{ruleset.name}, {size}×{size}, {control} s: {self._who[0]} against {self._who[1]}"
        self._draws = draws()
        self._ply = len(given)
        if not self._draws:
            print(shown(self._title), flush=True)
            if given:
                print(shown(f"opening: {', '.join(given)}"), flush=True)

    def show(self, position: Position, turn: TurnRecord) -> None:
        """Show the position after a turn."""
        colour = self._ruleset.colours[self._ply % 2]
        self._ply += 1
        line = f"{self._ply:3}  {colour:5}  {turn.turn}  {turn.seconds:.3f} s"
        if not self._draws:
            print(line, flush=True)
            return
        legend = "   ".join(f"{mark} {who}" for mark, who in zip(MARKS[1:], self._who, strict=True))
        picture = (shown(self._title), "", board_text(position.rows()), "", shown(legend), line)
        print(HOME_AND_CLEAR + "\n".join(picture), flush=True)


class Progress:
    """Display of progress: one line rewritten in a terminal, otherwise a line for each step."""

    def __init__(self) -> None:
        self._draws = draws()

    def show(self, text: str, *, instead: str) -> None:
        """Replace the line by the text, truncated to fit; without a terminal, print `instead`."""
        if self._draws:
            width = shutil.get_terminal_size().columns
            print(f"{_LINE_AND_CLEAR}{shown(text)[:width - 1]}", end="", flush=True)
        else:
            print(shown(instead), flush=True)

    def end(self) -> None:
        """Remove the line."""
        if self._draws:
            print(_LINE_AND_CLEAR, end="", flush=True)


def show_end(record: GameRecord) -> None:
    """Print the result as a sentence, and the details of a forfeit."""
    print(shown(result_sentence(record)))
    fault = record.fault
    if fault is None:
        return
    name = record.seats[fault.seat].name
    print(shown(f"{name}: {fault.message}"))
    if fault.line:
        print(shown(f"{name} wrote: {fault.line}"))
    show_log(record.stderr[fault.seat].decode("utf-8", "backslashreplace"))


def show_log(log: str) -> None:
    """Print the last lines of a bot's or a build's output to standard error."""
    for line in log.splitlines()[-_LAST_WORDS:]:
        print(f"  stderr: {shown(line[:_LONGEST_LINE])}", file=sys.stderr)
