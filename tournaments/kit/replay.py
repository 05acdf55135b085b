"""`squarefield replay`: a recorded game in the terminal, turn by turn, and whether its record is valid by the rules."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines.cli import parser_of
from engines.records.record import GameRecord, RecordError, verify
from engines.records.replay import drawn_turns, result_sentence, rows_after
from engines.rules.drawing import MARKS, board_text
from engines.rules.errors import TurnError
from engines.rules.registry import UnknownRuleset, find
from engines.rules.ruleset import SetupError
from tournaments.kit.terminal import HOME_AND_CLEAR, draws, refused, shown

_KEYS: Final = {"n": 1, " ": 1, "\n": 1, "\r": 1, "\x1b[C": 1, "\x1b[B": 1, "p": -1, "\x1b[D": -1, "\x1b[A": -1}
_QUIT: Final = ("q", "\x1b", "\x03", "\x04", "")

_DESCRIPTION: Final = """\
Shows a game saved by `squarefield play --record` or downloaded from a site (games/NUMBER.json).
In a terminal, steps through it: n, Enter or right arrow for the next turn, p or left arrow for the
previous turn, q to quit. Otherwise prints the whole game. At the end it prints whether the record is
valid by the rules.

The exit status is 0 if the record is valid, 1 if not, 2 if the file is not a record."""


class CannotRead(Exception):
    """There is no game to show; `str()` gives the reason."""


@dataclass(frozen=True, slots=True)
class _Game:
    """Game to show: the record, the turns that can be played, and the referee's verdict."""

    record: GameRecord
    document: dict[str, Any]
    verdict: str
    holds: bool


def main(argv: Sequence[str]) -> int:
    """Show a game. Returns 0 if its record is valid, 1 if not, 2 if there is none."""
    parser = parser_of("squarefield replay", _DESCRIPTION)
    parser.add_argument("file", metavar="FILE", help="the record as JSON; - for standard input")
    name = parser.parse_args(argv).file
    try:
        game = _read(name)
    except CannotRead as error:
        return refused(f"cannot show {name}", error)
    if draws() and sys.stdin.isatty():
        _step_through(game)
    else:
        _list(game)
    for line in _ending(game):
        print(shown(line))
    return 0 if game.holds else 1


# --- the game --------------------------------------------------------------------------------


def _read(name: str) -> _Game:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        record = GameRecord.from_dict(json.loads(text))
        return _judge(record)
    except OSError as error:
        raise CannotRead(error.strerror or str(error)) from None
    except (RecordError, SetupError, UnknownRuleset) as error:
        raise CannotRead(str(error)) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise CannotRead(f"it is not JSON: {error}") from None


def _judge(record: GameRecord) -> _Game:
    try:
        verify(record)
        verdict, holds = "this record is valid by the rules", True
    except RecordError as error:
        verdict, holds = f"this record contradicts the rules: {error}", False
    ruleset = find(record.ruleset)
    position = ruleset.start(record.size)
    playable = 0
    for text, _ in record.plies:
        try:
            position = position.play(position.parse(text))
        except TurnError:
            break
        playable += 1
    turns = drawn_turns(ruleset, record.size, record.plies[:playable])
    return _Game(record, {"board": {"size": record.size}, "initial": [], "turns": turns}, verdict, holds)


# --- showing it ------------------------------------------------------------------------------


def _title(game: _Game) -> str:
    record = game.record
    ruleset = find(record.ruleset)
    who = (f"{mark} {seat.name} ({colour})"
           for mark, seat, colour in zip(MARKS[1:], record.seats, ruleset.colours, strict=True))
    return f"{ruleset.name}, {record.size}×{record.size}, {record.time_control} s: {'   '.join(who)}"


def _turn_line(game: _Game, number: int) -> str:
    """Return the line for turn `number`, from 1; 0 is the start."""
    if number == 0:
        return "start of the game"
    turn = game.document["turns"][number - 1]
    colour = find(game.record.ruleset).colours[turn["seat"]]
    given = "opening" if number <= len(game.record.opening) else f"{turn.get('seconds', 0):.3f} s"
    note = f"  {turn['note']}" if "note" in turn else ""
    return f"{number:3}  {colour:5}  {turn['text']}  {given}{note}"


def _board(game: _Game, number: int) -> str:
    return board_text(rows_after(game.document, number))


def _ending(game: _Game) -> Iterator[str]:
    yield result_sentence(game.record)
    if (fault := game.record.fault) is not None:
        name = game.record.seats[fault.seat].name
        yield f"{name}: {fault.message}"
        if fault.line:
            yield f"{name} wrote: {fault.line}"
    yield f"Referee: {game.verdict}."


def _list(game: _Game) -> None:
    last = len(game.document["turns"])
    print(shown(_title(game)))
    for number in range(1, last + 1):
        print(shown(_turn_line(game, number)))
    print(f"\n{_board(game, last)}\n")


def _step_through(game: _Game) -> None:
    """Show positions one by one until the reader passes the last one or quits."""
    number, last = 0, len(game.document["turns"])
    with _keys_at_once():
        while number <= last:
            keys = "n next   p previous   q quit"
            print(HOME_AND_CLEAR + "\n".join((shown(_title(game)), "", _board(game, number), "",
                                              shown(f"{_turn_line(game, number)}   ({number} of {last})"), keys)),
                  flush=True)
            key = os.read(sys.stdin.fileno(), 8).decode("ascii", "replace")
            if key in _QUIT:
                return
            number = max(0, number + _KEYS.get(key.lower() if len(key) == 1 else key, 0))


@contextmanager
def _keys_at_once() -> Iterator[None]:
    """Let the terminal deliver keys one by one, and restore it afterwards."""
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
