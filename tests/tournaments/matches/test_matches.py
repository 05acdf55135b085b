"""A match from its claim to its end: exactly one attempt counts, no matter what workers and coordinators do."""

from datetime import timedelta

import pytest

from tests.factories import make_event, make_version, play_event, play_match, random_record, spoil_match
from tournaments.models import Attempt, Game, Match, Version
from tournaments.models.lifecycle import AttemptStatus, EventStatus, MatchStatus
from tournaments.services.events.events import cancel_event, pause_event
from tournaments.services.events.requeueing import RequeueRefused, requeue_match
from tournaments.services.matches.matches import claim, finish, reap, void
from tournaments.services.shared.leases import renew, to_publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(db):
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3)


@pytest.fixture
def match(event):
    return Match.objects.get()


@pytest.fixture
def take(match, now):
    """Return a function that claims the match."""
    return lambda at=now, worker="here:1", tier="standard": claim(match_id=match.pk, worker=worker, tier=tier, now=at)


@pytest.fixture
def records():
    return [random_record("square-grid-hex", 3, ("x", "y"), seed) for seed in (1, 2)]


def status(match):
    match.refresh_from_db()
    return match.status


class TestClaim:
    @pytest.mark.database
    def test_starts_an_attempt_under_a_lease(self, take, match, now, settings):
        lease = take()
        match.refresh_from_db()
        assert (match.status, match.attempt) == (MatchStatus.RUNNING, 1)
        assert match.lease_until == lease.until == now + timedelta(seconds=settings.LEASE_SECONDS)
        attempt = Attempt.objects.get()
        assert (attempt.number, attempt.worker, attempt.tier, attempt.status) == (
            1, "here:1", "standard", AttemptStatus.RUNNING)

    def test_succeeds_once_even_if_the_id_arrives_twice(self, take):
        assert take()
        assert take() is None
        assert Attempt.objects.count() == 1

    def test_fails_for_a_missing_match(self, now, db):
        assert claim(match_id=12345, worker="w", tier="standard", now=now) is None

    def test_requires_full_isolation_unless_both_bots_are_trusted(self, take, match):
        Version.objects.filter(pk=match.second_id).update(trusted=False)
        assert [take(tier=tier) for tier in ("reduced", "unsafe-local")] == [None, None]
        Version.objects.filter(pk=match.second_id).update(trusted=True)
        assert take(tier="reduced")


def lost(lease, at):
    """Return whether a renewal finds the lease lost."""
    return renew(Match, {lease.work.pk: lease.number}, at) == {lease.work.pk}


class TestRenew:
    def test_extends_the_lease_from_now(self, take, match, now, settings):
        later = now + timedelta(seconds=40)
        assert not lost(take(), later)
        match.refresh_from_db()
        assert match.lease_until == later + timedelta(seconds=settings.LEASE_SECONDS)

    @pytest.mark.database
    def test_extends_all_leases_with_one_statement_and_names_those_that_are_lost(
        self, now, django_assert_num_queries
    ):
        make_event([make_version(name) for name in ("cat", "dog", "elk")])
        leases = [claim(match_id=pk, worker="here:1", tier="standard", now=now)
                  for pk in Match.objects.values_list("pk", flat=True)]
        held = {lease.work.pk: lease.number for lease in leases}
        with django_assert_num_queries(1):
            assert renew(Match, held, now) == set()
        Match.objects.filter(pk=leases[1].work.pk).update(attempt=7)
        assert renew(Match, held, now) == {leases[1].work.pk}

    def test_fails_after_another_worker_took_the_match(self, take, now):
        lease = take()
        assert reap(now + timedelta(minutes=5)) == 1
        assert take(now + timedelta(minutes=6))
        assert lost(lease, now + timedelta(minutes=6))

    def test_fails_after_the_event_was_cancelled(self, take, event, now):
        lease = take()
        cancel_event(event=event, now=now)
        assert lost(lease, now)


class TestFinish:
    @pytest.mark.database
    def test_records_both_games_with_seats_rotated(self, take, match, records, now):
        assert finish(take(), records, now)
        assert status(match) == MatchStatus.FINISHED
        assert match.lease_until is None
        games = Game.objects.order_by("number")
        assert [(game.seat0, game.seat1) for game in games] == [
            (match.first, match.second), (match.second, match.first)]
        assert [game.record for game in games] == [record.to_dict() for record in records]
        assert [(game.winner, game.reason, game.plies) for game in games] == [
            (record.result.winner, record.result.reason, len(record.turns)) for record in records]
        assert Attempt.objects.get().status == AttemptStatus.COUNTED

    @pytest.mark.database
    def test_updates_the_events_pages_and_has_no_effect_the_second_time(self, take, event, records, now):
        before, lease = event.revision, take()
        assert finish(lease, records, now)
        assert not finish(lease, records, now)
        event.refresh_from_db()
        assert (event.revision, Game.objects.count()) == (before + 1, 2)
        assert Attempt.objects.get().status == AttemptStatus.COUNTED

    def test_is_discarded_after_the_reaper_without_effect_on_a_newer_attempt(self, take, match, records, now):
        late = take()
        reap(now + timedelta(minutes=5))
        assert not finish(late, records, now + timedelta(minutes=5))
        assert status(match) == MatchStatus.QUEUED
        assert not Game.objects.exists()
        lease = take(now + timedelta(minutes=6))
        assert not finish(late, records, now)
        assert finish(lease, records, now + timedelta(minutes=6))
        assert list(match.attempts.order_by("number").values_list("status", flat=True)) == [
            AttemptStatus.VOID, AttemptStatus.COUNTED]
        assert set(Game.objects.values_list("attempt", flat=True)) == {lease.attempt.pk}


