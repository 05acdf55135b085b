"""A series with two events, and a league with two seasons, played to the end by a real worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.tournaments.events.test_leagues import every_division
from tournaments.celery import app
from tournaments.coordinator import steps
from tournaments.models import Game
from tournaments.models.lifecycle import EventStatus
from tournaments.services.events.series import create_series
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder, set_open

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]

MINUTE = timedelta(minutes=1)


class TestASeries:
    def test_recurs_and_its_events_are_played_to_their_end(self, site, broker, enter, staff, monkeypatch):
        """The series recurs every minute, the shortest interval that cron allows, and the test does not wait for it.

        Instead the test runs the coordinator's step itself, which `manage.py coordinator` repeats, and sets its time:
        three minutes ago, then twice a minute later. The worker is a process that uses the real time. Its leases are
        real; to the coordinator, whose clock is behind, no lease has expired and every worker is alive.
        """
        monkeypatch.setattr(app.conf, "broker_write_url", broker.url)
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=60.0)
        founded = timezone.now().replace(second=0, microsecond=0) - 3 * MINUTE
        for name in ("ant", "bee", "cat"):
            join(actor=staff, ladder=ladder, version=enter(name, staff), now=founded)
        # On a closed ladder the bots are still entered in the events, but not paired by the ladder itself.
        set_open(ladder=ladder, is_open=False, actor=staff, now=founded)
        series = create_series(name="By the minute", ladder=ladder, cron="* * * * *", created_by=staff, now=founded,
                               enter_ladder=True)
        site.start("worker", "--concurrency", "2")

        for number in (1, 2):
            event = series.events.get(status=EventStatus.SCHEDULED)
            assert event.starts_at == founded + number * MINUTE
            step = steps.step(event.starts_at)
            assert (step["announce events"], step["start events"]) == (1, 1)
            site.wait_for(lambda now=event.starts_at: steps.step(now)["finish events"] == 1)
            event.refresh_from_db()
            assert (event.status, event.entries.count()) == (EventStatus.FINISHED, 3)
            assert Game.objects.filter(match__event=event).count() == 3 * 2

        assert list(series.events.order_by("starts_at").values_list("starts_at", "status")) == [
            (founded + MINUTE, EventStatus.FINISHED), (founded + 2 * MINUTE, EventStatus.FINISHED),
            (founded + 3 * MINUTE, EventStatus.SCHEDULED)]


class TestALeague:
    def test_plays_two_seasons_between_which_bots_move(self, site, broker, enter, staff, monkeypatch):
        """The test runs the coordinator's step and sets its time, as for a series."""
        monkeypatch.setattr(app.conf, "broker_write_url", broker.url)
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=60.0)
        founded = timezone.now().replace(second=0, microsecond=0) - 3 * MINUTE
        for name in ("ant", "bee", "cat", "dog"):
            join(actor=staff, ladder=ladder, version=enter(name, staff), now=founded)
        set_open(ladder=ladder, is_open=False, actor=staff, now=founded)
        series = create_series(name="League", ladder=ladder, cron="* * * * *", created_by=staff, now=founded,
                               enter_ladder=True, division_size=2, division_moves=1)
        site.start("worker", "--concurrency", "2")

        for number in (1, 2):
            season = founded + number * MINUTE
            steps.step(season)
            divisions = series.events.filter(starts_at=season)
            site.wait_for(lambda now=season, events=divisions: steps.step(now) and not events.filter(
                ended_at__isnull=True).exists())
            assert [(event.division, event.status, event.entries.count()) for event in divisions.order_by(
                "division")] == [(1, EventStatus.FINISHED, 2), (2, EventStatus.FINISHED, 2)]
            steps.step(season)
            assert series.events.get(status=EventStatus.SCHEDULED).starts_at == season + MINUTE

        (_, after), (_, before) = every_division(series)
        bots = [{line.standing.entry.bot_id for line in division.lines} for division in after]
        for division, moves in zip(before, (["stays", "down"], ["up", "stays"]), strict=True):
            assert [line.move for line in division.lines] == moves
            assert Game.objects.filter(match__event=division.event).count() == 2
        first, relegated = (line.standing.entry.bot_id for line in before[0].lines)
        promoted, last = (line.standing.entry.bot_id for line in before[1].lines)
        assert bots == [{first, promoted}, {relegated, last}]
