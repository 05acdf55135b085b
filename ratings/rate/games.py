"""Read the games of a CSV file. Errors name the line and say how to fix it."""

import csv
import difflib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from ratings.names import looks, tidy

COLUMNS: Final = ("first", "second", "result")
OPTIONAL: Final = ("opening", "period", "rated")
# All columns of a ladder's file: a version has a number within its bot, and an ID.
OFFICIAL: Final = (*COLUMNS, *OPTIONAL, "first_version", "second_version", "first_id", "second_id")

_SCORES: Final = {"1": 1.0, "0.5": 0.5, "0": 0.0, "1.0": 1.0, "0.0": 0.0, ".5": 0.5, "½": 0.5}
_SHOWN: Final = 60
_GROUPS: Final = 10
_LONGEST_ID: Final = 18
_DIGITS: Final = re.compile("([0-9]+)")


class UnreadableGames(Exception):
    """The file cannot be read as games; `str()` names the line, the reason and the fix."""


class Game(NamedTuple):
    """A game: the players in the first and second seat as indices into `Games.names`, and the first seat's score.

    `period` is an index into `Games.periods`, or -1 if the file has no periods.
    """

    first: int
    second: int
    score: float
    opening: str | None
    period: int


@dataclass(slots=True)
class Games:
    """The content of a file: names in code point order, periods in natural order, games in the order of the file.

    `unrated` is the number of games left out. `ids` has the IDs of versions by name, for a ladder's official table.
    `notes` are sentences about the file.
    """

    names: list[str] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)
    periods: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    unrated: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_games(data: bytes, last: int | None = None) -> Games:
    """Read the rated games from the bytes of a CSV file.

    With `last`, the file is a ladder's: the players are versions, and games after this period are left out. Raises
    UnreadableGames.
    """
    lines = _lines(decode(data, "CSV"))
    columns, unused = _header(lines, COLUMNS if last is None else OFFICIAL)
    names: dict[str, int] = {}
    periods: dict[str, int] = {}
    openings: dict[str, str] = {}
    read = Games(unused=unused)
    for line, row in lines:
        if len(row) != len(columns) + len(unused):
            raise _wrong_width(line, len(row), len(columns) + len(unused))
        fields = {name: tidy(row[place]) for name, place in columns.items()}
        if not _is_rated(fields, line, last):
            read.unrated += 1
            continue
        seats = _player(read, names, fields, line, "first"), _player(read, names, fields, line, "second")
        if seats[0] == seats[1]:
            raise UnreadableGames(
                f"line {line}: {_quoted(fields['first'])} plays against itself: remove the line, or correct a name")
        played = fields.get("opening", "")
        read.games.append(Game(*seats, _score(fields["result"], line), openings.setdefault(played, played) or None,
                               _period(periods, fields["period"], line) if "period" in fields else -1))
    return _sorted(read, names, periods)


def alike(names: Sequence[str]) -> list[str]:
    """Return a sentence about the names that look alike, as they are probably one player; none if there are none."""
    by_look: dict[str, list[str]] = {}
    for name in names:
        for look in looks(name):
            by_look.setdefault(look, []).append(name)
    told: set[str] = set()
    groups = []
    for group in sorted((group for group in by_look.values() if len(group) > 1), key=lambda each: (-len(each), each)):
        if not told.issuperset(group):
            told.update(group)
            groups.append(" and ".join(map(ascii, group)))  # escaped, because they look alike
    more = [f"and {len(groups) - _GROUPS} more"] if len(groups) > _GROUPS else []
    said = "; ".join(groups[:_GROUPS] + more)
    return [f"names that look alike, but count as different players: {said}"] if said else []


def _is_rated(fields: dict[str, str], line: int, last: int | None) -> bool:
    """Whether the game counts: it is not called unrated, and its period is not after the last one."""
    rated = fields.get("rated", "yes")
    if rated not in {"yes", "no"}:
        raise UnreadableGames(f"line {line}: the column rated says {_quoted(rated)}: write yes or no")
    return rated == "yes" and (last is None or _number(fields, "period", line) <= last)


def _player(read: Games, names: dict[str, int], fields: dict[str, str], line: int, seat: str) -> int:
    """The number of the player in this seat: a version in a ladder's file, otherwise a name."""
    if f"{seat}_id" not in fields:
        return _name(names, fields[seat], line, seat)
    name, known = f"{fields[seat]} v{fields[f'{seat}_version']}", _number(fields, f"{seat}_id", line)
    if read.ids.setdefault(name, known) != known:
        raise UnreadableGames(f"line {line}: {_quoted(name)} has the ID {known}, but {read.ids[name]} in an earlier "
                              "line: download the file again")
    return _name(names, name, line, seat)


