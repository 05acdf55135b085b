"""How the page of an event shows each format: rounds, brackets, standings and progress; and the page of a league."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from frontend.text.events.standing_lines import standing_lines
from frontend.views.events import events as views
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.frontend import visits
from tests.tournaments.events.test_leagues import FRIDAY, WEEK, league, play
from tests.tournaments.events.test_rounds import play_round
from tournaments.coordinator import steps
from tournaments.models import Event, Match
from tournaments.selectors.events import events as reads
from tournaments.services.events.events import create_event, finish_event, start_event
from tournaments.services.events.rounds import pair_next
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due

pytestmark = pytest.mark.django_db
NUMBER = '<td class="n">'


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """Eight versions, and a ladder on which nothing was played."""
    return SimpleNamespace(ladder=create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0),
                           organiser=make_user("organiser", staff=True),
                           versions=[make_version(f"bot {number}") for number in range(8)])


@pytest.fixture
def hold(world):
    """Return a function that starts an unrated event of this format and number of bots."""
    def hold(format_: str, bots: int, *, started: bool = True, **facts) -> Event:
        event = create_event(**{"name": "Cup", "ladder": world.ladder, "versions": world.versions[:bots],
                                "starts_at": START, "now": START, "seed": 7, "format": format_, "rated": False,
                                "created_by": world.organiser, **facts})
        return start_event(event=event, now=event.starts_at) if started else event
    return hold


def body(client, event: Event, **query: object) -> str:
    return visits.body(client, reverse("event", args=[event.slug]), **query)


def cells(event: Event) -> list[list[str]]:
    """Return the cells of each line of the standings as rendered by the template."""
    return [line["numbers"].split(NUMBER)[1:] for line in standing_lines(event, reads.standings(event))]


class TestAKnockout:
    @pytest.mark.slow
    def test_is_a_bracket_that_shows_who_is_in_and_who_is_out_and_the_champion_with_its_path(self, client, hold):
        event = hold("knockout", 3)
        page = body(client, event)
        assert "to be decided" in page
        assert "&lt;td" not in page
        assert (page.count("still in"), 'class="champion"' in page, ' path"' in page) == (3, False, False)
        assert cells(event) == [["0</td>", "0–0–0</td>", "–</td>"]] * 3
        assert body(client, event, path=2).count(' e2 path"') == 1
        while match := Match.objects.filter(status="queued").first():
            play_match(match)
            pair_next(event=event, now=START)
        page = body(client, event)
        for text in ("Semi-finals", "the better seed advances", 'aria-label="advances"'):
            assert text in page
        assert "Crosstable" not in page
        assert finish_event(event=event, now=START + timedelta(hours=1))
        event.refresh_from_db()
        page, best = body(client, event), reads.standings(event)[0].entry
        assert re.search(rf'Champion:\s*<a href="/bots/{best.bot.slug}/">', page)
        assert (page.count("still in"), page.count('class="out"'), page.count("<strong>champion</strong>")) == (0, 2, 1)
        assert set(re.findall(r' (e\d) path"', page)) == {f"e{best.place + 1}"}
        assert set(re.findall(r' (e\d) path"', body(client, event, path=2))) == {"e2"}

    def test_of_two_losses_shows_its_progress(self, client, hold):
        page = body(client, hold("double knockout", 3))
        assert "of at least 8</small>" in page
        assert "round 1 of 4 to 5" in page
        assert '<td class="n rank">1–3</td>' in page


class TestProgress:
    def test_is_measured_in_time_in_an_arena_and_in_information_in_precision_matches(self, client, hold, monkeypatch):
        now = views.timezone.now()
        arena = hold("arena", 4, minutes=60, starts_at=now)
        monkeypatch.setattr(views.timezone, "now", lambda: now + timedelta(minutes=15))
        page = body(client, arena)
        assert "Time played: 25.0%" in page
        assert re.search(r"<dt>Time left</dt>\s*<dd>\s*45", page)
        page = body(client, hold("precision", 4, target="ratings", target_value=50, max_matches=500, rated=True))
        assert "<small>of at most 1\u202f000</small>" in page
        assert "Information so far: 0.0%" in page


class TestASwiss:
    def test_has_tie_breaks_and_byes(self, client, hold):
        page = body(client, hold("swiss", 3, swiss_rounds=2))
        assert "Swiss, 2 rounds" in page
        assert "Buchholz cut 1</th>" in page
        assert ">bye</span>" in page

    def test_lists_its_virtual_points_by_round_if_it_is_accelerated(self, client, hold):
        event = hold("accelerated swiss", 8, swiss_rounds=5)
        assert "Virtual points of the top 4 in the draw, by round: 1, 1, ½, 0, 0." in body(client, event)
        client.cookies["language"] = "de"
        assert "Virtuelle Punkte der ersten 4 der Auslosung, Runde für Runde: 1, 1, ½, 0, 0." in body(client, event)

    def test_leaves_virtual_points_out_of_the_points_and_out_before_the_start(self, client, hold):
        event = hold("accelerated swiss", 4, swiss_rounds=3)
        play_round(event)
        assert "<strong>2</strong>" not in body(client, event)
        soon = hold("accelerated swiss", 4, started=False, starts_at=START + timedelta(days=9000))
        page = body(client, soon)
        assert "They count for the pairings" in page
        assert "round by round" not in page


class TestStandingLines:
    def test_have_points_share_games_record_tie_breaks_and_rating(self, world):
        event = play_event(make_event(world.versions[:3], ruleset="square-grid-hex", size=4))
        compute_due(START + timedelta(days=1))
        best = reads.standings(event)[0]
        points, share, games, record, *tie_breaks, rating = cells(event)[0]
        assert points == f"<strong>{best.row.points:g}</strong></td>"
        score = best.row.score
        assert share == f"{score.share * 100:.1f}%</td>"
        assert (games, record) == ("4</td>", f"{score.wins}–{score.draws}–{score.losses}</td>")
        assert len(tie_breaks) == len(best.row.tie_breaks)
        assert rating.startswith(f'{best.rating.value:.0f} <small class="muted">± ')

    def test_have_only_a_rating_before_the_start(self, hold):
        event = hold("round-robin", 3, started=False)
        assert cells(event) == [["–</td>"]] * 3
        assert {line["place"] for line in standing_lines(event, reads.standings(event))} == {""}


class TestALeague:
    @pytest.mark.slow
    def test_shows_its_divisions_with_moves_and_its_seasons(
            self, client, redis_url, monkeypatch, django_assert_max_num_queries):
        series = league()
        page, seasons = reverse("series", args=[series.slug]), f"/api/series/{series.slug}/seasons/"
        assert "No season has started yet." in visits.body(client, page)
        assert client.get(seasons).json()["results"] == []
        for number in (0, 1):
            steps.step(FRIDAY + number * WEEK)
            play(FRIDAY + number * WEEK)
            steps.step(FRIDAY + number * WEEK)
            steps.step(FRIDAY + number * WEEK)
        # As many for one division and season as for many; three more if bots share a place.
        # A later season is not due yet.
        monkeypatch.setattr(views, "timezone", SimpleNamespace(now=lambda: FRIDAY + WEEK))
        for address, queries in ((page, 12), (seasons, 11)):
            with django_assert_max_num_queries(queries):
                client.get(address)
        monkeypatch.setattr(views, "SEASONS_SHOWN", 1)
        text = " ".join(visits.body(client, page).split())
        assert "league with divisions of 4 bots, 1 up and 1 down after each season" in text
        assert text.index("Season 2, division 1") < text.index("▼ down") < text.index("Season 2, division 2")
        assert text.index("Season 2, division 2") < text.index("▲ up")
        assert "Season 1, division 1" not in text
        older = text.split('<a class="more" href="')[1].split('"')[0]
        text, first = visits.body(client, page + older), series.events.get(division=2, starts_at=FRIDAY).slug
        assert "Season 1, division 2" in text
        assert "Older seasons" not in text
        assert reverse("event", args=[first]) in text

        [season] = client.get(seasons, {"limit": 1}).json()["results"]
        assert (season["number"], season["is_over"], len(season["divisions"])) == (2, True, 2)
        newest, oldest = client.get(seasons).json()["results"]
        assert (newest, oldest["number"]) == (season, 1)
        one, two = oldest["divisions"]
        assert [line["move"] for line in one["bots"]] == ["stays", "stays", "stays", "down"]
        assert [line["move"] for line in two["bots"]] == ["up", "stays", "stays", "stays"]
        assert two["bots"][0]["bot"] in {line["bot"] for line in newest["divisions"][0]["bots"]}
        assert two["event"] == first
