"""An event's bracket with names, seeds and scores, as its page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from frontend.text.core_words import translated
from frontend.text.wording import points
from tournaments.models import Entry, Event
from tournaments.pairing.bracket import Column, Tie
from tournaments.selectors.events import events as reads

# Number of entrants up to which the path of the one under the pointer is highlighted.
_POINTED: Final = 64


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a tie. `entry` is None opposite a bye, and until the ties that lead here are over.

    `points` is empty before the first game. `on_path` is set in all ties of the entrant whose path is highlighted.
    """

    entry: Entry | None
    seed: int
    points: str
    advances: bool
    on_path: bool


@dataclass(frozen=True, slots=True)
class DrawnTie:
    """A tie of the bracket; `round` is None for a bye."""

    sides: tuple[Side, Side]
    round: int | None
    walkover: bool

    @property
    def on_path(self) -> bool:
        return any(side.on_path for side in self.sides)

    @property
    def leads_on(self) -> bool:
        """Whether the highlighted path continues from here with a win."""
        return any(side.on_path and side.advances for side in self.sides)


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """A column of the bracket; columns with the same `section` are drawn side by side.

    `leads` says how lines lead to the next column: "by two" (two ties to one), "straight", or "" after the last.
    """

    section: str
    label: str
    ties: list[DrawnTie]
    leads: str


def bracket(event: Event, path: int | None) -> list[DrawnColumn]:
    """Return the columns of a knockout, with entries instead of numbers; empty for other formats.

    The ties of the entrant with the seed `path` are highlighted; without one, those of the champion.
    """
    columns = reads.bracket(event)
    entries = {entry.place: entry for entry in reads.entries(event)} if columns else {}
    seed = path or _champion(columns)

    def side(tie: Tie, number: int) -> Side:
        entrant = tie.sides[number]
        return Side(entries.get(entrant), 0 if entrant is None else entrant + 1,
                    "" if tie.points is None else points(tie.points[number]),
                    entrant is not None and tie.winner == entrant, entrant is not None and entrant + 1 == seed)

    return [DrawnColumn(column.section, translated(column.label), [
        DrawnTie((side(tie, 0), side(tie, 1)), tie.stage, tie.walkover) for tie in column.ties], _leads(column, after))
        for column, after in zip_longest(columns, columns[1:])]


def path_rule(event: Event) -> SafeString:
    """Return the style rule that highlights the path of the entrant under the pointer or the keyboard's focus.

    It needs two selectors per entrant, so very large brackets have none.
    """
    seeds = range(1, event.entries.count() + 1)
    if len(seeds) > _POINTED:
        return SafeString("")
    pointed = ",".join(f"#bracket:has(.e{seed}:is(:hover,:focus-within)) .e{seed}" for seed in seeds)
    return mark_safe(f"{pointed}{{background:var(--sunk)}}")  # noqa: S308 — made of numbers


def _champion(columns: Sequence[Column]) -> int | None:
    """Return the seed of the winner of the last tie; None while it is undecided."""
    winner = columns[-1].ties[-1].winner if columns else None
    return None if winner is None else winner + 1


def _leads(column: Column, after: Column | None) -> str:
    if after is None or after.section != column.section:
        return ""
    return "by two" if len(column.ties) == 2 * len(after.ties) else "straight"
