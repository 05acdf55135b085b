"""Races between conflicting actions, on PostgreSQL, where they really run concurrently.

Where the order matters the test enforces it: it locks a row until all actions wait for it, one behind the other.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import permutations

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model, Q

from engines.records.record import GameRecord
from tests.factories import START, make_user, make_version, play_match, random_record, spoil_match
from tests.tournaments.events.test_rounds import hold_event, level
from tests.tournaments.operations.test_coordinator import at_once, in_thread
from tests.tournaments.trials import play
from tests.waiting import wait_for
from tournaments.coordinator import steps
from tournaments.models import (
    Attempt,
    AuditEntry,
    Bye,
    Candidacy,
    Delivery,
    Event,
    LadderEntry,
    Match,
    Token,
    Webhook,
)
from tournaments.models.lifecycle import AttemptStatus, CandidacyStatus, EventStatus, MatchStatus
from tournaments.services.accounts import tokens
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import TransitionRefused, cancel_event, finish_event, pause_event
from tournaments.services.events.requeueing import RequeueRefused, requeue_match
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join, leave
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.rating import rate_due
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.matches import matches
from tournaments.services.matches.matches import reap
from tournaments.services.notices import webhooks
from tournaments.services.shared import leases

pytestmark = [pytest.mark.needs_servers, pytest.mark.serial, pytest.mark.django_db(transaction=True)]

LATER = START + timedelta(minutes=1)
Act = Callable[[], object]


def in_order(row: Model, acts: Sequence[Act]) -> list[object]:
    """Lock the row, start each act when the one before waits or is done, and release the lock.

    Returns the results of the acts.
    """
    results: dict[int, object] = {}

    def run(number: int, act: Act) -> None:
        results[number] = act()

    threads = [threading.Thread(target=in_thread(lambda n=n, act=act: run(n, act))) for n, act in enumerate(acts)]
    with transaction.atomic():
        type(row).objects.select_for_update(no_key=True).get(pk=row.pk)
        for number, thread in enumerate(threads):
            thread.start()
            wait_for(lambda thread=thread, number=number: not thread.is_alive() or waiting() + len(results) > number,
                     "an act to wait for the lock, or to end")
    for thread in threads:
        thread.join()
    assert len(results) == len(acts), "an act raised an exception"
    return [results[number] for number in range(len(acts))]


def waiting() -> int:
    """Number of connections to this database that wait for a lock."""
    with connection.cursor() as cursor:
        # Otherwise PostgreSQL would show the same activity for the whole transaction.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT count(*) FROM pg_stat_activity "
                       "WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0")
        return cursor.fetchone()[0]


def refused(act: Act, *reasons: type[Exception]) -> Act:
    """Wrap the act so that it returns True on success and False if refused for one of these reasons."""
    def run() -> bool:
        try:
            act()
        except reasons:
            return False
        return True

    return run


def records_of(match: Match) -> list[GameRecord]:
    names = (match.first.bot.name, match.second.bot.name)
    return [random_record("square-grid-hex", 3, pair, number, opening=match.opening)
            for number, pair in enumerate((names, names[::-1]))]


def claim(match: Match) -> matches.MatchLease | None:
    return matches.claim(match_id=match.pk, worker="test:1", tier=leases.FULL_TIER, now=START)


def is_consistent(match: Match) -> bool:
    """Return whether games, attempts and status agree: finished with both games, or without games or a stale claim."""
    match.refresh_from_db()
    statuses = Counter(match.attempts.values_list("status", flat=True))
    counted, running = statuses[AttemptStatus.COUNTED], statuses[AttemptStatus.RUNNING]
    if match.status == MatchStatus.FINISHED:
        return (match.games.count(), counted, running) == (2, 1, 0)
    return (match.games.count(), counted) == (0, 0) and running == (match.status == MatchStatus.RUNNING)


@contextmanager
def at_play(**facts):
    """Yield an event with one running match: the event, the match, and a function that finishes the match."""
    event = hold_event(2, "round-robin", **facts)
    match = Match.objects.select_related("first__bot", "second__bot").get()
    lease, records = claim(match), records_of(match)
    assert lease is not None
    yield event, match, lambda: matches.finish(lease, records, LATER)
    assert is_consistent(match)


class TestCancellingAnEvent:
    @pytest.mark.parametrize("first", ["cancel", "finish"])
    def test_keeps_recorded_games_and_records_none_afterwards(self, first):
        with at_play() as (event, match, finish):
            acts = {"cancel": lambda: cancel_event(event=event, now=LATER), "finish": finish}
            done = dict(zip(order := sorted(acts, key=lambda name: name != first),
                            in_order(match, [acts[name] for name in order]), strict=True))
            assert done["finish"] is (first == "finish")
        assert Event.objects.get().status == EventStatus.CANCELLED
        assert match.status == (MatchStatus.FINISHED if first == "finish" else MatchStatus.CANCELLED)

    @pytest.mark.parametrize("first", [0, 1])
    def test_causes_no_deadlock(self, first):
        """Finishing a match updates the event afterwards, so a lock on the event does not block recording games."""
        with at_play() as (event, match, finish):
            acts = [lambda: cancel_event(event=event, now=LATER), finish]
            in_order(event, acts if first == 0 else acts[::-1])
        assert (Event.objects.get().status, match.status) == (EventStatus.CANCELLED, MatchStatus.FINISHED)

    @pytest.mark.parametrize("first", [0, 1])
    def test_leaves_no_match_running(self, first):
        event = hold_event(2, "round-robin")
        match = Match.objects.get()
        acts = [lambda: cancel_event(event=event, now=LATER), lambda: claim(match)]
        in_order(match, acts if first == 0 else acts[::-1])
        assert is_consistent(match)
        assert match.status == MatchStatus.CANCELLED
        assert not Attempt.objects.filter(status=AttemptStatus.RUNNING).exists()

    @pytest.mark.parametrize("first", [0, 1])
    def test_leaves_nothing_for_the_reaper_to_requeue(self, first):
        with at_play() as (event, match, _):
            lost = START + leases.lease_duration() + timedelta(seconds=1)
            acts = [lambda: cancel_event(event=event, now=lost), lambda: reap(lost)]
            in_order(match, acts if first == 0 else acts[::-1])
        assert match.status == MatchStatus.CANCELLED


class TestFinishingAnEvent:
    @pytest.mark.parametrize("rated", [True, False])
    def test_does_not_happen_while_a_match_runs(self, rated):
        with at_play(rated=rated) as (event, match, finish):
            # Here the first act waits; the second does not, because it finds the match running.
            assert in_order(match, [finish, lambda: finish_event(event=event, now=LATER)]) == [True, False]
            assert rate_due(LATER) == int(rated)
            assert finish_event(event=event, now=LATER)

    @pytest.mark.parametrize("rated", [True, False])
    @pytest.mark.parametrize("first", [0, 1])
    def test_waits_until_the_games_are_rated(self, rated, first):
        with at_play(rated=rated) as (event, match, finish):
            acts = [lambda: finish_event(event=event, now=LATER), finish]
            done = in_order(event, acts if first == 0 else acts[::-1])
            assert (done if first == 0 else done[::-1]) == [not rated, True]
        assert Event.objects.get().status == (EventStatus.RUNNING if rated else EventStatus.FINISHED)
        assert match.status == MatchStatus.FINISHED

    @pytest.mark.parametrize("first", [0, 1])
    def test_leaves_no_void_match_queued_in_an_event_that_is_over(self, settings, first):
        settings.MAX_ATTEMPTS = 1
        event = hold_event(2, "round-robin")
        match = spoil_match(Match.objects.get(), "no disk")
        acts = [lambda: finish_event(event=event, now=LATER), lambda: requeue_match(match=match, now=LATER)]
        in_order(event, acts if first == 0 else acts[::-1])
        match.refresh_from_db()
        assert (Event.objects.get().status, match.status) == (EventStatus.RUNNING, MatchStatus.QUEUED)

    @pytest.mark.parametrize("order", list(permutations(("finish", "cancel", "requeue"))))
    def test_is_consistent_with_concurrent_cancelling_and_requeueing(self, settings, order):
        settings.MAX_ATTEMPTS = 1
        event = hold_event(2, "round-robin")
        match = spoil_match(Match.objects.get(), "no disk")
        acts = {
            "finish": lambda: finish_event(event=event, now=LATER),
            "cancel": refused(lambda: cancel_event(event=event, now=LATER), TransitionRefused),
            "requeue": refused(lambda: requeue_match(match=match, now=LATER), RequeueRefused),
        }
        in_order(event, [acts[name] for name in order])
        match.refresh_from_db()
        event.refresh_from_db()
        over = event.status in (EventStatus.FINISHED, EventStatus.CANCELLED)
        assert over == (match.status in (MatchStatus.VOID, MatchStatus.CANCELLED))
        assert over == (event.ended_at is not None)


class TestAPause:
    @pytest.mark.parametrize("first", [0, 1])
    def test_holds_a_match_that_is_requeued_concurrently(self, first):
        event = hold_event(2, "round-robin")
        match = Match.objects.get()
        lease = claim(match)
        acts = [lambda: pause_event(event=event, now=LATER), lambda: matches.void(lease, "no disk", LATER)]
        in_order(event, acts if first == 0 else acts[::-1])
        match.refresh_from_db()
        assert (match.status, match.held) == (MatchStatus.QUEUED, True)


@pytest.mark.slow
class TestANextRound:
    def test_is_made_once(self):
        event = hold_event(4, "swiss")
        for match in Match.objects.all():
            play_match(match)
        assert sorted(at_once(4, lambda: rounds.pair_next(event=event, now=LATER))) == [False, False, False, True]
        assert (event.rounds.count(), Match.objects.count()) == (2, 4)

    def test_is_not_made_while_a_level_tie_gets_one_more_match(self):
        event = hold_event(2, "knockout")
        level(Match.objects.get())
        assert sorted(at_once(4, lambda: rounds.pair_next(event=event, now=LATER))) == [False, False, False, True]
        assert Match.objects.count() == 2

    @pytest.mark.parametrize("first", [0, 1])
    def test_has_no_match_for_an_entrant_leaving_concurrently(self, first):
        event = hold_event(5, "swiss", swiss_rounds=3)
        for match in Match.objects.all():
            play_match(match)
        leaver = event.entries.get(place=0)
        acts = [lambda: leave_event(entry=leaver, actor=None, now=LATER),
                lambda: rounds.pair_next(event=event, now=LATER)]
        in_order(event, acts if first == 0 else acts[::-1])
        assert event.rounds.count() == 2
        of_leaver = Match.objects.filter(Q(first=leaver.version) | Q(second=leaver.version), round__number=2)
        assert set(of_leaver.values_list("status", flat=True)) <= {MatchStatus.CANCELLED}
        if first == 0:
            assert not of_leaver.exists()
            assert Bye.objects.filter(round__number=2).count() == 0

    @pytest.mark.parametrize("first", [0, 1])
    def test_is_not_made_in_an_event_cancelled_concurrently(self, first):
        event = hold_event(4, "swiss")
        for match in Match.objects.all():
            play_match(match)
        acts = [lambda: cancel_event(event=event, now=LATER), lambda: rounds.pair_next(event=event, now=LATER)]
        in_order(event, acts if first == 0 else acts[::-1])
        assert Event.objects.get().status == EventStatus.CANCELLED
        assert not Match.objects.filter(status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).exists()


class TestLadderPlay:
    @pytest.mark.parametrize("bots", [3, 10])
    def test_is_paired_by_several_coordinators_like_by_one(self, bots):
        ladders = [create_ladder(ruleset="square-grid-hex", size=size, base_seconds=5.0) for size in (3, 4)]
        for number in range(bots):
            version = make_version(f"bot {number}")
            for ladder in ladders:
                join(actor=make_user("mia"), ladder=ladder, version=version, now=START)
        depth = 4 * settings.LADDER_DEPTH  # before a worker has declared its capacity
        for moment in (START, LATER):
            made = at_once(4, lambda now=moment: pair_ladders(now))
            queued = Match.objects.filter(status=MatchStatus.QUEUED)
            given = Counter(bot for pair in queued.values_list("first__bot", "second__bot") for bot in pair)
            assert max(given.values()) <= settings.LADDER_MATCHES_OF_A_BOT
            assert queued.count() == min(depth, bots * settings.LADDER_MATCHES_OF_A_BOT // 2)
            assert sum(made) == queued.count()
            for match in queued:
                play_match(match, now=moment)

    def test_gives_no_author_more_games_than_the_quota(self, settings):
        settings.GAMES_PER_DAY = 6
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
        for number in range(8):
            join(actor=make_user("mia"), ladder=ladder, version=make_version(f"bot {number}"), now=START)
        assert sum(at_once(4, lambda: pair_ladders(START))) == 3


@pytest.mark.slow
class TestTrials:
    """A bot with a version on trial and a neighbour, with several coordinators."""

    @pytest.fixture
    def trial(self):
        mia, ladder = make_user("mia"), create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5.0)
        for name in ("ant", "bee"):
            join(actor=mia, ladder=ladder, version=make_version(name), now=START)
        return trials.enter(actor=mia, ladder=ladder, version=make_version("ant"), elo1=100, seed=3, now=START)

    def test_are_paired_and_judged_once_by_several_coordinators(self, trial):
        for _ in range(60):
            at_once(3, lambda: pair_trials(START))
            open_now = play.queued(trial)
            assert len(open_now) <= settings.TRIAL_MATCHES
            for match in open_now:
                play.play(match, (1.0, 1.0))
            ended = at_once(3, lambda: judge_trials(LATER))
            trial.refresh_from_db()
            if trial.status != CandidacyStatus.RUNNING:
                break
        assert sorted(ended) == [0, 0, 1]
        assert trial.status == CandidacyStatus.PASSED
        numbers = Match.objects.filter(candidacy=trial).exclude(status=MatchStatus.CANCELLED).values_list("number")
        assert len(numbers) == len(set(numbers))
        assert LadderEntry.objects.get(bot=trial.bot).version == trial.candidate
        assert AuditEntry.objects.filter(verb="change version").count() == 1

    @pytest.mark.parametrize("first", [0, 1])
    def test_end_once_when_the_bot_leaves_during_the_verdict(self, trial, first):
        for judged in (12, 12):
            while Match.objects.filter(candidacy=trial).count() < judged + 2 and pair_trials(START):
                for match in play.queued(trial):
                    play.play(match, (1.0, 1.0))
            if Candidacy.objects.get().judged == 0:
                judge_trials(START)
        assert Candidacy.objects.get().status == CandidacyStatus.RUNNING
        acts = [lambda: judge_trials(LATER),
                lambda: leave(actor=make_user("mia"), ladder=trial.ladder, bot=trial.bot, now=LATER)]
        place = LadderEntry.objects.get(bot=trial.bot)
        in_order(place, acts if first == 0 else acts[::-1])
        judge_trials(LATER)
        trial.refresh_from_db()
        assert trial.status == (CandidacyStatus.PASSED if first == 0 else CandidacyStatus.WITHDRAWN)
        place.refresh_from_db()
        assert (place.active, place.version == trial.candidate) == (False, first == 0)


class TestAccountLimits:
    """Eight concurrent requests for the last two that are allowed."""

    def test_apply_to_tokens(self, monkeypatch):
        monkeypatch.setattr(tokens, "MOST", 2)
        mia = make_user("mia")
        made = at_once(8, refused(lambda: tokens.make_token(user=mia, name="ci", now=START), tokens.TokenRefused))
        assert (sum(made), Token.objects.count()) == (2, 2)

    def test_apply_to_webhooks(self, monkeypatch):
        monkeypatch.setattr(webhooks, "MOST_WEBHOOKS", 2)
        mia = make_user("mia")
        made = at_once(8, refused(lambda: webhooks.create_webhook(
            owner=mia, url="https://example.org/", kinds=[], now=START), webhooks.WebhookRefused))
        assert (sum(made), Webhook.objects.count()) == (2, 2)

    def test_apply_to_tests_of_webhooks(self, monkeypatch):
        monkeypatch.setattr(webhooks, "MOST_TESTS", 2)
        mia = make_user("mia")
        webhook = webhooks.create_webhook(owner=mia, url="https://example.org/", kinds=[], now=START)
        sent = at_once(8, refused(lambda: webhooks.send_test(webhook=webhook, actor=mia, now=START),
                                  webhooks.WebhookRefused))
        assert (sum(sent), Delivery.objects.count()) == (2, 2)


@pytest.mark.slow
class TestSeveralCoordinators:
    def test_finish_a_swiss_like_a_single_one(self, redis_url):
        event = hold_event(5, "swiss", swiss_rounds=3, started=False, rated=True)
        moment = START
        while not Event.objects.filter(status=EventStatus.FINISHED).exists():
            at_once(3, lambda now=moment: steps.step(now))
            for match in Match.objects.filter(status=MatchStatus.QUEUED):
                play_match(match, now=moment)
            moment += timedelta(seconds=1)
            assert moment < START + timedelta(minutes=1)
        assert [round_.matches.count() for round_ in event.rounds.order_by("number")] == [2, 2, 2]
        assert Bye.objects.count() == 3
