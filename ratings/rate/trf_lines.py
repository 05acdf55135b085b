"""The lines of FIDE's tournament report file (TRF16), and of its extensions.

Columns and result codes: FIDE Handbook C.04, Annex 2 ("Agreement on tournament report files", 2016). The numbers from
142 on are from the format of 2026. The codes XX* are from the Advanced User Manual of JaVaFo 2, the codes BB* from
bbpPairings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

POINTS: Final = {"1": 1.0, "=": 0.5, "0": 0.0, "W": 1.0, "D": 0.5, "L": 0.0, "+": 1.0, "-": 0.0,
                 "U": 1.0, "F": 1.0, "H": 0.5, "Z": 0.0}
RATED: Final = "1=0"
# Games that ended before each side had moved. FIDE does not rate them.
UNRATED: Final = "WDL"
_BYES: Final = "HFUZ"

_PLAYER: Final = "001"
_ROUNDS: Final = ("XXR", "142")
# With these, a player's points do not follow from the codes alone.
_SCORING: Final = ("XXS", "162", "299", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU")
# Facts that do not change a result: the head, teams, and instructions to a pairing program.
_UNREAD: Final = frozenset((
    *(f"{tens:02d}2" for tens in range(1, 23) if tens not in {14, 16}), "013", "240", "250", "260", "300", "310", "320",
    "330", "352", "362", "801", "802", "###", "FID"))
_NUMBERED: Final = ("XXP", "XXZ", "XXA")
CODES: Final = frozenset((_PLAYER, "XXC", *_ROUNDS, *_SCORING, *_NUMBERED, *_UNREAD))

_FIRST_RESULT: Final = 91
_RESULT_WIDTH: Final = 10
_WHOLE: Final = re.compile("[0-9]{1,4}")
_DECIMAL: Final = re.compile(r"[0-9]{0,3}\.?[0-9]{1,2}")
_POINTS_OF: Final = re.compile(r"(WW|BW|WD|BD|WL|BL|ZPB|HPB|FPB|PAB|FW|FL|W|D|L)=[0-9]{0,3}\.?[0-9]{1,2}")


class Problem(NamedTuple):
    """An error in a report: line and column (from 1), and a sentence that names the fix."""

    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.text}"


class Result(NamedTuple):
    """A player's result in a round. The code Z without an opponent also stands for blank columns."""

    code: str
    opponent: int | None = None
    colour: str = "-"


class Player(NamedTuple):
    """A line 001. Players refer to each other by their numbers; `rank` is None if the columns are blank."""

    line: int
    number: int
    name: str
    points: float
    rank: int | None
    results: tuple[Result, ...]


