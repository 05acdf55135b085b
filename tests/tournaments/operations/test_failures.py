"""Failures in the coordinator: they stop nothing else, are shown to staff, and are retried."""

import logging
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, OperationalError

from tests.factories import START, make_event, make_user, make_version, play_match
from tests.tournaments.operations.test_coordinator import in_thread
from tests.tournaments.site import Site, finished
from tournaments.coordinator import loop, steps
from tournaments.models import AuditEntry, Delivery, Event, FailedTries, Failure, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.platform import clock
from tournaments.services.events import events
from tournaments.services.notices import sender
from tournaments.services.shared import failures

SECOND = timedelta(seconds=1)


def planted(*_: Any, **__: Any) -> int:
    raise ZeroDivisionError("planted")


def two_events(**facts: Any) -> list[Event]:
    bots = [make_version("ant"), make_version("bee")]
    return [make_event(bots, name=name, ruleset="square-grid-hex", size=3, **facts) for name in ("First", "Second")]


def fail_for(row: Any, act: Any) -> Any:
    """Wrap `act`, which takes a row by keyword, so that it fails for this row."""
    def acts(**arguments: Any) -> Any:
        return planted() if row in arguments.values() else act(**arguments)

    return acts


@pytest.mark.django_db
class TestAStep:
    pytestmark = pytest.mark.serial

    @pytest.mark.parametrize("name", [name for name, _ in steps.STEPS])
    def test_that_fails_does_not_affect_the_others(self, name: str, redis_url: str, monkeypatch: Any) -> None:
        ran: list[str] = []

        def noted(step: str, act: Any) -> Any:
            return lambda now: planted() if step == name else (ran.append(step), act(now))[1]

        with monkeypatch.context() as patched:
            patched.setattr(steps, "STEPS", [(step, noted(step, act)) for step, act in steps.STEPS])
            assert steps.step(START)[name] == 0
        assert ran == [step for step, _ in steps.STEPS if step != name]
        row = Failure.objects.get()
        assert (row.step, row.item, row.error, row.tries) == (name, "", "ZeroDivisionError", 1)
        steps.step(START + SECOND)
        assert not Failure.objects.exists()

    @pytest.mark.parametrize("verb", ["start_event", "finish_event"])
    def test_that_fails_for_one_event_handles_the_other(self, verb: str, redis_url: str, monkeypatch: Any) -> None:
        first, second = two_events(started=False)
        with monkeypatch.context() as patched:
            patched.setattr(steps, verb, fail_for(first, getattr(events, verb)))
            steps.step(START)
            for match in Match.objects.all():
                play_match(match)
            steps.step(START)
            assert finished(second)
            assert not finished(first)
            assert Failure.objects.get().item == str(first.pk)

    def test_that_fails_for_one_ladder_pairs_the_others(self, redis_url: str, monkeypatch: Any) -> None:
        from tournaments.services.ladders import matchmaking
        from tournaments.services.ladders.ladder_play import join
        from tournaments.services.ladders.ladders import create_ladder

        ladders = [create_ladder(ruleset="square-grid-hex", size=size, base_seconds=5) for size in (3, 4)]
        for name in ("ant", "bee"):
            version = make_version(name)
            for ladder in ladders:
                join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
        insert = matchmaking._insert
        monkeypatch.setattr(matchmaking, "_insert", lambda ladder, *rest: planted() if ladder == ladders[0] else
                            insert(ladder, *rest))
        assert steps.step(START)["pair ladders"] >= 1
        assert set(Match.objects.values_list("ladder", flat=True)) == {ladders[1].pk}
        assert Failure.objects.get().item == str(ladders[0].pk)


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

    def test_does_not_block_items_that_succeed(self) -> None:
        failures.each("reap matches", [1, 2], planted, now=START)
        done: list[int] = []
        failures.each("reap matches", [1, 2, 3, 4], lambda item: done.append(item) or 1, now=START, most=1)
        assert done == [3]

    def test_can_be_a_row_that_the_database_refuses(self) -> None:
        def refused(_: int) -> int:
            raise DataError("too long")

        failures.each("rate ladders", [1], refused, now=START)
        assert Failure.objects.get().error == "DataError"

    def test_is_not_recorded_for_a_lost_database(self, monkeypatch: Any) -> None:
        def lost(_: int) -> int:
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(failures.connection, "is_usable", lambda: False, raising=False)
        with pytest.raises(OperationalError):
            failures.each("rate ladders", [1], lost, now=START)
        assert not Failure.objects.exists()

    def test_is_retried_at_once_on_request_of_staff(self) -> None:
        failures.each("start events", [7], planted, now=START)
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


@pytest.mark.django_db(transaction=True)
class TestACoordinator:
    pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]

    def test_finishes_an_event_while_another_cannot_start(
            self, site_environment: Any, archives: Any, schedule: Any, tmp_path: Any, monkeypatch: Any) -> None:
        site = Site({**site_environment, "SQUAREFIELD_ARCHIVES": str(archives)}, tmp_path)
        bad = schedule({"Alder": None, "Birch": None})
        good = schedule({"Cedar": None, "Dogwood": None}, size=4)
        stop = threading.Event()
        thread = threading.Thread(target=in_thread(lambda: loop.run(stop, clock=clock.shared_now)))
        try:
            with monkeypatch.context() as patched:
                patched.setattr(steps, "start_event", fail_for(bad, events.start_event))
                site.start("worker", "--concurrency", "1")
                thread.start()
                site.wait_for(lambda: finished(good))
                assert Event.objects.get(pk=bad.pk).status == EventStatus.SCHEDULED
                assert Failure.objects.get().tries > 1
            site.wait_for(lambda: finished(bad))
            site.wait_for(lambda: not Failure.objects.exists())
        finally:
            stop.set()
            thread.join()
            site.stop()
