"""Descriptions of event formats."""

from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext, gettext_lazy, ngettext

from frontend.text.events import arena, precision
from tournaments.formats.history import MOST_EXTRA_MATCHES
from tournaments.models import Event
from tournaments.pairing.baku import Baku
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


def _gauntlet_rules(_event: Event) -> str:
    return gettext("Runners and the others have different opponents and different numbers of games: each group has its "
                   "own table, and there is no champion.")


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
    "gauntlet": _gauntlet_rules,
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
