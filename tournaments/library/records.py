"""Records of games: read and write them, replay them turn by turn, and check them against the rules.

>>> from squarefield import referee
>>> first = lambda position: next(position.legal_turns())
>>> record = referee.play("square-grid-hex", first, first, size=4)
>>> [position.rows()[-1] for position in replay(record)][:4]
['....', '1...', '2...', '21..']
>>> verify(record).outcome.reason.value
'connection'
"""

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from engines.records.record import GameRecord, RecordError, Result, TurnRecord, verify
from engines.records.record import check_rules as _check_rules
from engines.rules.ruleset import Position

__all__ = ["GameRecord", "RecordError", "Result", "TurnRecord", "read", "replay", "sgf", "verify", "write"]


def read(path: str | PathLike[str]) -> list[GameRecord]:
    """Return the records in a file: one JSON object, as `squarefield play --record` writes it, or one per line.

    The structure is checked, but not the moves: see `verify`. Raises RecordError, which names the line, and OSError.
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        return [GameRecord.from_dict(json.loads(text))]
    except json.JSONDecodeError:
        return [_read_line(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def write(path: str | PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write records to a file, one JSON object per line."""
    lines = [json.dumps(record.to_dict(), ensure_ascii=False, separators=(",", ":")) for record in records]
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def replay(record: GameRecord) -> Iterator[Position]:
    """Yield every position of the game, from the start. Raises RecordError if the record contradicts the rules."""
    verify(record)
    position = _check_rules(record).start(record.size)
    yield position
    for turn, _ in record.plies:
        position = position.play(turn)
        yield position


def sgf(record: GameRecord) -> str:
    """Return the record in SGF, for other programs. Raises ValueError for a game that SGF does not have."""
    from engines.records.sgf import has_sgf
    from engines.records.sgf import sgf as written
    if not has_sgf(record.ruleset):
        raise ValueError(f"SGF has no game like {record.ruleset}")
    return written(record)


def _read_line(path: str | PathLike[str], number: int, line: str) -> GameRecord:
    try:
        return GameRecord.from_dict(json.loads(line))
    except (RecordError, json.JSONDecodeError) as error:
        raise RecordError(f"{Path(path).name}, line {number}: {error}") from None
