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
    if event.apart_rounds:
        yield ngettext("Bots of one owner or team do not meet in the first %(count)s round, if that can be avoided.",
                       "Bots of one owner or team do not meet in the first %(count)s rounds, if that can be avoided.",
                       event.apart_rounds) % {"count": event.apart_rounds}
