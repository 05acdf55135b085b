"""One match, from claim to end. Whoever holds the newest attempt number may write; everybody else is fenced off."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Value, When

from engines.records.record import EndedBy, GameRecord
from tournaments.models import Attempt, Entry, Event, Game, Match, Side
from tournaments.models.lifecycle import MATCH_TRANSITIONS, AttemptStatus, EventStatus, MatchKind, MatchStatus
from tournaments.operations.workers import FULL_TIER
from tournaments.platform.refusals import Refused
from tournaments.services.events.events import reopen_event
from tournaments.services.events.rounds import is_settled
from tournaments.services.matches import conduct, statements
from tournaments.services.shared import audit

LEASE_LOST: Final = "the lease was lost before the match was finished"


class LeaseLost(Exception):
    """The attempt no longer holds its match: its lease ran out and was reaped, or the event was cancelled."""


class RequeueRefused(Refused):
    """The match cannot be played again: it is not void, its event was cancelled, or something went on without it."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's claim on a match until `until`. `bots` are the ids of its first and its second bot."""

    match: Match
    bots: tuple[int, int]
    attempt: Attempt
    until: datetime


def lease_duration() -> timedelta:
    """For how long a claim holds without renewal."""
    return timedelta(seconds=settings.LEASE_SECONDS)


def claim(*, match_id: int, worker: str, tier: str, now: datetime) -> Lease | None:
    """Take a queued match; None when it is not to be had: taken, over, held, or not for this tier."""
    until = now + lease_duration()
    with transaction.atomic():
        taken = statements.take(match_id, until, any_bots=tier == FULL_TIER)
        if taken is None:
            return None
        match, bots = taken
        attempt = Attempt(match=match, number=match.attempt, worker=worker, tier=tier, started_at=now)
        statements.insert([attempt])
    return Lease(match, bots, attempt, until)


def renew(lease: Lease, now: datetime) -> Lease:
    """The lease, holding again for its full duration from now. Raises LeaseLost."""
    until = now + lease_duration()
    if not _mine(lease).update(lease_until=until):
        raise LeaseLost(LEASE_LOST)
    return replace(lease, until=until)


def finish(lease: Lease, records: Sequence[GameRecord], now: datetime) -> bool:
    """Record the match's games and end it, in one transaction; False when the attempt does not count (any more).

    `records[0]` was played with the match's first version on seat 0, `records[1]` with its second. To finish
    twice changes nothing the second time.
    """
    with transaction.atomic():
        if not statements.end(lease.match.pk, lease.attempt.number, now):
            statements.judge(lease.attempt.pk, AttemptStatus.VOID, LEASE_LOST, now)
            return False
        statements.judge(lease.attempt.pk, AttemptStatus.COUNTED, "", now)
        games = [_game(lease, number, record, now) for number, record in enumerate(records, start=1)]
        statements.insert(games)
        statements.insert([side for game in games for side in _sides(lease, game)])
        conduct.record_conduct(lease.match, games, now)
    # Afterwards: all matches of an event would wait for one another, each for the whole of another's end. Should this
    # process die here, the pages learn of the match with the next one, or with the event's end.
    statements.touch(lease.match.event_id)
    return True


def void(lease: Lease, reason: str, now: datetime) -> None:
    """Give up an attempt that the infrastructure spoiled: the match is queued again, or void after the last try."""
    with transaction.atomic():
        void_attempt(lease.attempt, reason, now)


