"""What a bot can do wrong: the exception that says so, and the words for it."""

import signal
from typing import Final

from engines.rules.outcome import Forfeit

LINE_KEPT: Final = 500


class BotFault(Exception):
    """A bot broke the rules of conduct. `line` is what it wrote, bounded, or ""; `str()` is a sentence."""

    def __init__(self, kind: Forfeit, message: str, line: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


def printable_line(raw: bytes) -> str:
    """A bot's bytes as text that can be stored: bad UTF-8 and NUL written as escapes, cut at LINE_KEPT.

    Other control characters stay as they were; whoever shows the line must escape it.
    """
    text = raw[:4 * LINE_KEPT].decode("utf-8", "backslashreplace").replace("\0", "\\x00").strip("\r\n")
    return text if len(text) <= LINE_KEPT else text[:LINE_KEPT] + "…"


def out_of_memory() -> BotFault:
    """The fault of a bot whose process tree went over its memory limit."""
    return BotFault(Forfeit.MEMORY, "it, or a process that it started, went over the memory limit")


def stray_output(data: bytes, limit: int, when: str) -> BotFault:
    """The fault in output nobody asked for: lines break the protocol, a flood without any is too much output."""
    if len(data) > limit and b"\n" not in data:
        return BotFault(Forfeit.OUTPUT, f"it wrote more than {limit} bytes {when}", printable_line(data))
    return BotFault(Forfeit.PROTOCOL, f"it wrote to stdout {when}", printable_line(data.lstrip().split(b"\n")[0]))


def exit_words(status: int | None) -> str:
    """How a bot went, by its exit status, or by None when it only closed its pipes."""
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
