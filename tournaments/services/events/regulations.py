"""Checks of an event's regulations: withdrawals, late entries, requested byes, and bots that belong together."""

from typing import Any, Final

from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.formats.contract import Format
from tournaments.formats.history import KEEP
from tournaments.models.rulings import BYE_POINTS, MOST_MINUTES, WITHDRAWALS
from tournaments.platform.refusals import Refused

REGULATIONS: Final = ("withdrawals", "late_rounds", "byes_allowed", "bye_points", "apart_rounds", "confirm_rounds",
                      "minutes", "streaks")
MOST_ROUNDS: Final = 100
DEFAULT_MINUTES: Final = 60


class EventRefused(Refused):
    """An event cannot be scheduled: too few entrants, a start in the past, a bot that cannot play, and so on."""


def check_regulations(
    format: str, *,  # noqa: A002 - the name in the tables and the API
    withdrawals: str = "", late_rounds: int | None = None, byes_allowed: int | None = None,
    bye_points: float | None = None, apart_rounds: int | None = None, confirm_rounds: bool | None = None,
    minutes: int | None = None, streaks: bool = False,
) -> dict[str, Any]:
    """Return the regulations as the row stores them; empty ones are the defaults. Raises EventRefused."""
    withdrawals, bye_points = withdrawals or KEEP, bye_points or 0.0
    late_rounds, byes_allowed, apart_rounds = late_rounds or 0, byes_allowed or 0, apart_rounds or 0
    form = registry.find(format)
    policies = [policy for policy, _ in WITHDRAWALS]
    if withdrawals not in policies:
        raise EventRefused(gettext("Unknown policy for withdrawals %(policy)r: choose from %(policies)s."),
                           policy=withdrawals, policies=", ".join(policies))
    if withdrawals != KEEP and (form.takes_rests or not form.annuls):
        raise EventRefused(gettext(
            "Results of entrants that leave can be annulled only if each entrant knows all its opponents at the start, "
            "not in the format %(format)s: keep them."), format=gettext(form.name))
    counts = (
        (gettext("Rounds that late entrants can miss"), late_rounds, form.takes_late_entries and form.takes_rests),
        (gettext("Byes that an entrant can request"), byes_allowed, form.takes_rests),
        (gettext("First rounds without pairings of one owner or team"), apart_rounds, form.takes_rests))
    for name, count, possible in counts:
        if not 0 <= count <= MOST_ROUNDS:
            raise EventRefused(gettext("%(name)s: the number must be 0 to %(most)s, not %(count)s."), name=name,
                               most=MOST_ROUNDS, count=count)
        if count and not possible:
            raise EventRefused(gettext(
                "%(name)s: this is possible only in a Swiss, not in the format %(format)s. Set it to 0."), name=name,
                format=gettext(form.name))
    if bye_points not in BYE_POINTS:
        raise EventRefused(gettext("A requested bye is worth 0 or 0.5 points, not %(points)s."), points=bye_points)
    if confirm_rounds and not form.changes_by_hand:
        raise EventRefused(gettext(
            "Only the rounds of a Swiss can wait for your confirmation, not those of the format %(format)s: turn this "
            "off."), format=gettext(form.name))
    return {"withdrawals": withdrawals, "late_rounds": late_rounds, "byes_allowed": byes_allowed,
            "bye_points": bye_points, "apart_rounds": apart_rounds, "confirm_rounds": bool(confirm_rounds),
            **_duration(form, minutes, streaks=streaks)}


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