@dataclass(slots=True)
class Report:
    """A report, line by line. `named` has the players named outside their own lines: line, column, number."""

    players: dict[int, Player] = field(default_factory=dict)
    rounds: tuple[int, int] | None = None
    own_points: bool = True
    virtual: dict[int, list[float]] = field(default_factory=dict)
    named: list[tuple[int, int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def column_of(round_: int) -> int:
    """Return the column of a round's result, from 1; rounds are numbered from 0."""
    return _FIRST_RESULT + 1 + _RESULT_WIDTH * round_


def parse(text: str) -> Report:
    """Read every line. Errors are collected, and do not stop the reading."""
    report = Report()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if line.strip():
            report.problems += _read(report, number, line.rstrip())
    return report


def _read(report: Report, number: int, line: str) -> Iterator[Problem]:
    code = line[:3]
    if code not in CODES:
        yield Problem(number, 1, f"the code {code!r} is unknown: correct it, or remove the line")
    elif code not in _UNREAD and line[3:4].strip():
        yield Problem(number, 4, f"there is no blank after the code {code}: insert one")
    elif code == _PLAYER:
        yield from _player(report, number, line)
    elif code in _ROUNDS:
        yield from _rounds(report, number, line)
    elif code in _NUMBERED:
        yield from _players_named(report, number, line)
    elif code in _SCORING:
        report.own_points = False
        yield from _words(number, line, _POINTS_OF if code == "XXS" else None, "W=3, D=1 or another result with points")
    elif code == "XXC":
        yield from _words(number, line, re.compile("white1|black1|rank"), "white1, black1 or rank")


def _words(number: int, line: str, pattern: re.Pattern[str] | None, expected: str) -> Iterator[Problem]:
    for word in re.finditer(r"\S+", line[3:]):
        if pattern and not pattern.fullmatch(word[0]):
            yield Problem(number, 4 + word.start(), f"{_quoted(word[0])} is unknown: write {expected}")


def _rounds(report: Report, number: int, line: str) -> Iterator[Problem]:
    said = line[3:].strip()
    if not _WHOLE.fullmatch(said) or not int(said):
        yield Problem(number, 5, f"{_quoted(said)} is not a number of rounds: write a whole number from 1")
    elif report.rounds and report.rounds[1] != int(said):
        yield Problem(number, 5, f"there are {said} rounds here, but {report.rounds[1]} in line {report.rounds[0]}: "
                                 "correct one of the lines")
    else:
        report.rounds = number, int(said)


def _players_named(report: Report, number: int, line: str) -> Iterator[Problem]:
    """Read a line of JaVaFo that names players: all words, or in a line XXA the first, before its virtual points."""
    words = list(re.finditer(r"\S+", line[3:]))
    virtual = words[1:] if line.startswith("XXA") else []
    for word in words[:1] if virtual else words:
        if _WHOLE.fullmatch(word[0]):
            report.named.append((number, 4 + word.start(), int(word[0])))
        else:
            yield Problem(number, 4 + word.start(),
                          f"{_quoted(word[0])} is not a player: write the number of a line 001")
    for word in virtual:
        if not _DECIMAL.fullmatch(word[0]):
            yield Problem(number, 4 + word.start(), f"{_quoted(word[0])} are no points: write a number such as 0.5")
        elif _WHOLE.fullmatch(words[0][0]):
            report.virtual.setdefault(int(words[0][0]), []).append(float(word[0]))


def _player(report: Report, line_number: int, line: str) -> Iterator[Problem]:
    number, name, points, rank = (line[a:b].strip() for a, b in ((4, 8), (14, 47), (80, 84), (85, 89)))
    problems = []
    if not _WHOLE.fullmatch(number) or not int(number):
        problems.append(Problem(line_number, 5, f"{_quoted(number)} is not a player's number: write a whole number in "
                                                "the columns 5 to 8"))
    elif int(number) in report.players:
        problems.append(Problem(line_number, 5, f"the number {number} is also that of line "
                                                f"{report.players[int(number)].line}: give each player one of its own"))
    if not name:
        problems.append(Problem(line_number, 15, "the player has no name: write one in the columns 15 to 47"))
    if not _DECIMAL.fullmatch(points):
        problems.append(Problem(line_number, 81, f"{_quoted(points)} are no points: write a number such as 2.5 in the "
                                                 "columns 81 to 84"))
    if rank and not _WHOLE.fullmatch(rank):
        problems.append(Problem(line_number, 86, f"{_quoted(rank)} is not a rank: write a whole number in the columns "
                                                 "86 to 89, or leave them blank"))
    results = []
    for round_ in range((len(line) - _FIRST_RESULT + _RESULT_WIDTH - 1) // _RESULT_WIDTH):
        start = column_of(round_) - 1
        said = _result(line[start - 2:start + 8], round_ + 1)
        if isinstance(said, Result):
            results.append(said)
        else:
            problems.append(Problem(line_number, start + said[0], said[1]))
    # Blank columns after the last round are no result.
    while results and results[-1] == Result(" "):
        results.pop()
    if not problems:
        report.players[int(number)] = Player(
            line_number, int(number), name, float(points), int(rank) if rank else None,
            tuple(result._replace(code="Z") if result.code == " " else result for result in results))
    yield from problems


def _result(text: str, round_: int) -> Result | tuple[int, str]:  # noqa: PLR0911 - one return per error
    """Read one round, from the two blanks before it; or return an error with its column, from 1 for the opponent's."""
    text = text.ljust(_RESULT_WIDTH)
    opponent, colour, code = text[2:6].strip(), text[7].lower().replace(" ", "-"), text[9].upper()
    place = next((place for place in (0, 1, 6, 8) if text[place] != " "), None)
    if place is not None:
        return place - 1, (f"round {round_} has {text[place]!r} in a blank column: a round takes 10 columns, and the "
                           "first opponent is in the columns 92 to 95")
    if opponent and not _WHOLE.fullmatch(opponent):
        return 1, f"{_quoted(opponent)} is not an opponent: write a player's number, or 0000 for none"
    if colour not in "wb-":
        return 6, f"{_quoted(colour)} is not a colour: write w, b, or - without an opponent"
    if code != " " and code not in POINTS:
        return 8, f"the result {_quoted(code)} is unknown: write one of {' '.join(POINTS)}"
    played, met = code in RATED + UNRATED, int(opponent or 0)
    if not met:
        # Before 2016, a bye for half a point was a draw without an opponent.
        if played and code != "=":
            return 1, f"the game of round {round_} has no opponent: write one, or H, F, U or Z for a bye"
        return Result("H" if code == "=" else code) if colour == "-" else (
            6, f"round {round_} has a colour, but no opponent: write - as the colour, or an opponent")
    if code in _BYES or code == " ":
        return 8, f"round {round_} has an opponent, but no result of a game: write 1, = or 0, or + or - for a forfeit"
    if played and colour == "-":
        return 6, f"the game of round {round_} has no colour: write w or b"
    return Result(code, met, colour)


def _quoted(text: str) -> str:
    return repr(text[:40])
