"""When the coordinator's steps are due: by the database's times, by wake-ups, and from time to time."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.factories import START, make_event, make_version
from tournaments.coordinator import steps, times
from tournaments.coordinator.agenda import POLL_SECONDS, SOON_SECONDS, Agenda
from tournaments.models import Failure, Match
from tournaments.platform.messaging.wakeup_set import ALL, SOON
from tournaments.services.matches import matches
from tournaments.services.shared.wakeups import Step

SECOND = timedelta(seconds=1)


class TestTheAgenda:
    def agenda(self, read: Any = lambda now: {}) -> tuple[Agenda, SimpleNamespace]:
        """Return an agenda after a first pass through all steps at START, and its clock."""
        clock = SimpleNamespace(now=1000.0)
        agenda = Agenda(monotonic=lambda: clock.now, read=read)
        assert agenda.due() == set(Step)
        agenda.ran(dict.fromkeys(Step, 0))
        agenda.look_ahead(START, clock.now)
        return agenda, clock

    def test_lets_every_step_run_from_time_to_time(self):
        agenda, clock = self.agenda()
        assert not agenda.due()
        assert 0.8 * POLL_SECONDS <= agenda.seconds() <= 1.2 * POLL_SECONDS
        clock.now += 1.2 * POLL_SECONDS
        assert agenda.due() == set(Step) - {
            Step.FORGET_WORKERS, Step.DELETE_OLD_ROWS, Step.FIND_STORIES, Step.TELL_FOLLOWERS}

    def test_sleeps_until_a_time_in_the_database(self):
        agenda, clock = self.agenda(lambda now: {Step.START_EVENTS: START + 3 * SECOND})
        assert 3 < agenda.seconds() < 3.1
        clock.now += agenda.seconds()
        assert agenda.due() == {Step.START_EVENTS}

    def test_lets_a_woken_step_run_at_once_and_all_when_wake_ups_may_have_been_lost(self):
        agenda, _ = self.agenda()
        agenda.wake({"publish", "no such step", ""})
        assert (agenda.due(), agenda.seconds()) == ({Step.PUBLISH}, 0.0)
        agenda.wake({ALL})
        assert agenda.due() == set(Step)

    def test_lets_a_step_that_may_wait_run_at_once_only_if_it_has_not_just_run(self):
        agenda, clock = self.agenda()
        agenda.wake({SOON + Step.PUBLISH})
        assert agenda.seconds() == SOON_SECONDS
        clock.now += SOON_SECONDS
        assert agenda.due() == {Step.PUBLISH}
        agenda.ran({Step.PUBLISH: 1})
        clock.now += 2 * SOON_SECONDS
        agenda.wake({SOON + Step.PUBLISH})
        assert (agenda.due(), agenda.seconds()) == ({Step.PUBLISH}, 0.0)

    def test_repeats_a_step_that_may_have_left_work(self):
        agenda, _ = self.agenda()
        agenda.ran({Step.REAP_MATCHES: 100, Step.REAP_CHECKS: 99, Step.PUBLISH: 1000})
        assert agenda.due() == {Step.REAP_MATCHES}

    def test_reads_the_database_once_for_several_passes_and_from_the_first_of_them(self):
        read = []
        agenda, clock = self.agenda(lambda now: read.append(now) or {Step.START_EVENTS: START + SECOND / 4})
        for hundredths in (10, 20, 40):
            clock.now = 1000.0 + hundredths / 100
            agenda.ran({Step.START_EVENTS: 0})
            agenda.look_ahead(START + hundredths * SECOND / 100, clock.now)
        assert read == [START]
        assert 0.09 < agenda.seconds() < 0.11
        clock.now = 1000.5
        agenda.look_ahead(START + SECOND / 2, clock.now)
        # The event became due between two passes; the second began before a verb announced it.
        assert read == [START, START + SECOND / 10]
        assert agenda.due() == {Step.START_EVENTS}


@pytest.mark.django_db
class TestTheTimes:
    def test_are_those_of_events_leases_lost_messages_and_retries_until_they_have_come(self, settings):
        assert times.next_times(START) == {}
        event = make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False)
        assert times.next_times(START - SECOND) == {Step.START_EVENTS: START, Step.ANNOUNCE_EVENTS: START}
        assert times.next_times(START) == {}
        steps.start_due(START)
        # Until it is published, and while no worker plays it, the queue is looked at every second.
        assert times.next_times(START) == {Step.PUBLISH: START + times.REFILL}
        Match.objects.update(published_at=START)
        assert times.next_times(START) == {Step.PUBLISH: START + timedelta(seconds=settings.REPUBLISH_SECONDS)}
        lease = matches.claim(match_id=Match.objects.get(event=event).pk, worker="w", tier="standard", now=START)
        assert times.next_times(START) == {Step.REAP_MATCHES: lease.until}
        matches.void(lease, "planted", START)
        assert times.next_times(START) == {Step.PUBLISH: Match.objects.get().due_at}

    @pytest.mark.database
    def test_are_those_of_failures_also_of_parts_of_steps(self):
        for step, wait in (("publish", 1), ("publish", 2), ("end trials", 3)):
            Failure.objects.create(step=step, item=str(wait), error="E", tries=1, first_at=START, last_at=START,
                                   due_at=START + wait * SECOND)
        assert times.next_times(START) == {Step.PUBLISH: START + SECOND, Step.JUDGE_TRIALS: START + 3 * SECOND}


def test_every_step_has_its_name():
    assert [*(name for name, _ in steps.STEPS), Step.SEND_NOTICES] == list(Step)