class TestVoid:
    @pytest.mark.database
    def test_requeues_the_match_and_records_the_reason(self, take, match, now):
        void(take(), "the sandbox failed: no cgroup", now)
        assert status(match) == MatchStatus.QUEUED
        attempt = Attempt.objects.get()
        assert (attempt.status, attempt.reason, attempt.ended_at) == (
            AttemptStatus.VOID, "the sandbox failed: no cgroup", now)

    def test_is_permanent_after_five_attempts_and_no_bot_loses(self, match):
        for number in range(1, 6):
            spoil_match(match, "no disk")
            assert status(match) == (MatchStatus.VOID if number == 5 else MatchStatus.QUEUED)
        assert not Game.objects.exists()

    def test_retries_with_growing_delays(self, take, match, now, settings):
        def waits() -> int:
            """Return the seconds until its id is republished."""
            return next(seconds for seconds in range(0, 200, 2)
                        if to_publish(Match, now + timedelta(seconds=seconds)).exists())

        settings.REPUBLISH_SECONDS = 8
        waited = []
        for _ in range(4):
            void(take(now), "no disk", now)
            waited.append(waits())
            due = now + timedelta(seconds=waited[-1])
            assert take(due - timedelta(seconds=1)) is None, "a repeated id does not end the wait"
            now = due
        assert waited == [8, 16, 32, 64]

    def test_leaves_a_newer_attempt_alone(self, take, match, now):
        late = take()
        reap(now + timedelta(minutes=5))
        take(now + timedelta(minutes=6))
        void(late, "too late", now + timedelta(minutes=6))
        assert status(match) == MatchStatus.RUNNING
        assert match.attempts.get(number=1).reason == "the lease of here:1 ran out"


class TestReaper:
    def test_leaves_valid_leases_alone(self, take, match, now, settings):
        take()
        assert reap(now + timedelta(seconds=settings.LEASE_SECONDS)) == 0
        assert status(match) == MatchStatus.RUNNING

    def test_gives_up_after_five_lost_leases(self, take, match, now):
        for hour in range(1, 6):
            take(now + timedelta(hours=hour))
            assert reap(now + timedelta(hours=hour, minutes=5)) == 1
        assert status(match) == MatchStatus.VOID


class TestRequeue:
    @pytest.fixture
    def void_match(self, event, match):
        for _ in range(5):
            spoil_match(match, "no disk")
        return match

    def test_gives_five_more_attempts_and_continues_their_numbers(self, void_match, now):
        requeue_match(match=void_match, now=now)
        for number in range(6, 11):
            assert status(void_match) == MatchStatus.QUEUED
            spoil_match(void_match, "still no disk")
            assert void_match.attempts.count() == number
        assert status(void_match) == MatchStatus.VOID

    @pytest.mark.database
    def test_reopens_a_finished_event_and_rates_in_its_own_period(self, event, void_match, now):
        assert play_event(event).status == EventStatus.FINISHED
        requeue_match(match=void_match, now=now)
        event.refresh_from_db()
        assert (event.status, event.ended_at) == (EventStatus.RUNNING, None)
        assert play_event(event).status == EventStatus.FINISHED
        assert status(void_match) == MatchStatus.FINISHED
        assert void_match.rating_period == 1

    def test_waits_while_the_event_is_paused(self, event, void_match, now):
        pause_event(event=event, now=now)
        requeue_match(match=void_match, now=now)
        assert void_match.held

    def test_is_refused_for_a_match_that_is_not_void(self, match, now):
        with pytest.raises(RequeueRefused, match="is queued; only a void match can be replayed"):
            requeue_match(match=match, now=now)

    def test_does_not_reopen_an_event_for_a_match_that_is_not_void(self, event, match, now):
        play_match(match)
        play_event(event)
        with pytest.raises(RequeueRefused):
            requeue_match(match=match, now=now)
        event.refresh_from_db()
        assert event.status == EventStatus.FINISHED

    def test_is_refused_after_the_event_was_cancelled(self, event, void_match, now):
        cancel_event(event=event, now=now)
        with pytest.raises(RequeueRefused, match="was cancelled"):
            requeue_match(match=void_match, now=now)
