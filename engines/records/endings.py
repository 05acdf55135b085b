"""How a game ended, in words: from a row of a list, from a record, or from a replay document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from engines.records.record import EndedBy, GameRecord, RecordError, check_rules
from engines.rules.errors import TurnError
from engines.rules.notation import parse_cell
from engines.rules.outcome import FORFEITED, RESIGNED, SPOKEN, Ending, Measure, Outcome, Said, spoken
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import Position, SetupError

FORFEIT: Final = "by forfeit: %(fault)s"
OTHERWISE: Final = "by %(reason)s"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnd:
    """The end of a game.

    A list has the first five: the ruleset's slug, the winning seat or None, the kind of ending, the ending, and the
    number of turns played. If the others are empty or None, the words have fewer details. `measure` describes the last
    position.
    """

    ruleset: str
    winner: int | None
    ended_by: str
    reason: str
    plies: int
    size: int = 0
    cells: tuple[int, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()
    measure: Measure | None = None

    @classmethod
    def of_record(cls, record: GameRecord, last: Position | None) -> Self:
        """Return the end of a recorded game; `last` is its last position, or None."""
        result, size = record.result, record.size
        return cls(ruleset=record.ruleset, winner=result.winner, ended_by=result.ended_by, reason=result.reason,
                   plies=len(record.plies), size=size, cells=tuple(parse_cell(cell, size) for cell in result.cells),
                   counts=result.counts, measure=None if last is None else last.measure())

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the end of the game of a replay document."""
        result, turns = document["result"], document["turns"]
        return cls(ruleset=document["ruleset"]["slug"], winner=result["winner"], ended_by=result["ended_by"],
                   reason=result["reason"], plies=len(turns), size=document["board"]["size"],
                   cells=tuple(result["cells"]), counts=tuple((first, second) for first, second in result["counts"]),
                   measure=_measure(turns))

    def how(self, loser: str = "") -> Said:
        """Return the words to follow "won" or "drew". A forfeit names the loser, unless the name is empty."""
        if self.ended_by == EndedBy.CONDUCT:
            return forfeited(self.reason, loser, self.plies)
        if self.reason == Ending.RESIGNATION:
            return Said(RESIGNED, {"turn": self.plies})
        if self.ruleset in RULESETS and self.reason in [*Ending]:
            outcome = Outcome(self.winner, Ending(self.reason), self.cells, self.counts)
            return find(self.ruleset).how(outcome, self.size, self.measure)
        if self.reason in SPOKEN:
            return Said(spoken(self.reason, drawn=self.winner is None))
        return Said(OTHERWISE, {"reason": self.reason})

    def sentence(self, names: Sequence[str]) -> str:
        """Return a sentence in English, such as "searcher won by connecting north and south"."""
        if self.winner is None:
            return f"{names[0]} and {names[1]} drew {self.how()}"
        return f"{names[self.winner]} won {self.how(names[1 - self.winner])}"


def forfeited(kind: str, loser: str, plies: int) -> Said:
    """Return how a game was forfeited in the turn after this number of plies."""
    if loser and kind in FORFEITED:
        return Said(FORFEITED[kind], {"loser": loser, "turn": plies + 1})
    return Said(FORFEIT, {"fault": SPOKEN.get(kind, kind)})


def end_of_data(data: object) -> GameEnd | None:
    """Return the end of a stored record, or None if it cannot be read or played."""
    try:
        record = GameRecord.from_dict(data)
    except RecordError:
        return None
    last = last_position(record)
    return None if last is None else GameEnd.of_record(record, last)


def last_position(record: GameRecord) -> Position | None:
    """Return the record's last position without checking its turns again; None if the rules cannot play it."""
    try:
        position = check_rules(record).start(record.size)
        for text, _ in record.plies:
            position = position.after(position.parse(text))
    except (RecordError, SetupError, TurnError, LookupError, ValueError):
        return None
    return position


def _measure(turns: Sequence[Mapping[str, Any]]) -> Measure | None:
    last = turns[-1].get("measure") if turns else None
    return last and Measure(tuple((first, second) for first, second in last["counts"]), last["leader"])
