"""`python -m engines replay`: reads games as JSON lines and prints the final position of each as a JSON line."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from engines.cli import parser_of
from engines.cli.perft import as_set
from engines.rules.errors import TurnError
from engines.rules.notation import PASS, quote
from engines.rules.registry import UnknownRuleset, find
from engines.rules.ruleset import Position, Ruleset, SetupError

MOST_COUNTED: Final = 1_000_000
LONGEST_LINE: Final = 1 << 20

_DESCRIPTION: Final = """\
Read one game per line, as a JSON object, and answer each with one line:

  {"ruleset": "scware", "size": 9, "turns": ["e5", "d4,f6"]}
  {"plies": 2, "over": false, "winner": null, "reason": null, "seat_to_move": 0,
   "rows": ["...", ...], "error": null}

Optional keys of a game: "size" (default: the ruleset's), "turns" (default: none),
"count_legal": true (adds "legal_turns", the number of legal turns in the final position, up
to a million), and, to start from a position, "rows", "seat_to_move" and for Scware
"someone_has_grown". Rows go from north to south: "." empty, "1" seat 0, "2" seat 1. Other
keys are ignored.

A game stops at the first invalid turn. The answer then has the position before that turn and
"error": {"ply", "turn", "kind", "message"}; the kind is "notation" or "illegal", and plies
count from 0. If a line is not a valid game, the answer is
{"error": {"kind": "input", "message": ...}}.
The exit status is 2 if a file cannot be read, otherwise 0, even if games have errors."""


class InputError(ValueError):
    """A line does not describe a game. `str()` gives the reason."""


def replay_line(line: bytes | str) -> dict[str, Any]:
    """Return the answer to one line: the end of its game, or an error if the line is invalid. Raises nothing."""
    try:
        return replay_game(_read(line))
    except (InputError, SetupError, UnknownRuleset) as error:
        return {"error": {"kind": "input", "message": str(error)}}


def replay_game(game: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for a game. Raises InputError, SetupError or UnknownRuleset."""
    ruleset = find(_typed(game, "ruleset", str, "a string", ""))
    turns = _strings(game, "turns") or []
    count = _typed(game, "count_legal", bool, "true or false", False)
    position = _first_position(ruleset, game)
    plies, error = 0, None
    for text in turns:
        try:
            position = position.play(position.parse(text))
        except TurnError as refusal:
            error = {"ply": plies, "turn": text, "kind": refusal.kind, "message": str(refusal)}
            break
        plies += 1
    outcome = position.outcome
    answer = {
        "plies": plies,
        "over": outcome is not None,
        "winner": outcome.winner if outcome else None,
        "reason": outcome.reason.value if outcome else None,
        "seat_to_move": position.seat_to_move,
        "rows": position.rows(),
        "error": error,
    }
    return answer | _count(position) if count else answer


def _read(line: bytes | str) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise InputError(f"the line is longer than {LONGEST_LINE} bytes")
    try:
        game = json.loads(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError:
        raise InputError("the line is not UTF-8") from None
    except RecursionError:
        raise InputError("the line is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"the line is not JSON: {error}") from None
    if not isinstance(game, dict):
        raise InputError("the line is not a JSON object")
    if "ruleset" not in game:
        raise InputError('"ruleset" is missing')
    return game


def _typed(game: dict[str, Any], key: str, kind: type, what: str, default: Any) -> Any:
    """Return the value of a key, or the default if it is absent or null. A boolean does not count as an integer."""
    value = game.get(key)
    if value is None:
        return default
    if type(value) is not kind:
        raise InputError(f'"{key}" must be {what}, not {_shown(value)}')
    return value


def _strings(game: dict[str, Any], key: str) -> list[str] | None:
    values: list[str] | None = _typed(game, key, list, "a list of strings", None)
    for value in values or ():
        if not isinstance(value, str):
            raise InputError(f'"{key}" must be a list of strings, but contains {_shown(value)}')
    return values


def _shown(value: object) -> str:
    """Return a value of the wrong type as text for a message; lists and objects may be too large to write out."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return quote(json.dumps(value))


def _first_position(ruleset: Ruleset, game: dict[str, Any]) -> Position:
    size = _typed(game, "size", int, "a whole number", None)
    rows = _strings(game, "rows")
    seat = _typed(game, "seat_to_move", int, "0 or 1", 0)
    facts = {name: told for name in ruleset.setup_facts
             if (told := _typed(game, name, bool, "true or false", None)) is not None}
    if size is not None:
        ruleset.check_size(size)
    if rows is None:
        if seat == 0 and not facts:
            return ruleset.start(size)
        size = size or ruleset.default_size
        rows = ["." * size] * size
    if size not in (None, len(rows)):
        raise InputError(f'"size" is {size}, but there are {len(rows)} rows')
    return ruleset.setup(rows, seat, **facts)


def _count(position: Position) -> dict[str, Any]:
    """Return the number of legal turns as sets of stones, or None with a note if there are too many to count."""
    first = list(islice(position.legal_turns(), 2))
    if position.pass_is_forced and first == [(PASS,)]:
        return {"legal_turns": 0}
    turns = [as_set(turn) for turn in islice(position.legal_turns(), MOST_COUNTED + 1)]
    if len(turns) > MOST_COUNTED:
        return {"legal_turns": None, "note": f"there are more than {MOST_COUNTED} legal turns"}
    return {"legal_turns": len(set(turns))}


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the stream's lines; an overlong line is cut, but is still longer than the limit."""
    while line := stream.readline(LONGEST_LINE + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE)
        yield line


def main(argv: Sequence[str]) -> int:
    """Answer every line of the files, or of standard input. Return 0, or 2 if a file cannot be read."""
    parser = parser_of("python -m engines replay", _DESCRIPTION)
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="files with games (default, or if the name is -: standard input)")
    files = parser.parse_args(argv).files or ["-"]
    for name in files:
        with ExitStack() as stack:
            try:
                stream = sys.stdin.buffer if name == "-" else stack.enter_context(Path(name).open("rb"))
            except OSError as error:
                print(f"cannot read {name}: {error.strerror}", file=sys.stderr)
                return 2
            for line in _lines(stream):
                if line.strip():
                    print(json.dumps(replay_line(line)), flush=True)
    return 0
