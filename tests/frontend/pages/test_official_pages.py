"""Pages of ratings: the official table, the comparison of two bots, and the ratings on ladder and bot pages."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from frontend.drawing.plots import rating_plot
from ratings.models import OfficialLine, Rating
from tests.factories import make_version, play_match
from tournaments.models import Bot, Match, Side
from tournaments.selectors.ladders import comparisons
from tournaments.selectors.ladders.rating_history import Point
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
HOSTILE = "<b>Zoë & co</b>"


@pytest.fixture
def ladder():
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)


@pytest.fixture
def played(ladder):
    """Return a ladder with games between two bots and an official table."""
    for name in ("Morphy", HOSTILE):
        version = make_version(name)
        join(actor=version.bot.owner, ladder=ladder, version=version, now=timezone.now())
    for _ in range(4):
        now = timezone.now()
        pair_ladders(now)
        for match in Match.objects.filter(status="queued", kind="ladder"):
            play_match(match, now=now)
    later = timezone.now() + timedelta(minutes=5)
    rate_due(later)
    compute_due(later + timedelta(hours=1))
    return ladder


def slugs(*names):
    return [Bot.objects.get(name=name).slug for name in names]


def body(address, status=200):
    answer = Client().get(address)
    assert answer.status_code == status
    return answer.content.decode()


class TestTheOfficialTable:
    def test_shows_the_uncertainty_of_every_line(self, played):
        shown = body(reverse("ladder-table", args=[played.slug]))
        assert shown.count('title="95% interval"') == 2
        assert "Chance of being stronger than the one below" in shown
        assert "First-move advantage" in shown
        assert "Draws" in shown
        assert "&lt;b&gt;Zoë &amp; co" in shown
        assert HOSTILE not in shown

    def test_links_to_the_games_that_it_was_computed_from(self, played):
        assert played.official_table.input in body(reverse("ladder-table", args=[played.slug]))

    def test_is_empty_before_the_first_game(self, ladder):
        assert "No rated games yet." in body(reverse("ladder-table", args=[ladder.slug]))

    def test_says_that_it_ends_after_the_last_line(self, played):
        assert "There are no versions below this one." in body(reverse("ladder-table", args=[played.slug]) + "?after=2")

    @pytest.mark.parametrize("name", ["ladder", "bot"])
    def test_says_there_how_many_games_are_missing_while_its_intervals_are_wide(self, played, name):
        address = reverse(name, args=[played.slug if name == "ladder" else slugs("Morphy")[0]])
        OfficialLine.objects.update(error=80.0)
        missing = OfficialLine.objects.select_related("table").first().games_for_100
        assert missing > 0
        assert f"too few games: {missing} missing" in body(address)
        assert 'title="95% interval"' not in body(address)
        OfficialLine.objects.update(error=50.0)
        assert "too few games" not in body(address)
        assert body(address).count('title="95% interval"') == (2 if name == "ladder" else 1)
        assert reverse("ladder-table", args=[played.slug]) in body(address)


class TestAPair:
    def test_is_compared_on_a_common_ladder(self, played):
        shown = body(reverse("pair", args=slugs("Morphy", HOSTILE)))
        assert "Chance that the first bot is stronger" in shown
        assert "Expected" in shown
        assert HOSTILE not in shown

    def test_counts_its_games_by_seat(self, played):
        answer = Client().get(reverse("pair", args=slugs("Morphy", HOSTILE)))
        _, pair = answer.context["compared"][0]
        first, second = (seat.games for seat in pair.meeting.seats)
        assert first == second > 0, "seats are swapped within each match"
        assert {game.match.ladder for game in answer.context["games"]} == {played}

    def test_requires_two_different_bots(self, played):
        body(reverse("pair", args=slugs("Morphy", "Morphy")), 404)
        body(reverse("pair", args=[*slugs("Morphy"), "nobody"]), 404)

    def test_without_a_common_ladder_says_so(self, played):
        make_version("Hermit")
        assert "No ladder has ratings for both bots" in body(reverse("pair", args=slugs("Morphy", "Hermit")))

    def test_is_linked_from_the_bots_page(self, played):
        shown = body(reverse("bot", args=slugs("Morphy")))
        assert reverse("pair", args=slugs("Morphy", HOSTILE)) in shown
        assert "Games to ±25" in shown


class TestTheBotsPage:
    def test_shows_the_history_on_the_chosen_ladder(self, played):
        other = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=5)
        bot = Bot.objects.get(name="Morphy")
        Rating.objects.create(ladder=other, bot=bot, value=1500, information=1e-5, games=1, wins=1, draws=0, rank=1)
        shown = {each["ladder"]: each["open"] for each in Client().get(
            reverse("bot", args=[bot.slug])).context["ladders"]}
        assert shown == {played: True, other: False}, "the ladder with most games is chosen"
        shown = {each["ladder"]: each["open"] for each in Client().get(
            reverse("bot", args=[bot.slug]) + f"?ladder={other.slug}").context["ladders"]}
        assert shown == {played: False, other: True}


    def test_has_a_line_per_ladder_even_without_a_rating(self, played):
        waiting = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=5)
        version = Bot.objects.get(name="Morphy").versions.get()
        join(actor=version.bot.owner, ladder=waiting, version=version, now=timezone.now())
        shown = " ".join(body(reverse("bot", args=slugs("Morphy"))).split())
        assert re.findall(r'<details id="([^"]*)"( open)?>', shown) == [(played.slug, " open"), (waiting.slug, "")]
        assert "not rated yet" in shown

    def test_shows_its_form_in_words(self, played):
        bot = Bot.objects.get(name="Morphy")
        shown = Client().get(reverse("bot", args=[bot.slug]))
        won = Side.objects.filter(bot=bot, score=1).count()
        assert f"Last 16 games, newest first: {won} won, 0 drawn, {16 - won} lost" in shown.content.decode()
        marks = shown.context["form"].marks
        assert [mark.game for mark in marks] == sorted((mark.game for mark in marks), reverse=True)
        assert {mark.letter + mark.words for mark in marks} <= {
            f"Wwon against {HOSTILE}", f"Llost against {HOSTILE}"}

    def test_names_the_best_and_worst_opponents_once_there_are_enough_games(self, played, monkeypatch):
        bot = Bot.objects.get(name="Morphy")
        shown = body(reverse("bot", args=[bot.slug]))
        assert "Best and worst opponents" in shown
        assert "Opponents with at least 10 rated games" in shown
        monkeypatch.setattr(comparisons, "LEAST_GAMES", 17)
        assert "Best and worst opponents" not in body(reverse("bot", args=[bot.slug]))


class TestExtremes:
    def test_are_ordered_by_the_actual_minus_the_expected_score(self):
        met = [comparisons.Opponent(place, comparisons.Meeting(expected=expected, foreseen=games,
                                                               foreseen_points=scored))
               for place, (games, scored, expected) in enumerate([
                   (10, 5, 4), (20, 11, 8), (9, 9, 0), (10, 3, 3), (50, 10, 12), (10, 1, 5)])]
        best, worst = comparisons.extremes(met, 3)
        assert [each.bot for each in best] == [1, 0]
        assert [each.bot for each in worst] == [5, 4]
        assert [each.bot for each in comparisons.extremes(met, 1)[0]] == [1]
        assert comparisons.extremes(met[2:3], 3) is None


def points(*values, versions=()):
    then = datetime(2026, 11, 1, tzinfo=UTC)
    return [Point(period=index, closed_at=then, value=value, low=value - 50, high=value + 50,
                  version=versions[index] if versions else 1, games=1) for index, value in enumerate(values)]


class TestThePlot:
    def test_needs_two_periods(self):
        assert rating_plot(points(1500)) == ""

    def test_has_a_step_for_each_period_and_a_band(self):
        drawn = rating_plot(points(1500, 1520, 1480))
        track = drawn.split('class="track" d="')[1].split('"')[0]
        assert track.count("H") == 3
        assert 'class="band"' in drawn
        assert "from 1500 to 1480, now between 1430 and 1530" in drawn

    def test_marks_version_changes(self):
        drawn = rating_plot(points(*[1500] * 10, versions=[1] * 4 + [3] * 6))
        assert drawn.count("version") == 1
        assert ">v3<" in drawn

    def test_clips_the_band_of_the_first_games(self):
        wide = [Point(1, datetime(2026, 11, 1, tzinfo=UTC), 1500, -9000, 12000, 1, 1)] * 2
        assert "9000" not in rating_plot(wide).split("</svg>")[0].split("aria-label")[1].split(">", 1)[1]
