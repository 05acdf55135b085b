"""The clock for leases."""

import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from tournaments.platform import clock


@pytest.mark.django_db
class TestSharedNow:
    @pytest.fixture(autouse=True)
    def not_asked(self, monkeypatch):
        monkeypatch.setattr(clock, "_asked", None)

    def test_is_this_machines_time_when_that_is_right(self):
        before = timezone.now()
        assert before - timedelta(seconds=1) < clock.shared_now() < timezone.now() + timedelta(seconds=1)

    @pytest.mark.needs_servers
    def test_is_the_databases_time_when_this_machine_is_wrong(self, monkeypatch):
        right = timezone.now()
        monkeypatch.setattr(timezone, "now", lambda: right - timedelta(hours=1))
        assert abs(clock.shared_now() - right) < timedelta(minutes=1)

    @pytest.mark.needs_servers
    def test_asks_once_per_second_and_uses_the_monotonic_clock_in_between(self, monkeypatch, django_assert_num_queries):
        watch = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: watch)
        with django_assert_num_queries(1):
            first = clock.shared_now()
            watch += 0.5
            assert clock.shared_now() == first + timedelta(seconds=0.5)
        watch += 0.5
        with django_assert_num_queries(1):
            clock.shared_now()
        assert connection.vendor == "postgresql"
