"""What a bot answers: a move, or a fault that makes it forfeit, and the wording of its messages."""

import signal
from dataclasses import dataclass
from typing import Final

from engines.public import Copyable
from engines.rules.outcome import Forfeit
from engines.view import View

LINE_KEPT: Final = 500


class BotFault(Copyable, Exception):
    """A bot broke the rules of conduct. `line` is its output at fault, truncated, or ""; `str()` is a sentence."""

    def __init__(self, kind: Forfeit, message: str, line: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


@dataclass(frozen=True, slots=True)
class Move:
    """A bot's answer to genmove, as written, its time in seconds (charged and wall-clock), and its view, if any."""

    text: str
    charged: float
    wall: float
    view: View | None = None


def printable_line(raw: bytes) -> str:
    """Return a bot's output as text that can be stored: invalid UTF-8 and NUL escaped, truncated at LINE_KEPT.

    Other control characters are kept: escape the line before display.
    """
    text = raw[:4 * LINE_KEPT].decode("utf-8", "backslashreplace").replace("\0", "\\x00").strip("\r\n")
    return text if len(text) <= LINE_KEPT else text[:LINE_KEPT] + "…"


def out_of_memory() -> BotFault:
    """Return the fault of a bot whose process tree exceeded its memory limit."""
    return BotFault(Forfeit.MEMORY, "it, or a process that it started, exceeded the memory limit")


def stray_output(data: bytes, limit: int, when: str) -> BotFault:
    """Return the fault for unsolicited output: a protocol error, or too much output if it is long and has no lines."""
    if len(data) > limit and b"\n" not in data:
        return BotFault(Forfeit.OUTPUT, f"it wrote more than {limit} bytes {when}", printable_line(data))
    return BotFault(Forfeit.PROTOCOL, f"it wrote to stdout {when}", printable_line(data.lstrip().split(b"\n")[0]))


def exit_words(status: int | None) -> str:
    """Describe the end of a bot by its exit status; None means that it only closed its pipes."""
    if status is None:
        return "closed its output or input"
    # A shell or a sandbox reports a child's signal as 128 + n.
    number = -status if status < 0 else status - 128 if 128 < status < 128 + 65 else 0
    if not number:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(number).name}"
    except ValueError:
        return f"was killed by signal {number}"