def _number(fields: dict[str, str], name: str, line: int) -> int:
    text = fields[name]
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_ID):
        raise UnreadableGames(f"line {line}: the column {name} says {_quoted(text)}: write a whole number")
    return int(text)


def _sorted(read: Games, names: dict[str, int], periods: dict[str, int]) -> Games:
    """Renumber names and periods in their own order, which does not depend on the order of the file."""
    ordered = sorted(names)
    place = {names[name]: n for n, name in enumerate(ordered)}
    terms = sorted(periods, key=_natural)
    when = {periods[term]: n for n, term in enumerate(terms)} | {-1: -1}
    games = [game._replace(first=place[game.first], second=place[game.second], period=when[game.period])
             for game in read.games]
    return replace(read, names=ordered, games=games, periods=terms)


def _natural(text: str) -> tuple[list[tuple[int, str]], str]:
    """A sort key that puts "round 9" before "round 10", and ISO 8601 dates in order."""
    parts = _DIGITS.split(text)
    return [(len(part.lstrip("0")), part.lstrip("0")) if n % 2 else (0, part) for n, part in enumerate(parts)], text


def decode(data: bytes, kind: str) -> str:
    """Decode the file, which should be of this kind. Raises UnreadableGames."""
    if 0 in data:
        line = _line_of(data, data.index(0))
        raise UnreadableGames(f"line {line}: it contains a NUL byte: save the file as {kind} in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The position does not include the byte order mark, which does not affect the line number.
        line = _line_of(data, error.start)
        raise UnreadableGames(f"line {line}: this is not UTF-8: save the file as {kind} in UTF-8") from None


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
            if "field limit" in str(error):
                raise UnreadableGames(f"line {line}: a field has more than {csv.field_size_limit():,} characters: "
                                      "shorten it, or close the quotation mark that begins it") from None
            raise UnreadableGames(f'line {line}: {error}: enclose a name that contains a comma or a line break in ", '
                                  'and write "" for each " in it') from None
        if row is None:
            return
        if row and (len(row) > 1 or row[0].strip()):
            yield line, row
        line = reader.line_num + 1


def _header(lines: Iterator[tuple[int, list[str]]], needed: tuple[str, ...]) -> tuple[dict[str, int], list[str]]:
    """The indices of the known columns, and the names of the others."""
    line, row = next(lines, (1, None))
    if row is None:
        raise UnreadableGames(f"line 1: the file is empty: start it with the column names {','.join(needed)}")
    row = [tidy(name) for name in row]
    found = [name.casefold() for name in row]
    known = tuple(dict.fromkeys((*needed, *OPTIONAL)))
    if not set(found) & set(known):
        separated = next((f", separated by commas and not by {mark!r}" for mark in ";\t" if mark in row[0]), "")
        raise UnreadableGames(f"line {line}: the column names are missing: make the first line {','.join(COLUMNS)}, "
                              f"optionally with {', '.join(OPTIONAL)}{separated}")
    for name in known:
        if found.count(name) > 1:
            raise UnreadableGames(f"line {line}: there are two columns named {name}: rename or remove one")
        near = difflib.get_close_matches(name, [each for each in found if each not in known], 1, 0.75)
        if name not in found and near:
            raise UnreadableGames(f"line {line}: there is a column {_quoted(near[0])}: write {name}")
        if name not in found and name in needed:
            raise UnreadableGames(f"line {line}: there is no column {name}: make the first line {','.join(needed)}")
    return ({name: found.index(name) for name in known if name in found},
            [name for name, key in zip(row, found, strict=True) if key not in known])


def _name(names: dict[str, int], name: str, line: int, seat: str) -> int:
    if not name:
        raise UnreadableGames(f"line {line}: the {seat} player has no name: write one, or remove the line")
    return names.setdefault(name, len(names))


def _period(periods: dict[str, int], period: str, line: int) -> int:
    if not period:
        raise UnreadableGames(f"line {line}: there is no period: write one for every game, or remove the column")
    return periods.setdefault(period, len(periods))


def _score(text: str, line: int) -> float:
    score = _SCORES.get(text)
    if score is None:
        raise UnreadableGames(f"line {line}: the result {_quoted(text)} is invalid: write 1, 0.5 or 0, the points of "
                              "the first player")
    return score


def _wrong_width(line: int, fields: int, width: int) -> UnreadableGames:
    remedy = 'enclose a name that contains a comma in "' if fields > width else "write a comma for each empty field"
    return UnreadableGames(f"line {line}: there are {fields} fields, but {width} columns: {remedy}")


def _quoted(text: str) -> str:
    """Untrusted text, safe to print on a terminal: `repr` escapes unprintable characters."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
