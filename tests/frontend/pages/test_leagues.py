"""The page of a league, and the same facts at the API."""

from types import SimpleNamespace

import pytest
from django.urls import reverse

from frontend.views.events import events as views
from tests.tournaments.events.test_leagues import FRIDAY, WEEK, league, play
from tournaments.coordinator import steps

pytestmark = pytest.mark.django_db


class TestALeague:
    def test_shows_its_divisions_with_moves_and_its_seasons(
            self, client, redis_url, monkeypatch, django_assert_num_queries):
        series = league()
        page, seasons = reverse("series", args=[series.slug]), f"/api/series/{series.slug}/seasons/"
        assert "No season has started yet." in client.get(page).content.decode()
        assert client.get(seasons).json()["results"] == []
        for number in (0, 1):
            steps.step(FRIDAY + number * WEEK)
            play(FRIDAY + number * WEEK)
            steps.step(FRIDAY + number * WEEK)
            steps.step(FRIDAY + number * WEEK)
        # As many for one division and season as for many. A later season is not due yet.
        monkeypatch.setattr(views, "timezone", SimpleNamespace(now=lambda: FRIDAY + WEEK))
        for address, queries in ((page, 9), (seasons, 8)):
            with django_assert_num_queries(queries):
                client.get(address)
        monkeypatch.setattr(views, "SEASONS_SHOWN", 1)
        text = " ".join(client.get(page).content.decode().split())
        assert "league with divisions of 4 bots, 1 up and 1 down after each season" in text
        assert text.index("Season 2, division 1") < text.index("▼ down") < text.index("Season 2, division 2")
        assert text.index("Season 2, division 2") < text.index("▲ up")
        assert "Season 1, division 1" not in text
        older = text.split('<a class="more" href="')[1].split('"')[0]
        text = client.get(page + older).content.decode()
        assert "Season 1, division 2" in text
        assert "Older seasons" not in text
        assert reverse("event", args=[series.events.get(division=2, starts_at=FRIDAY).slug]) in text

        [season] = client.get(seasons, {"limit": 1}).json()["results"]
        assert (season["number"], season["is_over"], len(season["divisions"])) == (2, True, 2)
        newest, oldest = client.get(seasons).json()["results"]
        assert (newest, oldest["number"]) == (season, 1)
        one, two = oldest["divisions"]
        assert [line["move"] for line in one["bots"]] == ["stays", "stays", "stays", "down"]
        assert [line["move"] for line in two["bots"]] == ["up", "stays", "stays", "stays"]
        assert two["bots"][0]["bot"] in {line["bot"] for line in newest["divisions"][0]["bots"]}
        assert two["event"] == series.events.get(division=2, starts_at=FRIDAY).slug
