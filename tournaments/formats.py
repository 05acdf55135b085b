"""What the formats of events have in common and what tells them apart: how many rounds and matches they have. Pure."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from tournaments.models.lifecycle import EventFormat
from tournaments.pairing.swiss import default_rounds

# As people call them.
NAMES: Final = {
    EventFormat.ROUND_ROBIN: _("Round-robin"),
    EventFormat.SWISS: _("Swiss"),
    EventFormat.KNOCKOUT: _("Knockout"),
    EventFormat.DOUBLE_KNOCKOUT: _("Double knockout"),
    EventFormat.GAUNTLET: _("Gauntlet"),
}
# Of these the next round is made when the last one is over; of the others all rounds are made at the start.
ROUND_BY_ROUND: Final = (EventFormat.SWISS, EventFormat.KNOCKOUT, EventFormat.DOUBLE_KNOCKOUT)
KNOCKOUTS: Final = (EventFormat.KNOCKOUT, EventFormat.DOUBLE_KNOCKOUT)
# Its rounds are made in one go, and the work grows steeply: ten seconds for so many, minutes for twice as many.
MOST_IN_SWISS: Final = 128
# A knockout's tie that stays level gets a match more, so many times.
MOST_EXTRA_MATCHES: Final = 4


def most_entries(format_: str, wanted: int | None) -> int | None:
    """How many an event takes that was given this bound; None for no bound but that on its matches."""
    if format_ != EventFormat.SWISS:
        return wanted
    return MOST_IN_SWISS if wanted is None else min(wanted, MOST_IN_SWISS)


def rounds_of_swiss(entrants: int, wanted: int | None = None) -> int:
    """As many rounds as were asked for, but no more than there are opponents; a good number when none was."""
    if entrants < 2:
        return 0
    return default_rounds(entrants) if wanted is None else min(wanted, entrants - 1 + entrants % 2)


def pairings_of(format_: str, entrants: int, *, swiss_rounds: int | None = None, runners: int = 0) -> int:
    """How many pairings an event has from beginning to end, if nobody leaves it.

    Of a double knockout the most: its last pairing is only played when the first final does not decide it.
    """
    if entrants < 2:
        return 0
    match format_:
        case EventFormat.SWISS:
            return rounds_of_swiss(entrants, swiss_rounds) * (entrants // 2)
        case EventFormat.KNOCKOUT:
            return entrants - 1
        case EventFormat.DOUBLE_KNOCKOUT:
            return 2 * entrants - 1
        case EventFormat.GAUNTLET:
            return runners * (entrants - runners)
        case _:
            return entrants * (entrants - 1) // 2
