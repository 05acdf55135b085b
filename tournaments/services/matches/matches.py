"""One match under a lease (`services/shared/leases`), from claim to end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Value, When

from engines.records.record import EndedBy, GameRecord
from tournaments.models import Attempt, Game, Match, Side
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.services.matches import conduct
from tournaments.services.shared import leases
from tournaments.services.shared.statements import insert, touch
from tournaments.services.shared.wakeups import wake_after, wake_soon_after


@dataclass(frozen=True, slots=True)
class MatchLease(leases.Lease[Match]):
    """A worker's claim on a match, with the attempt in which it plays the match."""

    attempt: Attempt


def claim(*, match_id: int, worker: str, tier: str, now: datetime) -> MatchLease | None:
    """Claim a queued match; return None if it is taken, over, held, not due, or not for this tier."""
    with transaction.atomic():
        match = leases.claim(Match, match_id, tier=tier, now=now, only={"held": False})
        if match is None:
            return None
        attempt = Attempt(match=match, number=match.attempt, worker=worker, tier=tier, started_at=now)
        insert([attempt])
    return _lease(match, attempt)


def finish(lease: MatchLease, records: Sequence[GameRecord], now: datetime) -> bool:
    """Record the match's games and end it, in one transaction; return False if the attempt no longer counts.

    `records[0]` was played with the match's first version on seat 0, `records[1]` with its second. Finishing a match
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
    # After the transaction: within it, all matches of an event would wait for one another, each until another has
    # ended. If this process dies here, the pages are updated with the next match, or at the event's end. Of several
    # last matches, at least the one that gets here last finds no open match.
    wake_soon_after(match.kind, format_of_open=touch(match.event_id))
    return True


def void(lease: MatchLease, reason: str, now: datetime, *, expired_by: datetime | None = None) -> bool:
    """Give up an attempt that the infrastructure spoiled: the match is requeued, or void after the last try.

    With `expired_by`, only if the lease had expired by then. A match that was called off in the meantime is cancelled.
    Return False if the attempt did not hold its match; even then, the attempt is void unless it was judged before.
    """
    tries = lease.number % settings.MAX_ATTEMPTS
    with transaction.atomic():
        # This also locks the event, before its matches as all other code does, which avoids deadlocks.
        touch(lease.work.event_id)
        held = leases.held(lease, expired_by)
        if tries == 0:
            released = held.update(status=_unless_called_off(MatchStatus.VOID), lease_until=None, ended_at=now)
        else:
            # The cause may last for a while, and must not spoil all tries of a match within a second. An expired lease
            # has waited long enough.
            wait = leases.back_off(tries) if expired_by is None else timedelta(0)
            released = leases.release(held, due_at=now + wait, status=_unless_called_off(MatchStatus.QUEUED),
                                      ended_at=Case(When(called_off=True, then=Value(now))))
        if released or expired_by is None:
            leases.end_run(lease.attempt, AttemptStatus.VOID, now, reason or "no reason was given")
        # It may be its last attempt.
        wake_after(lease.work.kind)
    return bool(released)


def reap(now: datetime) -> int:
    """Void the attempts whose leases expired before `now`, and requeue their matches; return how many."""
    return leases.reap("reap matches", Match, lambda match: _lease(match, match.attempts.get(number=match.attempt)),
                       void, now)


def _lease(match: Match, attempt: Attempt) -> MatchLease:
    return MatchLease(match, attempt.number, attempt.worker, match.lease_until, attempt)


def _unless_called_off(status: MatchStatus) -> Case:
    """Return an expression: this status, or "cancelled" if the match is called off at the time of writing."""
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
    """Return the game from each of its two bots' points of view, not saved."""
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
    """Return the pair in the order of their seats in that game."""
    return pair if number == 1 else pair[::-1]
