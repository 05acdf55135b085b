"""Failures in the coordinator: they stop nothing else, are shown to staff, and are retried."""

import logging
import threading
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from tests.factories import START, make_event, make_user, make_version, play_match
from tests.tournaments.site import finished
from tournaments.coordinator import steps
from tournaments.models import AuditEntry, Delivery, FailedTries, Failure, Match
from tournaments.services.events import events
from tournaments.services.notices import sender
from tournaments.services.shared import failures
from tournaments.services.shared.wakeups import Step, collecting

SECOND = timedelta(seconds=1)


def planted(*_: Any, **__: Any) -> int:
    raise ZeroDivisionError("planted")


@pytest.mark.django_db
class TestAStep:
    def test_that_fails_does_not_affect_the_others(self, monkeypatch: Any) -> None:
        names = [name for name, _ in steps.STEPS]
        for failing in (names[::2], names[1::2]):
            ran: list[str] = []
            monkeypatch.setattr(steps, "STEPS", [
                (name, planted if name in failing else lambda now, ran=ran, name=name: ran.append(name) or 1)
                for name in names])
            done = steps.step(START)
            assert [done[name] for name in names] == [int(name not in failing) for name in names]
            assert ran == [name for name in names if name not in failing]
            assert set(Failure.objects.values_list("step", "item", "error", "tries")) == {
                (name, "", "ZeroDivisionError", 1) for name in failing}
            monkeypatch.setattr(steps, "STEPS", [(name, lambda now: 1) for name in names])
            steps.step(START + SECOND)
            assert not Failure.objects.exists()

    def test_that_fails_for_one_event_handles_the_other(self, redis_url: str, monkeypatch: Any) -> None:
        bots = [make_version("ant"), make_version("bee")]
        first, second = (make_event(bots, name=name, ruleset="square-grid-hex", size=3) for name in "ab")
        for match in Match.objects.all():
            play_match(match)
        monkeypatch.setattr(steps, "finish_event", lambda *, event, now: planted() if event == first else
                            events.finish_event(event=event, now=now))
        steps.step(START)
        assert finished(second)
        assert not finished(first)
        assert Failure.objects.get().item == str(first.pk)


    def test_leaves_items_for_the_next_pass_that_it_does_not_reach_in_its_time(
        self, monkeypatch: Any, django_capture_on_commit_callbacks: Any
    ) -> None:
        clock = iter([0.0, 1.0, 9.0, 11.0])
        monkeypatch.setattr(failures, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        handled: list[int] = []
        due: set[str] = set()
        with collecting(due), django_capture_on_commit_callbacks(execute=True):
            assert failures.each("reap matches", [1, 2, 3, 4], lambda item: handled.append(item) or 1, now=START) == 2
        assert handled == [1, 2]
        assert due == set(Step)


@pytest.mark.django_db
class TestAFailure:
    def test_is_logged_once_and_retried_with_delays_up_to_a_minute(self, caplog: Any) -> None:
        now, waits = START, []
        for _ in range(9):
            failures.each("start events", [7], planted, now=now)
            row = Failure.objects.get()
            waits.append((row.due_at - now).total_seconds())
            assert failures.each("start events", [7], lambda _: 1, now=row.due_at - SECOND / 10) == 0
            now = row.due_at
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        assert (row.item, row.tries, row.first_at) == ("7", 9, START)
        assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
            "start events: 7: failed; retry scheduled, other work continued"]
        assert failures.each("start events", [7], lambda _: 1, now=now) == 1
        assert not Failure.objects.exists()
        assert FailedTries.objects.get().number == 9

    def test_is_deleted_when_its_item_no_longer_needs_the_step(self) -> None:
        failures.each("start events", [7], planted, now=START)
        failures.run_steps([], START + failures.FORGOTTEN_AFTER)
        assert Failure.objects.exists()
        failures.run_steps([], START + failures.FORGOTTEN_AFTER + SECOND)
        assert not Failure.objects.exists()

    def test_is_not_recorded_for_a_lost_database(self, monkeypatch: Any) -> None:
        def lost(_: int) -> int:
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(failures.connection, "is_usable", lambda: False, raising=False)
        with pytest.raises(OperationalError):
            failures.each("rate ladders", [1], lost, now=START)
        assert not Failure.objects.exists()

    def test_is_retried_at_once_on_request_of_staff_and_blocks_no_other_item(self) -> None:
        failures.each("start events", [7], planted, now=START)
        done: list[int] = []
        failures.each("start events", [7, 8, 9], lambda item: done.append(item) or 1, now=START, most=1)
        assert done == [8]
        failures.retry_now(failure=Failure.objects.get(), actor=make_user("organiser", staff=True), now=START)
        assert failures.each("start events", [7], lambda _: 1, now=START) == 1
        assert AuditEntry.objects.get(verb="retry").name == "start events: 7"


@pytest.mark.django_db
class TestANotice:
    def test_that_cannot_be_sent_does_not_affect_the_others(self, monkeypatch: Any, settings: Any) -> None:
        user = make_user("mia")
        user.email = "mia@example.org"
        user.save()
        for number in (1, 2):
            Delivery.objects.create(kind="event.started", channel="mail", user=user, payload={"event": number},
                                    due_at=START, created_at=START)
        bad, good = Delivery.objects.order_by("pk")
        send = sender.deliveries.send
        monkeypatch.setattr(sender.deliveries, "send", lambda delivery, now: planted() if delivery == bad else
                            send(delivery, now))
        monkeypatch.setattr(sender.deliveries, "_mail", lambda delivery: "sent")
        sender.round_of(threading.Event(), lambda: START)
        good.refresh_from_db()
        assert good.status == "delivered"
        assert Failure.objects.get().item == str(bad.pk)
