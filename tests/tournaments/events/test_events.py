"""The life cycle of events, and impossible events."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations

import pytest

from engines.rules.openings import openings
from engines.rules.registry import find
from tests.factories import START, make_event, make_version, play_event, play_match, spoil_match
from tournaments.models import Attempt, Entry, Event, Match
from tournaments.models.lifecycle import AttemptStatus, EventStatus, MatchStatus
from tournaments.services.events.events import (
    EventRefused,
    TransitionRefused,
    cancel_event,
    create_event,
    finish_event,
    pause_event,
    resume_event,
    start_event,
)
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.matches.matches import claim

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def versions(module_db):
    return [make_version(name) for name in ("ant", "bee", "cat", "dog")]


@pytest.fixture
def facts(hex_ladder, versions, staff, now):
    """Valid arguments of `create_event`."""
    return {"name": "Autumn", "ladder": hex_ladder, "versions": versions, "cycles": 1, "starts_at": now,
            "created_by": staff, "now": now, "seed": 5}


class TestCreateEvent:
    def test_makes_a_different_address_from_any_name(self, facts):
        assert [create_event(**facts).slug for _ in range(3)] == ["autumn", "autumn-2", "autumn-3"]
        assert create_event(**facts | {"name": "秋 🏆"}).slug == "event"
        assert create_event(**facts | {"name": "x" * 80}).slug == "x" * 72

    def test_starts_at_once_when_the_start_was_just_missed(self, facts, now):
        for start in (None, now, now - timedelta(seconds=59)):
            assert create_event(**facts | {"starts_at": start}).starts_at == now

    def test_refuses_an_impossible_event_and_says_why(self, facts, versions):
        many = [make_version(f"bot {number}") for number in range(40)]
        for change, sentence in (
                ({"name": " "}, "1 to 80 characters, not 0"),
                ({"name": "x" * 81}, "not 81"),
                ({"cycles": 0}, "1 to 1,000 cycles, not 0"),
                ({"cycles": 1001}, "not 1,001"),
                ({"versions": []}, "at least two bots, but none is entered"),
                ({"versions": versions[:1]}, "at least two bots, but only one is entered"),
                ({"versions": [*versions, make_version("ant")]}, "ant is entered twice"),
                ({"versions": [*versions, make_version("eel", rulesets=["squ", "scware"])]},
                 "eel v1 does not play square-grid-hex, only squ, scware: enter"),
                ({"versions": many, "cycles": 1000}, "make 780,000 matches, but at most 500,000 are allowed"),
                ({"starts_at": datetime(2026, 11, 20, 11, 58, tzinfo=UTC)},
                 r"2026-11-20 11:58 UTC, is in the past; it is 2026-11-20 12:00 UTC\."),
                ({"starts_at": datetime(2026, 11, 20, 12, 30, tzinfo=timezone(timedelta(hours=1)))}, "is in the past"),
                ({"starts_at": datetime(2027, 1, 1)}, "has no time zone")):  # noqa: DTZ001 - that is the point
            with pytest.raises(EventRefused, match=sentence):
                create_event(**facts | change)
        assert not Event.objects.exists()
        assert not Entry.objects.exists()


class TestStartEvent:
    def test_creates_every_pair_in_every_cycle_in_the_order_of_the_schedule(self, versions):
        event = make_event(versions, cycles=2)
        for cycle in ((1, 2, 3), (4, 5, 6)):
            pairs = event.matches.filter(round__number__in=cycle).values_list("first", "second")
            assert sorted(map(sorted, pairs)) == sorted(map(sorted, combinations([v.pk for v in versions], 2)))
        in_order = [match.pk for match in event.matches.order_by("round__number", "number")]
        assert in_order == sorted(in_order)
        assert all(match.opening == [] for match in event.matches.all())

    def test_makes_the_same_draw_and_schedule_from_the_same_seed(self, facts):
        draws, schedules = [], []
        for seed in (5, 5, 6, 7, 8):
            event = start_event(event=create_event(**facts | {"seed": seed}), now=facts["now"])
            draws.append(tuple(entry.bot_id for entry in event.entries.order_by("place")))
            schedules.append(list(event.matches.order_by("pk").values_list("round__number", "number", "first", "seed")))
        assert draws[0] == draws[1]
        assert schedules[0] == schedules[1]
        assert len(set(draws)) > 2

    def test_draws_an_opening_for_each_match(self, versions):
        event = make_event(versions, ruleset="squ", size=6, openings=True)
        drawn = {tuple(match.opening) for match in event.matches.all()}
        assert drawn <= set(openings(find("squ"), 6))
        assert len(drawn) > 1

    def test_repeats_no_opening_of_two_versions_before_all_are_used(self, versions, staff):
        """This holds within an event, across events, with seats swapped, and on a slower ladder."""
        every = set(openings(find("ooscg-w"), 4))
        for cycles, base in ((2, 5.0), (3, 60.0), (1, 5.0), (6, 5.0)):
            ladder = create_ladder(ruleset="ooscg-w", size=4, base_seconds=base)
            start_event(event=create_event(name="x", ladder=ladder, versions=versions, cycles=cycles, starts_at=START,
                                           created_by=staff, now=START, seed=cycles), now=START)
        for first, second in combinations([version.pk for version in versions], 2):
            met = Match.objects.filter(first__in=(first, second), second__in=(first, second)).order_by("pk")
            drawn = [tuple(match.opening) for match in met]
            assert len(drawn) == 12
            assert set(drawn[:6]) == set(drawn[6:]) == every

    def test_reuses_the_openings_of_cancelled_matches(self, versions, now):
        facts = {"ruleset": "ooscg-w", "size": 4, "cycles": 6, "openings": True}
        for _ in range(3):
            cancel_event(event=make_event(versions[:2], **facts), now=now)
        drawn = {tuple(match.opening) for match in make_event(versions[:2], **facts).matches.all()}
        assert drawn == set(openings(find("ooscg-w"), 4))

    @pytest.mark.database
    def test_happens_only_once(self, facts, now):
        event = create_event(**facts)
        stale = Event.objects.get(pk=event.pk)
        start_event(event=event, now=now)
        with pytest.raises(TransitionRefused, match=r"Autumn is running: you cannot start it now\."):
            start_event(event=stale, now=now)
        assert Match.objects.count() == 6


class TestPause:
    def test_holds_queued_matches_and_lets_running_ones_finish(self, facts, now):
        event = create_event(**facts)
        with pytest.raises(TransitionRefused, match="Autumn is scheduled: you cannot pause it now"):
            pause_event(event=event, now=now)
        start_event(event=event, now=now)
        first, second = Match.objects.order_by("pk")[:2]
        assert claim(match_id=first.pk, worker="w", tier="standard", now=now)
        pause_event(event=event, now=now)
        assert claim(match_id=second.pk, worker="w", tier="standard", now=now) is None
        assert not finish_event(event=event, now=now)
        resume_event(event=event, now=now)
        assert claim(match_id=second.pk, worker="w", tier="standard", now=now)


class TestCancel:
    def test_keeps_finished_games_and_cancels_the_rest(self, versions, now):
        event = make_event(versions)
        done, running, queued = Match.objects.order_by("pk")[:3]
        play_match(done)
        assert claim(match_id=running.pk, worker="w", tier="standard", now=now)
        cancel_event(event=event, now=now)
        assert [Match.objects.get(pk=match.pk).status for match in (done, running, queued)] == [
            MatchStatus.FINISHED, MatchStatus.CANCELLED, MatchStatus.CANCELLED]
        attempt = Attempt.objects.get(match=running)
        assert (attempt.status, attempt.reason) == (AttemptStatus.VOID, "the event was cancelled")
        assert (event.status, event.ended_at) == (EventStatus.CANCELLED, now)

    def test_is_possible_before_the_start_and_final(self, facts, now):
        event = cancel_event(event=create_event(**facts), now=now)
        for verb in (start_event, pause_event, resume_event, cancel_event):
            with pytest.raises(TransitionRefused, match="Autumn is cancelled"):
                verb(event=event, now=now)


class TestFinish:
    def test_waits_for_every_match_and_its_rating(self, versions, now):
        event = make_event(versions[:3])
        for match in Match.objects.order_by("pk"):
            assert not finish_event(event=event, now=now)
            play_match(match)
        assert not finish_event(event=event, now=now)
        assert play_event(event).status == EventStatus.FINISHED

    def test_does_not_wait_for_permanently_void_matches(self, versions, now):
        event = make_event(versions[:2])
        match = Match.objects.get()
        for _ in range(5):
            spoil_match(match, "no disk")
        assert finish_event(event=event, now=now)
