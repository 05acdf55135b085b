"""An event's regulations as sentences."""

from collections.abc import Iterator

from django.utils.translation import gettext, ngettext

from tournaments.formats.history import ANNUL
from tournaments.models import Event


def regulations(event: Event) -> Iterator[str]:
    """Yield a sentence for each regulation that is not the default."""
    if event.withdrawals == ANNUL:
        yield gettext("If an entrant leaves before it has played half of its games, they are not counted; otherwise "
                      "its opponents win the remaining ones.")
    points = "½" if event.bye_points else "0"
    if event.late_rounds:
        yield ngettext("Late entrants can miss %(count)s round, which counts %(points)s.",
                       "Late entrants can miss %(count)s rounds, which count %(points)s each.",
                       event.late_rounds) % {"count": event.late_rounds, "points": points}
    if event.byes_allowed:
        yield ngettext("Each entrant can request %(count)s bye, which counts %(points)s.",
                       "Each entrant can request %(count)s byes, which count %(points)s each.",
                       event.byes_allowed) % {"count": event.byes_allowed, "points": points}
    if event.apart_rounds:
        yield ngettext("Bots of one owner or team do not meet in the first %(count)s round, if that can be avoided.",
                       "Bots of one owner or team do not meet in the first %(count)s rounds, if that can be avoided.",
                       event.apart_rounds) % {"count": event.apart_rounds}
    if event.confirm_rounds:
        yield gettext("Each round waits until the organiser has confirmed its pairings.")
