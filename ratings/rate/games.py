"""The games of a CSV file, or a refusal that names the line and what to write there."""

import csv
import difflib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

COLUMNS: Final = ("first", "second", "result")
OPTIONAL: Final = ("opening", "period")

_SCORES: Final = {"1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0, ".5": 0.5, "½": 0.5}
_SHOWN: Final = 60
_DIGITS: Final = re.compile("([0-9]+)")


class UnreadableGames(Exception):
    """The file holds no games that can be rated; `str()` says in which line, why, and what to do."""


class Game(NamedTuple):
    """The players of first and second seat by their place in `Games.names`, the first's score, and where it belongs.

    `period` is its place in `Games.periods`, -1 where the file has none.
    """

    first: int
    second: int
    score: float
    opening: str | None
    period: int


@dataclass(slots=True)
class Games:
    """What a file says. Names are in the order of their code points, periods in theirs, games in the file's."""

    names: list[str] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)
    periods: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def read_games(data: bytes) -> Games:
    """The games of a CSV file's bytes. Raises UnreadableGames."""
    lines = _lines(_text(data))
    columns, unused = _header(lines)
    names: dict[str, int] = {}
    periods: dict[str, int] = {}
    openings: dict[str, str] = {}
    games = []
    width = len(columns) + len(unused)
    first, second, result = (columns[name] for name in COLUMNS)
    opening, period = (columns.get(name) for name in OPTIONAL)
    for line, row in lines:
        if len(row) != width:
            raise _wrong_width(line, len(row), width)
        played = "" if opening is None else row[opening].strip()
        seats = _name(names, row[first], line, "first"), _name(names, row[second], line, "second")
        if seats[0] == seats[1]:
            raise UnreadableGames(
                f"line {line}: {_quoted(row[first].strip())} plays against itself: remove the line, or correct a name")
        games.append(Game(*seats, _score(row[result], line), openings.setdefault(played, played) or None,
                          -1 if period is None else _period(periods, row[period], line)))
    return _sorted(names, games, periods, unused)


def _sorted(names: dict[str, int], games: list[Game], periods: dict[str, int], unused: list[str]) -> Games:
    """The same with names and periods numbered in their own order, which does not depend on the file's."""
    ordered = sorted(names)
    place = {names[name]: n for n, name in enumerate(ordered)}
    terms = sorted(periods, key=_natural)
    when = {periods[term]: n for n, term in enumerate(terms)} | {-1: -1}
    return Games(ordered, [game._replace(first=place[game.first], second=place[game.second], period=when[game.period])
                           for game in games], terms, unused)


def _natural(text: str) -> tuple[list[tuple[int, str]], str]:
    """A key by which "round 9" is before "round 10", and dates as they are written in ISO 8601 are in order."""
    parts = _DIGITS.split(text)
    return [(len(part.lstrip("0")), part.lstrip("0")) if n % 2 else (0, part) for n, part in enumerate(parts)], text


def _text(data: bytes) -> str:
    """The file as text."""
    if 0 in data:
        line = _line_of(data, data.index(0))
        raise UnreadableGames(f"line {line}: there is a NUL byte in it: save the file as CSV in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The position is counted without the mark at the beginning, which is in the first line anyway.
        line = _line_of(data, error.start)
        raise UnreadableGames(f"line {line}: this is not UTF-8: save the file as CSV in UTF-8") from None


def _line_of(data: bytes, position: int) -> int:
    before = data[:position]
    return 1 + (before.count(b"\n") if b"\n" in data else before.count(b"\r"))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its first line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise UnreadableGames(f'line {line}: {error}: put a name that has a comma or a line end in it between ", '
                                  'and write "" for a " in it') from None
        if row is None:
            return
        if row and (len(row) > 1 or row[0].strip()):
            yield line, row
        line = reader.line_num + 1


def _header(lines: Iterator[tuple[int, list[str]]]) -> tuple[dict[str, int], list[str]]:
    """Where the known columns are, and the names of the others."""
    line, row = next(lines, (1, None))
    if row is None:
        raise UnreadableGames(f"line 1: the file is empty: it begins with the columns' names, {','.join(COLUMNS)}")
    found = [name.strip().casefold() for name in row]
    known = (*COLUMNS, *OPTIONAL)
    if not set(found) & set(known):
        separated = next((f", separated by commas and not by {mark!r}" for mark in ";\t" if mark in row[0]), "")
        raise UnreadableGames(f"line {line}: the columns' names are missing: the first line is {','.join(COLUMNS)}, "
                              f"if you like with {' and '.join(OPTIONAL)}{separated}")
    for name in known:
        if found.count(name) > 1:
            raise UnreadableGames(f"line {line}: there are two columns {name}: rename or remove one")
        near = difflib.get_close_matches(name, [each for each in found if each not in known], 1, 0.75)
        if name not in found and near:
            raise UnreadableGames(f"line {line}: there is a column {_quoted(near[0])}: write {name}")
        if name not in found and name in COLUMNS:
            raise UnreadableGames(f"line {line}: there is no column {name}: the first line is {','.join(COLUMNS)}")
    return ({name: found.index(name) for name in known if name in found},
            [name.strip() for name, key in zip(row, found, strict=True) if key not in known])


def _name(names: dict[str, int], text: str, line: int, seat: str) -> int:
    name = text.strip()
    if not name:
        raise UnreadableGames(f"line {line}: the {seat} player has no name: write one, or remove the line")
    return names.setdefault(name, len(names))


def _period(periods: dict[str, int], text: str, line: int) -> int:
    period = text.strip()
    if not period:
        raise UnreadableGames(f"line {line}: no period is given: write one for every game, or leave the column out")
    return periods.setdefault(period, len(periods))


def _score(text: str, line: int) -> float:
    score = _SCORES.get(text.strip())
    if score is None:
        raise UnreadableGames(f"line {line}: the result {_quoted(text)} is not known: write 1, 0.5 or 0, the points of "
                              "the player named first")
    return score


def _wrong_width(line: int, fields: int, width: int) -> UnreadableGames:
    remedy = 'put a name that has a comma in it between "' if fields > width else "write a comma for each that is empty"
    return UnreadableGames(f"line {line}: there are {fields} fields, and {width} columns: {remedy}")


def _quoted(text: str) -> str:
    """A stranger's text so that a terminal only shows it: `repr` escapes what is not printable."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
