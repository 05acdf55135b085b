"""Rulings of an event's organiser: disqualification of an entrant."""

from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from tournaments.formats.registry import find
from tournaments.models import Disqualification, Entry
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.events.permissions import refuse_stranger
from tournaments.selectors.shared.permissions import refuse_banned
from tournaments.services.events.entries import leave_event
from tournaments.services.shared import audit
from tournaments.services.shared.locks import lock_event
from tournaments.services.shared.statements import touch

LONGEST_REASON: Final = 300


class RulingRefused(Refused):
    """An entrant cannot be disqualified: the event is not running, there is no reason, or it has been done already."""


def disqualify(*, entry: Entry, reason: str, annulled: bool, actor: Any, now: datetime) -> Disqualification:
    """Exclude an entrant from a running event, with a public reason. Its open matches are called off.

    If `annulled`, its games no longer count in the standings: in a round-robin or gauntlet they count for neither side,
    in a Swiss they become walkovers for its opponents. They stay rated. Raises RulingRefused, Forbidden.
    """
    refuse_stranger(actor, entry.event)
    refuse_banned(user=actor)
    words = reason.strip()
    if not words or len(words) > LONGEST_REASON or not words.isprintable():
        raise RulingRefused(gettext(
            "A disqualification needs a public reason of 1 to %(longest)s visible characters on one line."),
            longest=LONGEST_REASON)
    with transaction.atomic():
        event = lock_event(entry.event)
        if event.status not in (EventStatus.RUNNING, EventStatus.PAUSED):
            raise RulingRefused(gettext(
                "%(event)s is %(status)s: only an entrant of a running event can be disqualified."), event=event,
                status=event.get_status_display().lower())
        form = find(event.format)
        if annulled and not form.annuls:
            raise RulingRefused(gettext(
                "Games cannot be annulled in the format %(format)s, because later ties follow from them: keep them."),
                format=gettext(form.name))
        try:
            with transaction.atomic():
                ruling = Disqualification.objects.create(entry=entry, reason=words, annulled=annulled, ruled_by=actor,
                                                         ruled_at=now)
        except IntegrityError:
            raise RulingRefused(gettext("%(bot)s is already disqualified."), bot=entry.bot.name) from None
        if Entry.objects.filter(pk=entry.pk, left_at=None).exists():
            leave_event(entry=entry, actor=actor, now=now)
        else:
            touch(event.pk)
        audit.record(actor=actor, verb="disqualify", target=event, now=now, version=str(entry.version), reason=words,
                     annulled=annulled)
    return ruling
