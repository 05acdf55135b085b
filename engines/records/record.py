"""The record of a game, as a value and as JSON: the turns, the result and the time used.

Anyone can check a record against the rules: `verify` replays it. The value also holds the bots' stderr, which is
not part of the JSON, because the JSON is public.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Any, Final, Self, TypeVar

from engines.native import knows
from engines.native.replays import before_last
from engines.public import public
from engines.records.time_control import ClockKind, TimeControl, TimeControlError
from engines.rules.errors import TurnError
from engines.rules.notation import cell_name, format_turn, parse_turn
from engines.rules.outcome import Adjudication, Ending, Forfeit
from engines.rules.registry import UnknownRuleset, find
from engines.rules.ruleset import Position, Ruleset, SetupError
from engines.view import View

# Format 2 added the seed, each turn's overhead and the cost of a forfeited turn; records of format 1 lack them.
# Format 3 added the version of the rules; before that, every ruleset was at its first version. Later, turns got an
# optional view, which older programs ignore.
FORMAT: Final = 3
_FORMATS: Final = (1, 2, FORMAT)
_FIRST_RULES: Final = 1
# The values have as many decimals as their JSON, so that a record that was written and read is the same.
_DECIMALS: Final = 6
_COSTS: Final = ("seconds", "wall", "overhead")
JSON = dict[str, Any]
T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


@public("squarefield.records")
class RecordError(ValueError):
    """A record cannot be read, or contradicts the rules; `str()` is a sentence."""


class EndedBy(StrEnum):
    """The cause of a game's end: the rules, a bot's conduct, or the organiser's policy."""

    RULE = "rule"
    CONDUCT = "conduct"
    POLICY = "policy"


Reason = Ending | Forfeit | Adjudication
_REASONS: Final[dict[EndedBy, type[Reason]]] = {
    EndedBy.RULE: Ending, EndedBy.CONDUCT: Forfeit, EndedBy.POLICY: Adjudication,
}


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A seat: the bot's name, the name that its program reported, and the duration of its handshake in seconds."""

    name: str
    program: str = ""
    handshake: float = 0.0

    def __post_init__(self) -> None:
        _round(self, "handshake")


@public("squarefield.records")
@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn in canonical notation, with its seconds: charged time, wall-clock time, and the referee's CPU time.

    `view` is what the bot reported, if anything. It is not checked against the rules.
    """

    turn: str
    seconds: float
    wall: float
    overhead: float = 0.0
    view: View | None = None

    def __post_init__(self) -> None:
        _round(self, *_COSTS)
        if self.view is not None:
            object.__setattr__(self, "view", self.view.rounded())


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason for a forfeit: `line` is the bot's output at fault, or "", `ply` the number of plies played before.

    `seconds`, `wall` and `overhead` are the unfinished turn's, as in `TurnRecord`; for the handshake, `seconds` is 0.
    """

    seat: int
    kind: Forfeit
    line: str
    message: str
    ply: int
    seconds: float = 0.0
    wall: float = 0.0
    overhead: float = 0.0

    def __post_init__(self) -> None:
        _round(self, *_COSTS)


