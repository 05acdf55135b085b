"""An event's life: start, pause, resume, cancel, finish, reopen. `scheduling` creates events.

`actor` is the user who acts; None is the service itself, which may do everything.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from ratings.counting import hasten
from tournaments.models import Event, Match
from tournaments.models.lifecycle import (
    EVENT_TRANSITIONS,
    MATCH_ENDED,
    SPOKEN_VERBS,
    EventStatus,
    MatchKind,
    MatchStatus,
)
from tournaments.platform.refusals import Refused
from tournaments.selectors.events.permissions import refuse_stranger
from tournaments.selectors.shared.permissions import refuse_banned
from tournaments.services.events import entries, leagues, rounds
from tournaments.services.events.scheduling import EventRefused, create_event
from tournaments.services.matches.calling_off import cancel
from tournaments.services.notices import outbox
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.wakeups import Step, wake, wake_after

__all__ = ["EventRefused", "TransitionRefused", "cancel_event", "create_event", "finish_event", "pause_event",
           "reopen_event", "resume_event", "start_event"]


class TransitionRefused(Refused):
    """The event's status does not permit the change."""


def start_event(*, event: Event, now: datetime, actor: Any = None) -> Event:
    """Order the entrants and insert the first rounds of the event. Of several callers, only one succeeds.

    At its start time, an event that has too few entrants is cancelled; if a user tries to start it before, the start is
    refused. Raises TransitionRefused, EventRefused, Forbidden.
    """
    refuse_stranger(actor, event)
    refuse_banned(user=actor)
    if leagues.goes_on(event):
        raise TransitionRefused(gettext(
            "The last season of %(series)s has not ended: %(event)s starts when it has."), series=event.series,
            event=event.name)
    with transaction.atomic():
        hold(Lock.OPENINGS)
        _move(event, "start", EventStatus.RUNNING, started_at=now)
        entrants = entries.settle(event, now)
        lack = entries.start_blocker(event, entrants)
        if lack and actor is not None:
            raise EventRefused(gettext("%(event)s cannot start: %(lack)s."), event=event, lack=lack)
        if lack:
            return _called_off(event, lack, now)
        rounds.pair_start(event, entrants, now)
        audit.record(actor=actor, verb="start", target=event, now=now)
        wake_after(MatchKind.EVENT)
        _tell(event, "event.started", now)
        for lower in leagues.lower_divisions(event):
            start_event(event=lower, now=now)
    return event


def pause_event(*, event: Event, now: datetime, actor: Any = None) -> Event:
    """Hold the matches that have not begun; running ones are played to the end.

    Raises TransitionRefused, Forbidden.
    """
    refuse_stranger(actor, event)
    with transaction.atomic():
        _move(event, "pause", EventStatus.PAUSED)
        _open_matches(event).update(held=True)
        audit.record(actor=actor, verb="pause", target=event, now=now)
    return event


def resume_event(*, event: Event, now: datetime, actor: Any = None) -> Event:
    """Release the matches that the pause held. Raises TransitionRefused, Forbidden."""
    refuse_stranger(actor, event)
    refuse_banned(user=actor)
    with transaction.atomic():
        _move(event, "resume", EventStatus.RUNNING)
        _open_matches(event).update(held=False, published_at=None)
        audit.record(actor=actor, verb="resume", target=event, now=now)
        wake(Step.WITHDRAW_ENTRIES)
        wake_after(MatchKind.EVENT)
    return event


def cancel_event(*, event: Event, now: datetime, actor: Any = None) -> Event:
    """Cancel the event: finished games stay and are rated, running ones are discarded.

    Raises TransitionRefused, Forbidden.
    """
    refuse_stranger(actor, event)
    with transaction.atomic():
        _move(event, "cancel", EventStatus.CANCELLED, ended_at=now)
        cancel(Match.objects.filter(event=event), "the event was cancelled", now)
        audit.record(actor=actor, verb="cancel", target=event, now=now)
        _tell(event, "event.finished", now)
    return event


def finish_event(*, event: Event, now: datetime) -> bool:
    """Finish a running event that has nothing left to play or rate; return whether it was finished."""
    rounds.prepare(event)
    with transaction.atomic():
        # The lock first, because a void match may be requeued at this moment. Games that refer to the event can be
        # recorded in the meantime.
        locked = Event.objects.select_for_update(no_key=True).filter(
            pk=event.pk, status__in=EVENT_TRANSITIONS["finish"]).first()
        if locked is None:
            return False
        matches = Match.objects.filter(event=event)
        if (matches.exclude(status__in=MATCH_ENDED).exists()
                or matches.filter(status=MatchStatus.FINISHED, rated=True, rating_period=None).exists()
                or not rounds.is_complete(locked, now)):
            return False
        _move(event, "finish", EventStatus.FINISHED, ended_at=now)
        # Readers of the final standings then find the ratings up to date as well.
        hasten(ladder_id=event.ladder_id, now=now)
        wake(Step.COMPUTE_RATINGS)
        audit.record(actor=None, verb="finish", target=event, now=now)
        _tell(event, "event.finished", now)
    return True


def reopen_event(*, event: Event) -> Event:
    """Let a finished event run again, to replay a void match. Raises TransitionRefused."""
    with transaction.atomic():
        _move(event, "reopen", EventStatus.RUNNING, ended_at=None)
    return event


def _called_off(event: Event, lack: str, now: datetime) -> Event:
    """Cancel an event that failed to start; `started_at` stays empty, because it never started."""
    _move(event, "cancel", EventStatus.CANCELLED, started_at=None, ended_at=now)
    audit.record(actor=None, verb="cancel", target=event, now=now, reason=lack)
    _tell(event, "event.finished", now)
    return event


def _tell(event: Event, kind: str, now: datetime) -> None:
    outbox.emit(kind, to=entries.entrants_manager_ids(event), now=now,
                payload={"event": event.slug, "name": event.name, "status": event.status})


def _move(event: Event, verb: str, status: EventStatus, **facts: Any) -> None:
    """Change the status by one conditional UPDATE, which also locks the event until the transaction ends."""
    moved = Event.objects.filter(pk=event.pk, status__in=EVENT_TRANSITIONS[verb]).update(
        status=status, revision=F("revision") + 1, **facts)
    event.refresh_from_db()
    if not moved:
        raise TransitionRefused(gettext(
            "%(event)s is %(status)s: you cannot %(verb)s it now."), event=event.name,
            status=event.get_status_display().lower(), verb=SPOKEN_VERBS[verb])


def _open_matches(event: Event) -> Any:
    return Match.objects.filter(event=event, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
