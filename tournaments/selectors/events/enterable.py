"""Versions that a user can enter in an event, and the user's entries in it."""

from typing import Any

from django.db.models import QuerySet

from tournaments.formats.registry import find
from tournaments.models import Entry, Event, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import own_bots


def enterable(event: Event, user: Any) -> list[Version]:
    """Return active versions of the user's bots that play the ruleset and are not entered, by bot, newest first."""
    if not user.is_authenticated:
        return []
    versions = (Version.objects.filter(bot__in=own_bots(user), status=VersionStatus.ACTIVE)
                .exclude(bot__entries__event=event).select_related("bot").order_by("bot__name", "-number"))
    # SQLite cannot query whether a JSON list contains a value.
    return [version for version in versions if event.ladder.ruleset in version.rulesets]


def entries_of(event: Event, user: Any) -> QuerySet[Entry]:
    """Return the user's entries in the event that have not left, by bot."""
    if not user.is_authenticated:
        return Entry.objects.none()
    mine = event.entries.filter(bot__in=own_bots(user))
    # An entrant that has left an arena can return.
    if not find(event.format).is_continuous:
        mine = mine.filter(left_at=None)
    return (mine
            .select_related("bot", "version").order_by("bot__name"))
