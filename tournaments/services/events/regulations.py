"""Checks of an event's regulations: withdrawals, bots that belong together, and the time of an arena."""

from typing import Any, Final

from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.formats.contract import Format
from tournaments.formats.history import KEEP
from tournaments.models.rulings import MOST_MINUTES, WITHDRAWALS
from tournaments.platform.refusals import Refused

REGULATIONS: Final = ("withdrawals", "apart_rounds", "minutes", "streaks")
MOST_ROUNDS: Final = 100
DEFAULT_MINUTES: Final = 60


class EventRefused(Refused):
    """An event cannot be scheduled: too few entrants, a start in the past, a bot that cannot play, and so on."""


def check_regulations(
    format: str, *,  # noqa: A002 - the name in the tables and the API
    withdrawals: str = "", apart_rounds: int | None = None, minutes: int | None = None, streaks: bool = False,
) -> dict[str, Any]:
    """Return the regulations as the row stores them; empty ones are the defaults. Raises EventRefused."""
    withdrawals, apart_rounds = withdrawals or KEEP, apart_rounds or 0
    form = registry.find(format)
    policies = [policy for policy, _ in WITHDRAWALS]
    if withdrawals not in policies:
        raise EventRefused(gettext("Unknown policy for withdrawals %(policy)r: choose from %(policies)s."),
                           policy=withdrawals, policies=", ".join(policies))
    if withdrawals != KEEP and (form.keeps_apart or not form.annuls):
        raise EventRefused(gettext(
            "Results of entrants that leave can be annulled only if each entrant knows all its opponents at the start, "
            "not in the format %(format)s: keep them."), format=gettext(form.name))
    if not 0 <= apart_rounds <= MOST_ROUNDS:
        raise EventRefused(gettext(
            "First rounds without pairings of one owner or team: the number must be 0 to %(most)s, not %(count)s."),
            most=MOST_ROUNDS, count=apart_rounds)
    if apart_rounds and not form.keeps_apart:
        raise EventRefused(gettext(
            "First rounds without pairings of one owner or team: this is possible only in a Swiss, not in the format "
            "%(format)s. Set it to 0."), format=gettext(form.name))
    return {"withdrawals": withdrawals, "apart_rounds": apart_rounds, **_duration(form, minutes, streaks=streaks)}


def _duration(form: Format, minutes: int | None, *, streaks: bool) -> dict[str, Any]:
    if not form.is_continuous:
        if minutes or streaks:
            raise EventRefused(gettext("The format %(format)s has no duration and no streaks: leave them empty, or "
                                       "choose the format Arena."), format=gettext(form.name))
        return {"minutes": 0, "streaks": False}
    if minutes is None:
        minutes = DEFAULT_MINUTES
    if not 1 <= minutes <= MOST_MINUTES:
        raise EventRefused(gettext("An arena takes 1 to %(most)s minutes, not %(minutes)s: choose a duration in that "
                                   "range."), most=MOST_MINUTES, minutes=minutes)
    return {"minutes": minutes, "streaks": bool(streaks)}
