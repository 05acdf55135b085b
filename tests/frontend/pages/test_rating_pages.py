"""Pages of ratings and of fairness: the official table, two bots compared, ratings of a bot, and equal treatment."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from frontend.drawing.plots import rating_plot
from ratings.models import OfficialLine, Rating
from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend.visits import MARKUP, body, signed_in
from tournaments.models import Bot, Event, Ladder, Match, Side
from tournaments.selectors.ladders import comparisons
from tournaments.selectors.ladders.rating_history import Point
from tournaments.selectors.matches import fairness
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
HOSTILE = "<b>Zoë & co</b>"


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of a ladder with 16 games between two bots and an official table."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)
    for name in ("Morphy", HOSTILE):
        version = make_version(name)
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    for _ in range(4):
        pair_ladders(START)
        for match in Match.objects.filter(status="queued", kind="ladder"):
            play_match(match, now=START)
    later = START + timedelta(minutes=5)
    rate_due(later)
    compute_due(later + timedelta(hours=1))
    return ladder.pk


@pytest.fixture
def played(made: int, db) -> Ladder:
    return Ladder.objects.get(pk=made)


@pytest.fixture
def morphy(played: Ladder) -> Bot:
    return Bot.objects.get(name="Morphy")


def pair_address(one: str, other: str) -> str:
    return reverse("pair", args=[Bot.objects.get(name=name).slug for name in (one, other)])


class TestTheOfficialTable:
    def test_shows_the_uncertainty_of_every_line_and_its_games(self, client, played):
        address = reverse("ladder-table", args=[played.slug])
        shown = body(client, address)
        assert shown.count('title="95% interval"') == 2
        for text in ("Chance of being stronger than the one below", "First-move advantage", "Draws",
                     "&lt;b&gt;Zoë &amp; co", played.official_table.input):
            assert text in shown
        assert HOSTILE not in shown
        assert "There are no versions below this one." in body(client, address, after=2)

    def test_is_empty_before_the_first_game(self, client, played):
        new = create_ladder(ruleset="squ", size=6, base_seconds=5)
        assert "No rated games yet." in body(client, reverse("ladder-table", args=[new.slug]))

    def test_says_elsewhere_how_many_games_are_missing_while_its_intervals_are_wide(self, client, played, morphy):
        addresses = reverse("ladder", args=[played.slug]), reverse("bot", args=[morphy.slug])
        OfficialLine.objects.update(error=80.0)
        missing = OfficialLine.objects.select_related("table").first().games_for_100
        assert missing > 0
        for address in addresses:
            assert f"too few games: {missing} missing" in body(client, address)
            assert 'title="95% interval"' not in body(client, address)
        OfficialLine.objects.update(error=50.0)
        for address, lines in zip(addresses, (2, 1), strict=True):
            shown = body(client, address)
            assert "too few games" not in shown
            assert shown.count('title="95% interval"') == lines
            assert reverse("ladder-table", args=[played.slug]) in shown


class TestAPair:
    def test_is_compared_on_a_common_ladder_by_seat(self, client, played):
        answer = client.get(pair_address("Morphy", HOSTILE))
        shown = answer.content.decode()
        assert "Chance that the first bot is stronger" in shown
        assert "Expected" in shown
        assert HOSTILE not in shown
        _, found = answer.context["compared"][0]
        first, second = (seat.games for seat in found.meeting.seats)
        assert first == second > 0, "seats are swapped within each match"
        assert {game.match.ladder for game in answer.context["games"]} == {played}

    def test_requires_two_different_bots_with_a_common_ladder(self, client, played, morphy):
        make_version("Hermit")
        body(client, pair_address("Morphy", "Morphy"), expect=404)
        body(client, reverse("pair", args=[morphy.slug, "nobody"]), expect=404)
        assert "No ladder has ratings for both bots" in body(client, pair_address("Morphy", "Hermit"))


class TestTheBotsPage:
    def test_shows_the_history_on_the_chosen_ladder(self, client, played, morphy):
        other, waiting = (create_ladder(ruleset="square-grid-hex", size=size, base_seconds=5) for size in (4, 5))
        Rating.objects.create(ladder=other, bot=morphy, value=1500, information=1e-5, games=1, wins=1, draws=0, rank=1)
        join(actor=morphy.owner, ladder=waiting, version=morphy.versions.get(), now=START)
        address = reverse("bot", args=[morphy.slug])
        for query, chosen in (({}, played), ({"ladder": other.slug}, other)):
            answer = client.get(address, query)
            assert {each["ladder"]: each["open"] for each in answer.context["ladders"]} == {
                ladder: ladder == chosen for ladder in (played, other, waiting)}
        shown = " ".join(answer.content.decode().split())
        assert set(re.findall(r'<details id="([^"]*)"( open)?>', shown)) == {
            (played.slug, ""), (other.slug, " open"), (waiting.slug, "")}
        assert "not rated yet" in shown

    def test_shows_its_form_in_words(self, client, morphy):
        answer = client.get(reverse("bot", args=[morphy.slug]))
        won = Side.objects.filter(bot=morphy, score=1).count()
        assert f"Last 16 games, newest first: {won} won, 0 drawn, {16 - won} lost" in answer.content.decode()
        marks = answer.context["form"].marks
        assert [mark.game for mark in marks] == sorted((mark.game for mark in marks), reverse=True)
        assert {mark.letter + mark.words for mark in marks} <= {
            f"Wwon against {HOSTILE}", f"Llost against {HOSTILE}"}

    def test_names_the_best_and_worst_opponents_once_there_are_enough_games(self, client, morphy, monkeypatch):
        address = reverse("bot", args=[morphy.slug])
        shown = body(client, address)
        assert "Opponents with at least 10 rated games" in shown
        assert "Games to ±25" in shown
        assert pair_address("Morphy", HOSTILE) in shown
        monkeypatch.setattr(comparisons, "LEAST_GAMES", 17)
        assert "Best and worst opponents" not in body(client, address)


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


def pair(ladder: Ladder, first, second, **facts) -> Match:
    return Match.objects.create(kind="ladder", ladder=ladder, created_at=START, first=first, second=second,
                                ruleset=ladder.ruleset, **facts)


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """Three bots that met in an event; the first two have also met twice on its ladder, where the last did not play."""
    versions = [make_version(name) for name in ("Alder", "Basalt", "Cinder")]
    event = make_event(versions, ruleset="square-grid-hex", size=3, openings=True)
    spoil_match(Match.objects.filter(event=event).order_by("pk")[0], "the worker was lost")
    play_event(event)
    ladder = event.ladder
    for version in versions:
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    for number, opening in enumerate((["a1"], ["b2"])):
        play_match(pair(ladder, versions[number], versions[1 - number], seed=number, opening=opening),
                   now=START + timedelta(seconds=10 * (number + 1)))
    return SimpleNamespace(versions=versions, event=event, ladder=ladder, of_event=reverse(
        "event-fairness", args=[event.slug]), of_ladder=reverse("ladder-fairness", args=[ladder.slug]))


class TestFairnessOfALadder:
    def test_counts_seats_opponents_openings_and_waiting_without_its_events(self, world):
        alder, basalt, cinder = fairness.of_ladder(world.ladder, None, 10, START)
        for share in (alder, basalt):
            assert (share.firsts, share.seconds, share.opponents, share.openings) == (2, 2, 1, 2)
            assert (share.usual_wait, share.longest_wait) == (timedelta(seconds=10), timedelta(seconds=20))
        assert (cinder.firsts, cinder.opponents, cinder.usual_wait) == (0, 0, None)

    def test_counts_only_each_bots_newest_games(self, world, monkeypatch):
        monkeypatch.setattr(fairness, "NEWEST", 2)
        share = fairness.of_ladder(world.ladder, None, 1, START)[0]
        assert (share.firsts, share.seconds, share.openings) == (1, 1, 1)

    def test_counts_void_attempts_of_the_last_days(self, world):
        spoil_match(pair(world.ladder, *world.versions[:2], seed=9), "the worker was lost")
        assert [share.voids for share in fairness.of_ladder(world.ladder, None, 3, START)] == [1, 1, 0]
        later = START + fairness.VOID_SINCE + timedelta(days=1)
        assert [share.voids for share in fairness.of_ladder(world.ladder, None, 3, later)] == [0, 0, 0]

    def test_is_paginated(self, world):
        first = fairness.of_ladder(world.ladder, None, 2, START)
        rest = fairness.of_ladder(world.ladder, first[-1].entry.bot_id, 2, START)
        assert [share.entry.bot.name for share in (*first, *rest)] == ["Alder", "Basalt", "Cinder"]

    def test_names_the_bot_that_has_waited_longest(self, world):
        world.ladder.entries.filter(bot__name="Cinder").update(waiting_since=START - timedelta(days=1))
        assert fairness.waits_longest(world.ladder).bot.name == "Cinder"


class TestFairnessOfAnEvent:
    def test_counts_all_its_games_and_void_attempts(self, world):
        shares = fairness.of_event(world.event, None, 10)
        assert {(share.firsts, share.seconds, share.opponents) for share in shares} == {(2, 2, 2)}
        assert sum(share.voids for share in shares) == 2
        assert all(share.usual_wait <= share.longest_wait for share in shares)

    def test_is_empty_before_the_start(self, world):
        assert fairness.of_event(make_event(world.versions, name="Next", size=7, started=False), None, 10) == []


class TestFairnessPages:
    def test_escape_names(self, client, world):
        for bot in Bot.objects.all():
            Bot.objects.filter(pk=bot.pk).update(name=f"{MARKUP}{bot.pk}")
        Event.objects.update(name=MARKUP)
        for address in (world.of_event, world.of_ladder):
            page = body(client, address)
            assert "<img src=x" not in page
            assert "&lt;img src=x" in page

    def test_accept_any_cursor(self, client, world):
        for after in ("", "0", "x", "-1", "9" * 30):
            body(client, world.of_ladder, after=after)

    def test_of_a_private_event_are_hidden_from_others(self, client, world):
        Event.objects.update(private=True, created_by=make_user("mia"))
        body(client, world.of_event, expect=404)
        body(signed_in("mia"), world.of_event)

    def test_are_linked_from_the_ladder_and_the_event(self, client, world):
        for noun, row, address in (("event", world.event, world.of_event), ("ladder", world.ladder, world.of_ladder)):
            assert address in body(client, reverse(noun, args=[row.slug]))