@public("squarefield.records")
@dataclass(frozen=True, slots=True)
class Result:
    """The winner (a seat, or None for a draw) and the reason; cells by name and counts as in `Outcome`."""

    winner: int | None
    ended_by: EndedBy
    reason: Reason
    cells: tuple[str, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()


@public("squarefield.records")
@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One refereed game.

    `rules` is the ruleset's version. `seed` is the match's seed, which determines the opening, or None. `tier` is the
    sandbox's tier. `overhead` is the referee's total CPU time in seconds.
    """

    ruleset: str
    rules: int = _FIRST_RULES
    size: int
    time_control: TimeControl
    clock: ClockKind
    tier: str
    seats: tuple[SeatRecord, SeatRecord]
    opening: tuple[str, ...]
    turns: tuple[TurnRecord, ...]
    result: Result
    fault: Fault | None = None
    overhead: float = 0.0
    seed: int | None = None
    stderr: tuple[bytes, bytes] = field(default=(b"", b""), compare=False, repr=False)

    def __post_init__(self) -> None:
        _round(self, "overhead")

    @property
    def plies(self) -> list[tuple[str, float | None]]:
        """The turns in canonical notation, with the seconds charged; for turns of the opening, None."""
        return [*((text, None) for text in self.opening), *((turn.turn, turn.seconds) for turn in self.turns)]

    def to_dict(self) -> JSON:
        """Return the record as JSON data, without stderr."""
        fault, result = self.fault, self.result
        return {
            "format": FORMAT,
            "ruleset": self.ruleset,
            "rules": self.rules,
            "size": self.size,
            "time_control": str(self.time_control),
            "clock": self.clock.value,
            "tier": self.tier,
            "seats": [{"name": s.name, "program": s.program, "handshake": s.handshake}
                      for s in self.seats],
            "seed": self.seed,
            "opening": list(self.opening),
            "turns": [{"turn": t.turn, **_costs(t), **({"view": t.view.to_dict()} if t.view else {})}
                      for t in self.turns],
            "result": {"winner": result.winner, "ended_by": result.ended_by.value, "reason": result.reason.value,
                       "cells": list(result.cells), "counts": [list(pair) for pair in result.counts]},
            "fault": fault and {"seat": fault.seat, "kind": fault.kind.value, "line": fault.line,
                                "message": fault.message, "ply": fault.ply, **_costs(fault)},
            "overhead": self.overhead,
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the record in this data; the structure is checked, but not the moves. Raises RecordError."""
        top = _object(data, "the record")
        if (number := _get(top, "format", int)) not in _FORMATS:
            raise RecordError(f"the record has format {number}; this program reads formats {_FORMATS[0]} to {FORMAT}")
        first = number == 1
        seats = tuple(_seat(entry) for entry in _list(top, "seats"))
        if len(seats) != 2:
            raise RecordError(f"a record has 2 seats, not {len(seats)}")
        try:
            control = TimeControl.parse(_get(top, "time_control", str))
        except TimeControlError as error:
            raise RecordError(str(error)) from None
        return cls(
            ruleset=_get(top, "ruleset", str), rules=_FIRST_RULES if number < FORMAT else _rules(top),
            size=_get(top, "size", int), time_control=control,
            clock=_member(ClockKind, top, "clock"), tier=_get(top, "tier", str), seats=(seats[0], seats[1]),
            opening=tuple(_checked(turn, str, "opening") for turn in _list(top, "opening")),
            turns=tuple(_turn(entry, first=first) for entry in _list(top, "turns")),
            result=_result(top.get("result")), fault=_fault(top.get("fault"), first=first),
            overhead=_seconds(top, "overhead"), seed=None if first or top.get("seed") is None else _seed(top),
        )


def name_cells(cells: tuple[int, ...], size: int) -> tuple[str, ...]:
    """Return the names of these cells, in the same order."""
    return tuple(cell_name(cell, size) for cell in cells)


def check_rules(record: GameRecord) -> Ruleset:
    """Return the record's ruleset. Raises RecordError if it is unknown here or has a different version."""
    try:
        ruleset = find(record.ruleset)
    except UnknownRuleset as error:
        raise RecordError(str(error)) from None
    if record.rules != ruleset.version:
        raise RecordError(f"the game was recorded under version {record.rules} of the rules of {ruleset.name}, "
                          f"but this program has version {ruleset.version}")
    return ruleset


def verify(record: GameRecord) -> Position:
    """Replay the record and return its last position. Raises RecordError if it contradicts the rules."""
    ruleset = check_rules(record)
    try:
        position = ruleset.start(record.size)
    except SetupError as error:
        raise RecordError(str(error)) from None
    plies = record.plies
    texts = [text for text, _ in plies]
    # The native engine checks all turns but the last, if it is there. Python finds and names every fault.
    checked = 0
    if replayed := _before_last(ruleset, record.size, texts):
        position, checked = replayed, len(plies) - 1
    for number, text in enumerate(texts[checked:], checked + 1):
        try:
            turn = position.parse(text)
            position.check(turn)
        except TurnError as error:
            raise RecordError(f"ply {number} cannot be played: {error}") from None
        if position.format(turn) != text:
            raise RecordError(f"ply {number} is written as {text[:40]!r} instead of {position.format(turn)!r}")
        position = position.after(turn)
    _verify_result(record, position, len(plies))
    return position


def _before_last(ruleset: Ruleset, size: int, texts: list[str]) -> Position | None:
    """Return the position before the last turn if the native engine is there and finds no fault before it."""
    if not knows(ruleset.slug):
        return None
    try:
        turns = [parse_turn(text, size) for text in texts]
    except TurnError:
        return None
    if any(format_turn(turn, size) != text for turn, text in zip(turns, texts, strict=True)):
        return None
    return before_last(ruleset, size, turns)


def _verify_result(record: GameRecord, position: Position, plies: int) -> None:
    result, fault, outcome = record.result, record.fault, position.outcome
    if (fault is not None) != (result.ended_by is EndedBy.CONDUCT):
        raise RecordError("a game ends by conduct exactly when there is a fault")
    if result.ended_by is EndedBy.RULE:
        by_rule = outcome and Result(outcome.winner, EndedBy.RULE, outcome.reason,
                                     name_cells(outcome.cells, record.size), outcome.counts)
        if by_rule != result:
            raise RecordError(f"by the rules, the result is {by_rule}, but the record says {result}")
        return
    if outcome is not None:
        raise RecordError(f"the game had already ended by rule: {outcome.reason}")
    if fault is None:
        if result != Result(None, EndedBy.POLICY, result.reason):
            raise RecordError("an adjudicated game must be a draw without cells or counts")
        return
    if fault.ply != plies or result != Result(1 - fault.seat, EndedBy.CONDUCT, fault.kind):
        raise RecordError("the result does not match the fault")
    if fault.kind is Forfeit.ILLEGAL:
        _verify_illegal(position, fault)


def _verify_illegal(position: Position, fault: Fault) -> None:
    if fault.seat != position.seat_to_move:
        raise RecordError("the seat that forfeited with an illegal turn was not to move")
    try:
        position.check(position.parse(fault.line))
    except TurnError:
        return
    raise RecordError(f"the turn recorded as illegal is legal: {fault.line[:40]!r}")


def _costs(part: TurnRecord | Fault) -> JSON:
    return {name: getattr(part, name) for name in _COSTS}


def _round(part: "SeatRecord | TurnRecord | Fault | GameRecord", *names: str) -> None:
    for name in names:
        object.__setattr__(part, name, round(getattr(part, name), _DECIMALS))


# --- reading ---------------------------------------------------------------------------------


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RecordError(f"{name} must be an object, not {type(value).__name__}")
    return value


def _checked(value: object, kind: type[T], name: str) -> T:
    # Require the exact type: JSON's true would otherwise pass as an int.
    if type(value) is not kind:
        raise RecordError(f"{name!r} must be of type {kind.__name__}, not {type(value).__name__}")
    return value


def _get(data: Mapping[str, Any], key: str, kind: type[T]) -> T:
    return _checked(data.get(key), kind, key)


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    return _get(data, key, list)


def _seconds(data: Mapping[str, Any], key: str) -> float:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise RecordError(f"{key!r} must be a number of seconds, not {value!r}")
    return float(value)


def _member(kind: type[E], data: Mapping[str, Any], key: str) -> E:
    text = _get(data, key, str)
    try:
        return kind(text)
    except ValueError:
        raise RecordError(f"{key!r} must be one of {', '.join(kind)}, not {text[:40]!r}") from None


def _seat_number(data: Mapping[str, Any], key: str) -> int:
    number = _get(data, key, int)
    if number not in (0, 1):
        raise RecordError(f"{key!r} must be a seat, 0 or 1, not {number}")
    return number


def _seat(value: object) -> SeatRecord:
    data = _object(value, "a seat")
    return SeatRecord(_get(data, "name", str), _get(data, "program", str), _seconds(data, "handshake"))


def _seed(data: Mapping[str, Any]) -> int:
    seed = _get(data, "seed", int)
    if not 0 <= seed < 2**63:
        raise RecordError(f"'seed' must be between 0 and 2^63 - 1, not {seed}")
    return seed


def _rules(data: Mapping[str, Any]) -> int:
    version = _get(data, "rules", int)
    if version < _FIRST_RULES:
        raise RecordError(f"'rules' must be a version of at least {_FIRST_RULES}, not {version}")
    return version


def _turn(value: object, *, first: bool) -> TurnRecord:
    data = _object(value, "a turn")
    return TurnRecord(_get(data, "turn", str), _seconds(data, "seconds"), _seconds(data, "wall"),
                      0.0 if first else _seconds(data, "overhead"), _view(data["view"]) if "view" in data else None)


def _view(value: object) -> View:
    data = _object(value, "a view")
    pv = tuple(_checked(turn, str, "pv") for turn in _list(data, "pv")) if "pv" in data else ()
    parts = {name: _get(data, name, int) for name in ("depth", "nodes") if name in data}
    view = View(_seconds(data, "win") if "win" in data else None, **parts, pv=pv)
    # Only what a bot can say: numbers within their limits, and turns in the alphabet of turns.
    if View.parse(view.line()) != view:
        raise RecordError(f"a view cannot be {str(dict(data))[:80]}")
    return view


def _fault(value: object, *, first: bool) -> Fault | None:
    if value is None:
        return None
    data = _object(value, "the fault")
    costs = {} if first else {name: _seconds(data, name) for name in ("seconds", "wall", "overhead")}
    return Fault(_seat_number(data, "seat"), _member(Forfeit, data, "kind"), _get(data, "line", str),
                 _get(data, "message", str), _get(data, "ply", int), **costs)


def _result(value: object) -> Result:
    data = _object(value, "the result")
    ended_by = _member(EndedBy, data, "ended_by")
    winner = None if data.get("winner") is None else _seat_number(data, "winner")
    counts = [[_checked(count, int, "counts") for count in _checked(pair, list, "counts")]
              for pair in _list(data, "counts")]
    if any(len(pair) != 2 for pair in counts):
        raise RecordError("'counts' must be a list of pairs: seat 0's stones, seat 1's stones")
    return Result(winner, ended_by, _member(_REASONS[ended_by], data, "reason"),
                  tuple(_checked(cell, str, "cells") for cell in _list(data, "cells")),
                  tuple((first, second) for first, second in counts))
