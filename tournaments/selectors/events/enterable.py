"""Which versions somebody may enter in an event, and which bots of theirs are in it."""

from typing import Any

from django.db.models import QuerySet

from tournaments.models import Entry, Event, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import own_bots


def enterable(event: Event, user: Any) -> list[Version]:
    """Ready versions of the person's bots that play the ruleset and are not entered yet, by bot, newest first."""
    if not user.is_authenticated:
        return []
    versions = (Version.objects.filter(bot__in=own_bots(user), status=VersionStatus.ACTIVE)
                .exclude(bot__entries__event=event).select_related("bot").order_by("bot__name", "-number"))
    # SQLite cannot ask whether a JSON list contains something.
    return [version for version in versions if event.ladder.ruleset in version.rulesets]


def entries_of(event: Event, user: Any) -> QuerySet[Entry]:
    """The person's entries in the event that have not left, by bot."""
    if not user.is_authenticated:
        return Entry.objects.none()
    return (event.entries.filter(bot__in=own_bots(user), left_at=None)
            .select_related("bot", "version").order_by("bot__name"))
