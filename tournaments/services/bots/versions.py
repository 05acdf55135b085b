"""Changes to a version's status by its author: suspend (`rest`), withdraw, bring back. Its content never changes."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from tournaments.models import LadderEntry, Version
from tournaments.models.lifecycle import VERSION_TRANSITIONS, VersionStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import refuse_banned, require_access
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake

_NOT_NOW: Final = {
    "rest": gettext_lazy("%(version)s is %(status)s: only a version that is %(allowed)s can be suspended."),
    "withdraw": gettext_lazy("%(version)s is %(status)s: only a version that is %(allowed)s can be withdrawn."),
    "bring_back": gettext_lazy("%(version)s is %(status)s: only a version that is %(allowed)s can be brought back."),
}


class VersionRefused(Refused):
    """The version's status does not permit the change."""


def rest(*, version: Version, actor: Any, now: datetime) -> Version:
    """Keep the version from being paired until it is brought back. Raises Forbidden and VersionRefused."""
    require_access(actor, version.bot)
    with transaction.atomic():
        _move(version, "rest", VersionStatus.RESTED, actor, now)
        call_off_outside_events(Q(first=version) | Q(second=version), now)
    return version


def withdraw(*, version: Version, actor: Any, now: datetime) -> Version:
    """Withdraw the version from all play, including ladders. Raises Forbidden and VersionRefused."""
    require_access(actor, version.bot)
    with transaction.atomic():
        _move(version, "withdraw", VersionStatus.WITHDRAWN, actor, now)
        LadderEntry.objects.filter(version=version, active=True).update(active=False)
        call_off_outside_events(Q(first=version) | Q(second=version), now)
    return version


def bring_back(*, version: Version, actor: Any, now: datetime) -> Version:
    """Let the version take part again; it must rejoin ladders that it left. Raises Forbidden and VersionRefused."""
    require_access(actor, version.bot)
    refuse_banned(user=actor, bot=version.bot)
    return _move(version, "bring_back", VersionStatus.ACTIVE, actor, now)


def _move(version: Version, verb: str, status: VersionStatus, actor: Any, now: datetime) -> Version:
    """Change the status by one conditional UPDATE, so that of two attempts at once only one succeeds."""
    spoken = verb.replace("_", " ")
    with transaction.atomic():
        moved = Version.objects.filter(pk=version.pk, status__in=VERSION_TRANSITIONS[verb]).update(status=status)
        version.refresh_from_db(fields=["status"])
        if not moved:
            allowed = gettext(" or ").join(VersionStatus(each).label.lower() for each in VERSION_TRANSITIONS[verb])
            raise VersionRefused(_NOT_NOW[verb], version=version, status=version.get_status_display().lower(),
                allowed=allowed)
        audit.record(actor=actor, verb=spoken, target=version, now=now)
        wake(Step.WITHDRAW_ENTRIES, Step.JUDGE_TRIALS, Step.PAIR_LADDERS)
    return version
