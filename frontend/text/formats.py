"""Descriptions of event formats, and an event's bracket with names."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from django.utils.translation import gettext, gettext_lazy, ngettext

from frontend.text import arena, precision
from frontend.text.core_words import translated
from tournaments.formats.history import MOST_EXTRA_MATCHES
from tournaments.models import Entry, Event
from tournaments.pairing.baku import Baku
from tournaments.pairing.bracket import Column
from tournaments.selectors.events import events as reads

# Display names, in the order of the registry.
NAMES: Final = {
    "round-robin": gettext_lazy("Round-robin"),
    "swiss": gettext_lazy("Swiss"),
    "accelerated swiss": gettext_lazy("Accelerated Swiss"),
    "knockout": gettext_lazy("Knockout"),
    "double knockout": gettext_lazy("Double knockout"),
    "gauntlet": gettext_lazy("Gauntlet"),
    "precision": gettext_lazy("Precision"),
    "arena": gettext_lazy("Arena"),
}
_VIRTUAL: Final = {1.0: "1", 0.5: "½", 0.0: "0"}


def _no_rules(_event: Event) -> str:
    return ""


def _swiss_rules(_event: Event) -> str:
    return gettext("A pairing counts 1, ½ or 0 by the majority of its points. If a match is cancelled by a server "
                   "error, each scores half.")


def _accelerated_swiss_rules(event: Event) -> str:
    """Add the virtual points by round, once the number of entrants and of rounds is final."""
    said = [_swiss_rules(event), gettext(
        "In the first half of the rounds, the upper half of the draw has virtual points. They count for the pairings, "
        "but not in the standings.")]
    if event.started_at is not None:
        baku = Baku(event.entries.filter(place__isnull=False).count(), event.swiss_rounds or 0)
        points = ", ".join(_VIRTUAL[baku.in_round(number)] for number in range(1, baku.rounds + 1))
        said.append(gettext("Virtual points of the top %(count)s in the draw, by round: %(points)s.") % {
            "count": baku.upper, "points": points})
    return " ".join(said)


def _knockout_rules(_event: Event) -> str:
    return gettext("A level tie is extended by up to %(count)s matches. If it is still level, or if its last match was "
                   "cancelled by a server error, the better seed advances.") % {"count": MOST_EXTRA_MATCHES}


_RULES: Final[dict[str, Callable[[Event], str]]] = {
    "round-robin": _no_rules,
    "swiss": _swiss_rules,
    "accelerated swiss": _accelerated_swiss_rules,
    "knockout": _knockout_rules,
    "double knockout": _knockout_rules,
    "gauntlet": _no_rules,
    "precision": precision.rules,
    "arena": arena.rules,
}


def name(event: Event) -> str:
    """The format with its number of rounds: "Swiss, 7 rounds"."""
    if not event.swiss_rounds:
        return word(event.format)
    return ngettext("%(format)s, %(count)s round", "%(format)s, %(count)s rounds", event.swiss_rounds) % {
        "format": word(event.format), "count": event.swiss_rounds}


def word(format_: str) -> str:
    """The format's name: "Swiss"."""
    return str(NAMES[format_])


def rules(event: Event) -> str:
    """How a pairing is decided; empty if it is by the sum of its games."""
    return _RULES[event.format](event)


def rounds_in_all(progress: reads.Progress) -> str:
    """The total number of rounds: "7", or "6 to 7" while it is open."""
    if progress.rounds_least == progress.rounds_most:
        return str(progress.rounds_most)
    return gettext("%(least)s to %(most)s") % {"least": progress.rounds_least, "most": progress.rounds_most}


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a tie. `entry` is None opposite a bye, and until the ties that lead here are over."""

    entry: Entry | None
    advances: bool


@dataclass(frozen=True, slots=True)
class DrawnTie:
    """A tie of the bracket; `round` is None for a bye."""

    sides: tuple[Side, Side]
    round: int | None


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """A column of the bracket; columns with the same `section` are drawn side by side.

    `leads` says how lines lead to the next column: "by two" (two ties to one), "straight", or "" after the last.
    """

    section: str
    label: str
    ties: list[DrawnTie]
    leads: str


def bracket(event: Event) -> list[DrawnColumn]:
    """The columns of a knockout, with entries instead of numbers; empty for other formats."""
    columns = reads.bracket(event)
    entries = {entry.place: entry for entry in reads.entries(event)} if columns else {}
    return [DrawnColumn(column.section, translated(column.label), [
        DrawnTie((Side(entries.get(tie.sides[0]), _is(tie.winner, tie.sides[0])),
                  Side(entries.get(tie.sides[1]), _is(tie.winner, tie.sides[1]))), tie.stage)
        for tie in column.ties], _leads(column, after))
        for column, after in zip_longest(columns, columns[1:])]


def _leads(column: Column, after: Column | None) -> str:
    if after is None or after.section != column.section:
        return ""
    return "by two" if len(column.ties) == 2 * len(after.ties) else "straight"


def _is(winner: int | None, side: int | None) -> bool:
    return winner is not None and winner == side
