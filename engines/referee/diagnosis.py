"""The one line, of all that a build or a bot wrote, that its author must look at first."""

import re
from collections.abc import Callable, Iterable
from typing import Final

_LINE_KEPT: Final = 300
_FRAME: Final = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
# Python's, Node's and Java's own last words: NameError: …, TypeError: …, java.lang.IllegalStateException: …
_RAISED: Final = re.compile(r"(Exception in thread .*|[\w.]*(Error|Exception|Interrupt)\b.*)")
_PLACE: Final = re.compile(r"\S*\bat (?P<java>.*\(\w+\.java:\d+\))|(?P<node>/\S+\.[cm]?js:\d+)")
# gcc, clang, javac, cmake, ld and make, and most others.
_COMPILED: Final = re.compile(r"error\b|undefined reference|: not found|No such file", re.IGNORECASE)


def error_line(log: str) -> str:
    """The line at fault: where an exception arose and what it was, a compiler's first error, or the last line.

    "" for a log without any line.
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for find in (_python, _other_exception, _compiler):
        if found := find(lines):
            return found[:_LINE_KEPT]
    return lines[-1][:_LINE_KEPT] if lines else ""


def _python(lines: list[str]) -> str:
    """The innermost frame of the last traceback, with its exception."""
    frames = [number for number, line in enumerate(lines) if _FRAME.match(line)]
    if not frames:
        return ""
    frame = _FRAME.match(lines[frames[-1]])
    assert frame is not None
    raised = _first(_RAISED.fullmatch, lines[frames[-1] + 1:])
    return f"{frame['file']}:{frame['line']}: {raised}" if raised else lines[frames[-1]]


def _other_exception(lines: list[str]) -> str:
    """An exception as Node and Java tell it, with the place, which stands before it or after it."""
    raised = _first(_RAISED.fullmatch, lines)
    places = [match for line in lines if (match := _PLACE.match(line))]
    if not raised or not places:
        return ""
    return f"{places[0]['java'] or places[0]['node']}: {raised}"


def _compiler(lines: list[str]) -> str:
    return _first(_COMPILED.search, lines)


def _first(matches: Callable[[str], object], lines: Iterable[str]) -> str:
    return next((line for line in lines if matches(line)), "")