def void_attempt(attempt: Attempt, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """`void` for whoever knows the attempt; with `expired_by` only if the lease had run out then. In a transaction.

    A match that was called off meanwhile is cancelled. False when the attempt did not hold its match; it is void all
    the same unless it was judged before.
    """
    # It also locks the event, before its matches as everybody does: no deadlocks.
    statements.touch(attempt.match.event_id)
    held = Match.objects.filter(pk=attempt.match_id, status=MatchStatus.RUNNING, attempt=attempt.number)
    if expired_by is not None:
        held = held.filter(lease_until__lt=expired_by)
    tries = attempt.number % settings.MAX_ATTEMPTS
    if tries == 0:
        released = held.update(status=_unless_called_off(MatchStatus.VOID), lease_until=None, ended_at=now)
    else:
        # What spoiled it may last for a while, and is not to spoil all tries of a match within a second. A lease that
        # ran out has waited for long enough.
        wait = (2 ** (tries - 1) - 1) * timedelta(seconds=settings.REPUBLISH_SECONDS)
        again = None if expired_by is not None else now + wait
        released = held.update(status=_unless_called_off(MatchStatus.QUEUED), lease_until=None, published_at=again,
                               ended_at=Case(When(called_off=True, then=Value(now))))
    if released or expired_by is None:
        statements.judge(attempt.pk, AttemptStatus.VOID, reason or "no reason was given", now)
    return bool(released)


def _unless_called_off(status: MatchStatus) -> Case:
    """This status, or "cancelled" for a match that was called off: decided by the row as it is when it is written."""
    return Case(When(called_off=True, then=Value(MatchStatus.CANCELLED)), default=Value(status))


def requeue_match(*, match: Match, now: datetime, actor: Any = None) -> Match:
    """Try a void match again, as often as at first; a finished event runs again until it is over.

    Attempts count on. Games that come of it are rated in a period of their own. Raises RequeueRefused.
    """
    if match.kind == MatchKind.TRIAL:
        raise RequeueRefused(f"Match {match.pk} was played for a trial, which replaces its void matches by itself.")
    with transaction.atomic():
        event = Event.objects.select_for_update(no_key=True).filter(pk=match.event_id).first()
        if event is not None and event.status == EventStatus.CANCELLED:
            raise RequeueRefused(f"{event.name} was cancelled: its matches are not played again.")
        gone = Entry.objects.filter(event=event, version__in=(match.first_id, match.second_id), left_at__isnull=False)
        if event is not None and gone.exists():
            raise RequeueRefused(f"A bot of match {match.pk} has left {event}: the match is not played again.")
        if is_settled(match):
            raise RequeueRefused(f"Match {match.pk} is settled: what came after it in {event} went by how it ended.")
        if event is not None and event.status == EventStatus.FINISHED:
            reopen_event(event=event)
        held = event is not None and event.status == EventStatus.PAUSED
        queued = Match.objects.filter(pk=match.pk, status__in=MATCH_TRANSITIONS["requeue"]).update(
            status=MatchStatus.QUEUED, ended_at=None, published_at=None, held=held)
        match.refresh_from_db()
        if not queued:
            raise RequeueRefused(f"Match {match.pk} is {match.get_status_display().lower()}; "
                                 "only a void match is played again.")
        statements.touch(match.event_id)
        audit.record(actor=actor, verb="requeue", target=match, now=now)
    return match


def _mine(lease: Lease):  # type: ignore[no-untyped-def]
    """The match if it still runs under this lease's attempt: the fence."""
    return Match.objects.filter(pk=lease.match.pk, status=MatchStatus.RUNNING, attempt=lease.attempt.number)


def _game(lease: Lease, number: int, record: GameRecord, now: datetime) -> Game:
    match, result = lease.match, record.result
    seat0, seat1 = _seated(number, (match.first_id, match.second_id))
    return Game(
        match_id=match.pk, event_id=match.event_id, number=number, attempt_id=lease.attempt.pk, seat0_id=seat0,
        seat1_id=seat1, winner=result.winner, ended_by=result.ended_by.value, reason=result.reason.value,
        plies=len(record.opening) + len(record.turns), record=record.to_dict(),
        stderr0=record.stderr[0], stderr1=record.stderr[1], ended_at=now)


def _sides(lease: Lease, game: Game) -> tuple[Side, Side]:
    """The game as each of its two bots sees it, not saved."""
    versions, bots = (game.seat0_id, game.seat1_id), _seated(game.number, lease.bots)
    score0 = 0.5 if game.winner is None else 1.0 - game.winner
    at_fault = 1 - game.winner if game.ended_by == EndedBy.CONDUCT and game.winner is not None else None
    first, second = (
        Side(game_id=game.pk, seat=seat, bot_id=bots[seat], version_id=versions[seat], opponent_id=bots[1 - seat],
             ladder_id=lease.match.ladder_id, score=abs(seat - score0), at_fault=seat == at_fault)
        for seat in (0, 1))
    return first, second


def _seated(number: int, pair: tuple[int, int]) -> tuple[int, int]:
    """The first's and the second's in the order of their seats in that game."""
    return pair if number == 1 else pair[::-1]
