"""Replay of a void match at an organiser's request; a finished event runs again for it."""

from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.models import Entry, Event, Match
from tournaments.models.lifecycle import MATCH_TRANSITIONS, EventStatus, MatchKind, MatchStatus
from tournaments.platform.refusals import Refused
from tournaments.services.events.events import reopen_event
from tournaments.services.events.rounds import is_settled
from tournaments.services.shared import audit
from tournaments.services.shared.statements import touch
from tournaments.services.shared.wakeups import Step, wake


class RequeueRefused(Refused):
    """The match cannot be replayed: it is not void, its event was cancelled, or later play depends on it."""


def requeue_match(*, match: Match, now: datetime, actor: Any = None) -> Match:
    """Requeue a void match, with as many tries as at first; a finished event runs again until the match is over.

    Attempt numbers continue. The match's games are rated in a period of their own. Raises RequeueRefused.
    """
    if match.kind == MatchKind.TRIAL:
        raise RequeueRefused(f"Match {match.pk} was played for a trial, which replaces its void matches automatically.")
    with transaction.atomic():
        event = Event.objects.select_for_update(no_key=True).filter(pk=match.event_id).first()
        if event is not None and event.status == EventStatus.CANCELLED:
            raise RequeueRefused(f"{event.name} was cancelled: its matches cannot be replayed.")
        gone = Entry.objects.filter(event=event, version__in=(match.first_id, match.second_id), left_at__isnull=False)
        if event is not None and gone.exists():
            raise RequeueRefused(f"A bot of match {match.pk} has left {event}: the match cannot be replayed.")
        if is_settled(match):
            raise RequeueRefused(f"Match {match.pk} cannot be replayed: later results in {event} depend on it.")
        if event is not None and event.status == EventStatus.FINISHED:
            reopen_event(event=event)
        held = event is not None and event.status == EventStatus.PAUSED
        queued = Match.objects.filter(pk=match.pk, status__in=MATCH_TRANSITIONS["requeue"]).update(
            status=MatchStatus.QUEUED, ended_at=None, published_at=None, due_at=None, held=held)
        match.refresh_from_db()
        if not queued:
            raise RequeueRefused(f"Match {match.pk} is {match.get_status_display().lower()}; "
                                 "only a void match can be replayed.")
        touch(match.event_id)
        audit.record(actor=actor, verb="requeue", target=match, now=now)
        wake(Step.PUBLISH)
    return match
