"""Pages of ratings and of fairness: all versions of a ladder, two bots compared, a bot, and equal treatment."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from frontend.drawing.plots import rating_plot
from ratings.models import RatingPoint
from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend.visits import HOSTILE, body, signed_in
from tournaments.models import Bot, Event, Ladder, Match, Side, Version
from tournaments.selectors.ladders import comparisons
from tournaments.selectors.matches import fairness
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
WIDE = 'title="95% interval"'


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of a ladder with 16 games between two bots and their ratings."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)
    for name in ("Morphy", HOSTILE):
        version = make_version(name)
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    for _ in range(4):
        pair_ladders(START)
        for match in Match.objects.filter(status="queued", kind="ladder"):
            play_match(match, now=START)
    rate_due(START + timedelta(minutes=5))
    compute_due(START + timedelta(hours=2))
    return ladder.pk


@pytest.fixture
def played(made: int) -> Ladder:
    return Ladder.objects.get(pk=made)


@pytest.fixture
def morphy(played: Ladder) -> Bot:
    return Bot.objects.get(name="Morphy")


def pair(one: str, other: str) -> str:
    return reverse("pair", args=[Bot.objects.get(name=name).slug for name in (one, other)])


class TestTheOfficialTable:
    def test_shows_the_uncertainty_of_every_line_and_its_games(self, client, played):
        address = reverse("ladder-table", args=[played.slug])
        shown = body(client, address)
        assert shown.count(WIDE) == 2
        for text in ("Chance of being stronger than the one below", "First-move advantage",
                     "&lt;img src=x", played.official_table.input):
            assert text in shown
        assert "<img src=x" not in shown
        assert "There are no versions below this one." in body(client, address, after=2)
        new = create_ladder(ruleset="squ", size=6, base_seconds=5)
        assert "No rated games yet." in body(client, reverse("ladder-table", args=[new.slug]))


class TestAPair:
    @pytest.mark.database
    def test_is_compared_on_a_common_ladder_by_seat(self, client, played, morphy):
        answer = client.get(pair("Morphy", HOSTILE))
        assert "Chance that the first bot is stronger" in answer.content.decode()
        assert "<img src=x" not in answer.content.decode()
        _, found = answer.context["compared"][0]
        first, second = (seat.games for seat in found.meeting.seats)
        assert first == second > 0, "seats are swapped within each match"
        assert {game.match.ladder for game in answer.context["games"]} == {played}
        make_version("Hermit")
        assert "No ladder has ratings for both bots" in body(client, pair("Morphy", "Hermit"))
        for address in (pair("Morphy", "Morphy"), reverse("pair", args=[morphy.slug, "nobody"])):
            body(client, address, expect=404)


class TestTheBotsPage:
    def test_shows_the_history_on_the_chosen_ladder(self, client, played, morphy):
        other = play_event(make_event(Version.objects.order_by("pk"), ruleset="square-grid-hex", size=4)).ladder
        compute_due(START + timedelta(days=1))
        waiting = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)
        join(actor=morphy.owner, ladder=waiting, version=morphy.versions.get(), now=START)
        for query, chosen in (({}, played), ({"ladder": other.slug}, other)):
            answer = client.get(reverse("bot", args=[morphy.slug]), query)
            assert {each["ladder"]: each["open"] for each in answer.context["ladders"]} == {
                ladder: ladder == chosen for ladder in (played, other, waiting)}
        shown = " ".join(answer.content.decode().split())
        assert set(re.findall(r'<details id="([^"]*)"( open)?>', shown)) == {
            (played.slug, ""), (other.slug, " open"), (waiting.slug, "")}
        assert "not rated yet" in shown

    def test_shows_its_form_in_words_and_its_best_and_worst_opponents(self, client, morphy, monkeypatch):
        address = reverse("bot", args=[morphy.slug])
        answer = client.get(address)
        shown, won = answer.content.decode(), Side.objects.filter(bot=morphy, score=1).count()
        for text in (f"Last 16 games, newest first: {won} won, 0 drawn, {16 - won} lost", "Games to ±25",
                     "Opponents with at least 10 rated games", pair("Morphy", HOSTILE)):
            assert text in shown
        marks = answer.context["form"].marks
        assert [mark.game for mark in marks] == sorted((mark.game for mark in marks), reverse=True)
        assert {mark.letter + mark.words for mark in marks} <= {f"Wwon against {HOSTILE}", f"Llost against {HOSTILE}"}
        monkeypatch.setattr(comparisons, "LEAST_GAMES", 17)
        assert "Best and worst opponents" not in body(client, address)

    def test_orders_opponents_by_the_actual_minus_the_expected_score(self):
        met = [comparisons.Opponent(place, comparisons.Meeting(expected=expected, foreseen=games,
                                                               foreseen_points=scored))
               for place, (games, scored, expected) in enumerate([
                   (10, 5, 4), (20, 11, 8), (9, 9, 0), (10, 3, 3), (50, 10, 12), (10, 1, 5)])]
        assert [[each.bot for each in side] for side in comparisons.extremes(met, 3)] == [[1, 0], [5, 4]]
        assert [each.bot for each in comparisons.extremes(met, 1)[0]] == [1]
        assert comparisons.extremes(met[2:3], 3) is None


class TestThePlot:
    def points(self, *values, spread=50, versions=()):
        then = datetime(2026, 11, 1, tzinfo=UTC)
        return [RatingPoint(at=then + timedelta(hours=index), value=value, low=value - spread, high=value + spread,
                            version=versions[index] if versions else 1) for index, value in enumerate(values)]

    def test_has_a_step_for_each_of_several_points_and_a_band(self):
        assert rating_plot(self.points(1500)) == ""
        drawn = rating_plot(self.points(1500, 1520, 1480))
        assert drawn.split('class="track" d="')[1].split('"')[0].count("H") == 3
        assert 'class="band"' in drawn
        assert "from 1500 to 1480, now between 1430 and 1530" in drawn

    def test_marks_version_changes_and_clips_the_band_of_the_first_games(self):
        drawn = rating_plot(self.points(*[1500] * 10, versions=[1] * 4 + [3] * 6))
        assert (drawn.count("version"), ">v3<" in drawn) == (1, True)
        drawn = rating_plot(self.points(1500, 1500, spread=9000))
        assert "10500" not in drawn.split("</svg>")[0].split("aria-label")[1].split(">", 1)[1]


class TestFairness:
    @pytest.fixture(scope="module")
    def world(self, module_db) -> SimpleNamespace:
        """Three bots that met in an event; the first two have also met twice on its ladder, but not the last."""
        versions = [make_version(name) for name in ("Alder", "Basalt", "Cinder")]
        event = make_event(versions, ruleset="square-grid-hex", size=4, openings=True)
        spoil_match(Match.objects.filter(event=event).order_by("pk")[0], "the worker was lost")
        play_event(event)
        for version in versions:
            join(actor=version.bot.owner, ladder=event.ladder, version=version, now=START)
        for number, opening in enumerate((["a1"], ["b2"])):
            play_match(self.meet(event.ladder, versions[number], versions[1 - number], seed=number, opening=opening),
                       now=START + timedelta(seconds=10 * (number + 1)))
        return SimpleNamespace(versions=versions, event=event, ladder=event.ladder, addresses=[
            reverse("event-fairness", args=[event.slug]), reverse("ladder-fairness", args=[event.ladder.slug])])

    def meet(self, ladder: Ladder, first, second, **facts) -> Match:
        return Match.objects.create(kind="ladder", ladder=ladder, created_at=START, first=first, second=second,
                                    ruleset=ladder.ruleset, **facts)

    @pytest.mark.database
    def test_of_a_ladder_counts_seats_opponents_openings_and_waiting_outside_of_events(self, world, monkeypatch):
        alder, basalt, cinder = fairness.of_ladder(world.ladder, None, 10, START)
        for share in (alder, basalt):
            assert (share.firsts, share.seconds, share.opponents, share.openings) == (2, 2, 1, 2)
            assert (share.usual_wait, share.longest_wait) == (timedelta(seconds=10), timedelta(seconds=20))
        assert (cinder.firsts, cinder.opponents, cinder.usual_wait) == (0, 0, None)
        assert [share.entry.bot.name for share in fairness.of_ladder(world.ladder, basalt.entry.bot_id, 2, START)] == [
            "Cinder"]
        monkeypatch.setattr(fairness, "NEWEST", 2)
        share = fairness.of_ladder(world.ladder, None, 1, START)[0]
        assert (share.firsts, share.seconds, share.openings) == (1, 1, 1)

    def test_of_a_ladder_counts_void_attempts_of_the_last_days_and_names_who_waits_longest(self, world):
        spoil_match(self.meet(world.ladder, *world.versions[:2], seed=9), "the worker was lost")
        for now, voids in ((START, [1, 1, 0]), (START + fairness.VOID_SINCE + timedelta(days=1), [0, 0, 0])):
            assert [share.voids for share in fairness.of_ladder(world.ladder, None, 3, now)] == voids
        world.ladder.entries.filter(bot__name="Cinder").update(waiting_since=START - timedelta(days=1))
        assert fairness.waits_longest(world.ladder).bot.name == "Cinder"

    @pytest.mark.database
    def test_of_an_event_counts_all_its_games_and_void_attempts(self, world):
        shares = fairness.of_event(world.event, None, 10)
        assert {(share.firsts, share.seconds, share.opponents) for share in shares} == {(2, 2, 2)}
        assert sum(share.voids for share in shares) == 2
        assert all(share.usual_wait <= share.longest_wait for share in shares)
        assert fairness.of_event(make_event(world.versions, name="Next", size=7, started=False), None, 10) == []

    def test_has_pages_that_accept_any_cursor_and_are_linked(self, client, world):
        for address, noun, row in zip(world.addresses, ("event", "ladder"), (world.event, world.ladder), strict=True):
            for after in ("", "0", "x", "-1", "9" * 30):
                body(client, address, after=after)
            assert address in body(client, reverse(noun, args=[row.slug]))
        Event.objects.update(private=True, created_by=make_user("mia"))
        body(client, world.addresses[0], expect=404)
        body(signed_in("mia"), world.addresses[0])
