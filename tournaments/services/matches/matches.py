"""One match, from claim to end (`services/shared/leases`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Q, Value, When

from engines.records.record import EndedBy, GameRecord
from tournaments.models import Attempt, Game, Match, Side
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.services.matches import conduct
from tournaments.services.shared import leases
from tournaments.services.shared.statements import insert, touch

_TRUSTED = Q(first__trusted=True, second__trusted=True)


@dataclass(frozen=True, slots=True)
class MatchLease(leases.Lease[Match]):
    """A worker's claim on a match, which it plays in this attempt."""

    attempt: Attempt


def claim(*, match_id: int, worker: str, tier: str, now: datetime) -> MatchLease | None:
    """Take a queued match; None when it is not to be had: taken, over, held, not due, or not for this tier."""
    with transaction.atomic():
        match = leases.claim(Match, match_id, tier=tier, trusted=_TRUSTED, now=now, only={"held": False})
        if match is None:
            return None
        attempt = Attempt(match=match, number=match.attempt, worker=worker, tier=tier, started_at=now)
        insert([attempt])
    return _lease(match, attempt)


def finish(lease: MatchLease, records: Sequence[GameRecord], now: datetime) -> bool:
    """Record the match's games and end it, in one transaction; False when the attempt does not count (any more).

    `records[0]` was played with the match's first version on seat 0, `records[1]` with its second. To finish
    twice changes nothing the second time.
    """
    match = lease.work
    with transaction.atomic():
        if not leases.end(lease, MatchStatus.FINISHED, ended_at=now):
            leases.end_run(lease.attempt, AttemptStatus.VOID, now, match.LEASE_LOST)
            return False
        leases.end_run(lease.attempt, AttemptStatus.COUNTED, now)
        games = [_game(lease, number, record, now) for number, record in enumerate(records, start=1)]
        insert(games)
        insert([side for game in games for side in _sides(match, game)])
        conduct.record_conduct(match, games, now)
    # Afterwards: all matches of an event would wait for one another, each for the whole of another's end. Should this
    # process die here, the pages learn of the match with the next one, or with the event's end.
    touch(match.event_id)
    return True


def void(lease: MatchLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up an attempt that the infrastructure spoiled: the match is queued again, or void after the last try.

    With `expired_by` only if the lease had run out then. A match that was called off meanwhile is cancelled. False when
    the attempt did not hold its match; it is void all the same unless it was judged before.
    """
    tries = lease.number % settings.MAX_ATTEMPTS
    with transaction.atomic():
        # It also locks the event, before its matches as everybody does: no deadlocks.
        touch(lease.work.event_id)
        held = leases.held(lease, expired_by)
        if tries == 0:
            released = held.update(status=_unless_called_off(MatchStatus.VOID), lease_until=None, ended_at=now)
        else:
            # What spoiled it may last for a while, and is not to spoil all tries of a match within a second. A lease
            # that ran out has waited for long enough.
            wait = leases.back_off(tries) if expired_by is None else timedelta(0)
            released = leases.release(held, due_at=now + wait, status=_unless_called_off(MatchStatus.QUEUED),
                                      ended_at=Case(When(called_off=True, then=Value(now))))
        if released or expired_by is None:
            leases.end_run(lease.attempt, AttemptStatus.VOID, now, reason or "no reason was given")
    return bool(released)


def reap(now: datetime) -> int:
    """Void the attempts whose leases have run out by `now`, and queue their matches again; returns how many."""
    return leases.reap("reap matches", Match, lambda match: _lease(match, match.attempts.get(number=match.attempt)),
                       void, now)


def _lease(match: Match, attempt: Attempt) -> MatchLease:
    return MatchLease(match, attempt.number, attempt.worker, match.lease_until, attempt)


def _unless_called_off(status: MatchStatus) -> Case:
    """This status, or "cancelled" for a match that was called off: decided by the row as it is when it is written."""
    return Case(When(called_off=True, then=Value(MatchStatus.CANCELLED)), default=Value(status))


def _game(lease: MatchLease, number: int, record: GameRecord, now: datetime) -> Game:
    match, result = lease.work, record.result
    seat0, seat1 = _seated(number, (match.first_id, match.second_id))
    return Game(
        match_id=match.pk, event_id=match.event_id, number=number, attempt_id=lease.attempt.pk, seat0_id=seat0,
        seat1_id=seat1, winner=result.winner, ended_by=result.ended_by.value, reason=result.reason.value,
        plies=len(record.opening) + len(record.turns), record=record.to_dict(),
        stderr0=record.stderr[0], stderr1=record.stderr[1], ended_at=now)


def _sides(match: Match, game: Game) -> tuple[Side, Side]:
    """The game as each of its two bots sees it, not saved."""
    versions = game.seat0_id, game.seat1_id
    bots = _seated(game.number, (match.first.bot_id, match.second.bot_id))
    score0 = 0.5 if game.winner is None else 1.0 - game.winner
    at_fault = 1 - game.winner if game.ended_by == EndedBy.CONDUCT and game.winner is not None else None
    first, second = (
        Side(game_id=game.pk, seat=seat, bot_id=bots[seat], version_id=versions[seat], opponent_id=bots[1 - seat],
             ladder_id=match.ladder_id, score=abs(seat - score0), at_fault=seat == at_fault)
        for seat in (0, 1))
    return first, second


def _seated(number: int, pair: tuple[int, int]) -> tuple[int, int]:
    """The first's and the second's in the order of their seats in that game."""
    return pair if number == 1 else pair[::-1]
