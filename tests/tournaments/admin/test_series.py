"""Series in the admin."""

import pytest
from django.test import Client

from tests.tournaments.admin.buttons import at, buttons, press
from tournaments.models import Event, Series
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture
def plan(db: None) -> dict[str, str]:
    ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
    return {"name": "Weekly", "ladder": str(ladder.pk), "cron": "0 18 * * FRI", "time_zone": "Europe/Berlin",
            "format": "swiss", "cycles": "1", "seeding": "rating", "rated": "on"}


class TestASeries:
    def test_is_created_by_form_and_run_by_buttons(self, desk: Client, plan: dict[str, str]) -> None:
        desk.post(at(Series, "add"), plan, follow=True)
        series = Series.objects.get()
        assert Event.objects.get().series == series
        for verb, done in (("pause", "paused"), ("resume", "resumed"), ("end", "ended")):
            assert verb in buttons(desk, series)
            assert press(desk, series, verb) == [f"Weekly is {done}."]
        assert buttons(desk, series) == []

    def test_is_refused_with_form_errors(self, desk: Client, plan: dict[str, str]) -> None:
        page = desk.post(at(Series, "add"), {**plan, "time_zone": "Moon"}, follow=True)
        assert "Unknown time zone" in page.content.decode()
        assert not Series.objects.exists()
