"""Room for a ladder's bots in the events of a series, and a sentence about those left out."""

from bisect import bisect_right
from datetime import datetime

from django.utils.translation import ngettext

from tournaments.formats.registry import find
from tournaments.models import Entry, Event, LadderEntry
from tournaments.models.lifecycle import VersionStatus
from tournaments.platform.refusals import stated
from tournaments.selectors.shared.permissions import ineligible
from tournaments.services.events import leagues
from tournaments.services.events.scheduling import MOST_MATCHES


def enter_ladder(event: Event, now: datetime) -> None:
    """Enter the versions that play on the event's ladder now, in order of joining, while there is room.

    In a league, the bots of the last season come first. `left_out` counts the rest. Call it in the transaction that
    starts the event.
    """
    players = LadderEntry.objects.filter(ladder=event.ladder_id, active=True, version__status=VersionStatus.ACTIVE)
    found = list(players.exclude(pk__in=players.filter(ineligible()).values("pk")).exclude(bot__entries__event=event)
                 .order_by("joined_at", "pk").values_list("bot", "version"))
    if event.series is not None:
        found = leagues.by_last_season(event.series, found)
    places = max(0, room(event) - event.entries.count())
    Entry.objects.bulk_create((Entry(event=event, bot_id=bot, version_id=version, entered_at=now)
                               for bot, version in found[:places]), batch_size=1000)
    event.left_out = max(0, len(found) - places)
    Event.objects.filter(pk=event.pk).update(left_out=event.left_out)


def room(event: Event) -> int:
    """Return the largest number of entrants that the event can have."""
    by_matches = _most_by_matches(event)
    return min(find(event.format).most_entries(event.max_entries) or by_matches, by_matches)


def note(event: Event) -> str:
    """Return why bots of the ladder, or of the last season, were left out, as a sentence; empty if none were."""
    if not event.left_out:
        return ""
    most, by_matches = find(event.format).most_entries(event.max_entries), _most_by_matches(event)
    facts = {"count": event.left_out, "most": min(most or by_matches, by_matches), "matches": MOST_MATCHES}
    if event.series is not None and event.series.division_size is not None:
        return stated(ngettext(
            "%(count)s bot was not entered: a season is limited to %(most)s entries. The bots of the last season were "
            "entered first, by division and place.",
            "%(count)s bots were not entered: a season is limited to %(most)s entries. The bots of the last season "
            "were entered first, by division and place.", event.left_out), **facts)
    if most is not None and most <= by_matches:
        return stated(ngettext(
            "%(count)s bot of the ladder was not entered: the event is limited to %(most)s entries.",
            "%(count)s bots of the ladder were not entered: the event is limited to %(most)s entries, and the bots "
            "that joined the ladder first were entered.", event.left_out), **facts)
    return stated(ngettext(
        "%(count)s bot of the ladder was not entered: with more than %(most)s entries the event would have more than "
        "%(matches)s matches.",
        "%(count)s bots of the ladder were not entered: with more than %(most)s entries the event would have more "
        "than %(matches)s matches. The bots that joined the ladder first were entered.", event.left_out), **facts)


def _most_by_matches(event: Event) -> int:
    """Return the largest number of entrants with which the event has at most MOST_MATCHES matches."""
    format_ = find(event.format)
    return bisect_right(range(MOST_MATCHES + 2), MOST_MATCHES, key=lambda entrants: event.cycles * format_.pairings(
        entrants, rounds=event.swiss_rounds)) - 1
