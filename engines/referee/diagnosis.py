"""Finds the line in the output of a build or a bot that its author should look at first."""

import re
from collections.abc import Callable, Iterable
from typing import Final

_LINE_KEPT: Final = 300
_FRAME: Final = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
# How Python, Node and Java report an exception: NameError: …, TypeError: …, java.lang.IllegalStateException: …
_RAISED: Final = re.compile(r"(Exception in thread .*|[\w.]*(Error|Exception|Interrupt)\b.*)")
_PLACE: Final = re.compile(r"\S*\bat (?P<java>.*\(\w+\.java:\d+\))|(?P<node>/\S+\.[cm]?js:\d+)")
# Matches gcc, clang, javac, cmake, ld, make and most other tools.
_COMPILED: Final = re.compile(r"error\b|undefined reference|: not found|No such file", re.IGNORECASE)


def error_line(log: str) -> str:
    """Return the line at fault: an exception with its place, a compiler's first error, or else the last line.

    Return "" for an empty log.
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for find in (_python, _other_exception, _compiler):
        if found := find(lines):
            return found[:_LINE_KEPT]
    return lines[-1][:_LINE_KEPT] if lines else ""


def _python(lines: list[str]) -> str:
    """Return the innermost frame of the last traceback, with its exception."""
    frames = [number for number, line in enumerate(lines) if _FRAME.match(line)]
    if not frames:
        return ""
    frame = _FRAME.match(lines[frames[-1]])
    assert frame is not None
    raised = _first(_RAISED.fullmatch, lines[frames[-1] + 1:])
    return f"{frame['file']}:{frame['line']}: {raised}" if raised else lines[frames[-1]]


def _other_exception(lines: list[str]) -> str:
    """Return an exception as reported by Node or Java, with its place, which may come before or after it."""
    raised = _first(_RAISED.fullmatch, lines)
    places = [match for line in lines if (match := _PLACE.match(line))]
    if not raised or not places:
        return ""
    return f"{places[0]['java'] or places[0]['node']}: {raised}"


def _compiler(lines: list[str]) -> str:
    return _first(_COMPILED.search, lines)


def _first(matches: Callable[[str], object], lines: Iterable[str]) -> str:
    return next((line for line in lines if matches(line)), "")
