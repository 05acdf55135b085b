"""How an event is played, in words, and its bracket with names."""

from dataclasses import dataclass

from tournaments.formats import KNOCKOUTS, MOST_EXTRA_MATCHES
from tournaments.lifecycle import EventFormat
from tournaments.models import Entry, Event
from tournaments.selectors import events as reads

_NAMES = {
    EventFormat.ROUND_ROBIN: "Round-robin",
    EventFormat.SWISS: "Swiss",
    EventFormat.KNOCKOUT: "Knockout",
    EventFormat.DOUBLE_KNOCKOUT: "Double knockout",
    EventFormat.GAUNTLET: "Gauntlet",
}


def name(event: Event) -> str:
    """Swiss, 7 rounds."""
    rounds = f", {event.swiss_rounds} rounds" if event.swiss_rounds else ""
    return f"{_NAMES[EventFormat(event.format)]}{rounds}"


def rules(event: Event) -> str:
    """What decides a pairing, where that is not the sum of the games; else empty."""
    if event.format == EventFormat.SWISS:
        return ("A pairing counts 1, ½ or 0 by the majority of its points, and a match that the infrastructure failed "
                "half for each.")
    if event.format in KNOCKOUTS:
        return (f"A level tie gets up to {MOST_EXTRA_MATCHES} matches more. If it is level then, or its last match "
                "was failed by the infrastructure, the better seed advances.")
    return ""


@dataclass(frozen=True, slots=True)
class Side:
    """One of a tie: nobody where a better seed has a bye, not known before the ties that lead here are over."""

    entry: Entry | None
    advances: bool


@dataclass(frozen=True, slots=True)
class DrawnTie:
    """A tie of the bracket; `round` is None of a bye."""

    sides: tuple[Side, Side]
    round: int | None


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """A column of the bracket; columns of a `section` stand beside one another."""

    section: str
    label: str
    ties: list[DrawnTie]


def bracket(event: Event) -> list[DrawnColumn]:
    """The columns of a knockout, with entries in place of numbers; none of other formats."""
    columns = reads.bracket(event)
    entries = {entry.place: entry for entry in reads.entries(event)} if columns else {}
    return [DrawnColumn(column.section, column.label, [
        DrawnTie((Side(entries.get(tie.sides[0]), _is(tie.winner, tie.sides[0])),
                  Side(entries.get(tie.sides[1]), _is(tie.winner, tie.sides[1]))), tie.stage)
        for tie in column.ties]) for column in columns]


def _is(winner: int | None, side: int | None) -> bool:
    return winner is not None and winner == side
