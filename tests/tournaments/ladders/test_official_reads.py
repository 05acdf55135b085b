"""Reading the ratings of versions, meetings and the history of ratings."""

from datetime import timedelta

import pytest
from django.db.models import F

from ratings.models import OfficialLine, OfficialTable, Rating
from tests.factories import START, make_event, make_version, play_event, play_match
from tests.tournaments.ladders.official import play_to
from tournaments.models import Ladder, Match, Version
from tournaments.selectors.ladders import official as reads
from tournaments.selectors.ladders.comparisons import compare, meeting, opponents
from tournaments.selectors.ladders.rating_history import rating_history
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
LATER = START.replace(hour=20)


@pytest.fixture(scope="module")
def computed(module_db):
    bots = [make_version(name) for name in ("ant", "bee", "cat", "dog")]
    event = play_event(make_event(bots, ruleset="square-grid-hex", size=4, cycles=2))
    compute_due(LATER)
    return event.ladder_id


@pytest.fixture
def ladder(computed, db):
    return Ladder.objects.get(pk=computed)


@pytest.fixture
def versions(computed, db):
    return list(Version.objects.order_by("pk"))


class TestLines:
    def test_are_paged_from_the_top_and_empty_before_the_first_table(self, ladder):
        table = reads.table_of(ladder)
        pages = [reads.lines_after(table, rank, 3) for rank in (0, 3, 4)]
        assert [[line.rank for line in page] for page in pages] == [[1, 2, 3], [4], []]
        OfficialTable.objects.all().delete()
        assert reads.lines_after(reads.table_of(ladder), 0, 10) == []
        assert reads.lines_by_bot(None, [1]) == {}

    def test_of_a_bot_include_its_versions_on_all_ladders_and_represent_it_by_the_playing_one(self, ladder, versions):
        second = make_version("ant")
        play_event(make_event([second, *versions[1:]], ruleset="square-grid-hex", size=4))
        play_event(make_event(versions[:2], ruleset="square-grid-hex", size=5))
        # A step of a slow machine computes one ladder only.
        while compute_due(LATER):
            pass
        lines = reads.lines_of_bot(second.bot)
        assert [(line.table.ladder.size, line.version.number) for line in lines] == [(4, 2), (4, 1), (5, 1)]
        table, ant = reads.table_of(ladder), second.bot
        assert reads.line_of(table, ant).version == second
        join(actor=ant.owner, ladder=ladder, version=versions[0], now=LATER)
        assert compute_due(LATER) == 1
        table = reads.table_of(ladder)
        assert reads.line_of(table, ant).version == versions[0]
        assert set(reads.lines_by_bot(table, [ant.pk, versions[1].bot_id])) == {ant.pk, versions[1].bot_id}


class TestMeetings:
    def test_have_results_by_seat(self, versions, now):
        ant, bee = versions[:2]
        event = make_event([ant, bee], ruleset="square-grid-hex", size=3, cycles=2)
        one, other = Match.objects.filter(event=event).order_by("pk")
        play_to(one, 0, 0, now=now)
        play_to(other, 1, 0, now=now)
        rate_due(now)
        # Four games, three of which seat 0 won.
        games = meeting(event.ladder, {ant.pk}, {bee.pk})
        first, second = games.seats
        assert first.games == second.games == 2
        assert first.wins + second.losses == 3
        mirrored = meeting(event.ladder, {bee.pk}, {ant.pk})
        assert (mirrored.seats[1].losses, mirrored.seats[0].wins) == (first.wins, second.losses)
        assert (games.expected_share, games.foreseen) == (None, 0)

    def test_predict_the_actual_total_of_a_version_that_met_all_others(self, ladder, versions):
        # At its most likely ratings a model predicts the actual points of every version, apart from the prior.
        for version in versions:
            met = [meeting(ladder, {version.pk}, {other.pk}) for other in versions if other != version]
            assert sum(games.expected for games in met) == pytest.approx(
                sum(games.foreseen_points for games in met), abs=1.0)

    def test_are_listed_by_opponent_and_count_all_versions_of_a_bot(self, ladder, versions):
        listed = opponents(ladder, versions[0].bot)
        assert [(each.bot.name, each.meeting.score.games) for each in listed] == [("bee", 4), ("cat", 4), ("dog", 4)]
        assert opponents(ladder, make_version("eel").bot) == []
        second = make_version("ant")
        play_event(make_event([second, versions[1]], ruleset="square-grid-hex", size=4))
        compute_due(LATER)
        assert compare(ladder, second.bot, versions[1].bot).meeting.score.games == 6
        assert compare(ladder, second, versions[1].bot).meeting.score.games == 2


class TestCompare:
    def test_gives_the_same_from_neighbours_covariances_and_the_full_system(self, ladder, versions):
        lines = {line.version_id: line for line in OfficialLine.objects.all()}
        best, worst = (sorted(versions, key=lambda version: lines[version.pk].rank)[place] for place in (0, -1))
        near = compare(ladder, best, worst).difference
        OfficialLine.objects.update(covariances=[])
        OfficialTable.objects.update(revision=77)
        far = compare(ladder, best, worst).difference
        assert near.value == far.value > 0
        assert far.high - far.low == pytest.approx(near.high - near.low, rel=0.01)
        assert far.better == pytest.approx(near.better, abs=0.01)

    def test_treats_errors_as_independent_in_a_very_large_table(self, ladder, versions):
        OfficialLine.objects.update(covariances=[], error=10.0, low=F("rating") - 19.6, high=F("rating") + 19.6)
        OfficialTable.objects.update(exact=False)
        found = compare(ladder, versions[0], versions[1]).difference
        assert found.high - found.low == pytest.approx(2 * 1.96 * 200 ** 0.5, abs=1e-5)


class TestRatingHistory:
    def test_ends_with_the_present_rating_and_names_the_versions(self, ladder, versions):
        for version in versions:
            points, rating = rating_history(version.bot, ladder), Rating.objects.get(bot=version.bot)
            assert [(point.at, point.value, point.low, point.high) for point in points] == [
                (LATER, rating.value, rating.low, rating.high)]
        assert rating_history(make_version("eel").bot, ladder) == []
        play_event(make_event([make_version("ant"), versions[1]], ruleset="square-grid-hex", size=4))
        compute_due(LATER + timedelta(hours=1))
        assert [point.version for point in rating_history(versions[0].bot, ladder)] == [1, 2]


@pytest.mark.slow
def test_reading_takes_as_few_queries_for_many_bots_as_for_few(django_assert_max_num_queries):
    counted = []
    for size, bots in ((5, 3), (6, 6)):
        there = [make_version(f"bot {number} of {bots}") for number in range(bots)]
        event = make_event(there, ruleset="square-grid-hex", size=size)
        for match in Match.objects.filter(event=event):
            play_match(match, most_plies=4)
        play_event(event)
        compute_due(LATER)
        ladder, one, two = event.ladder, there[0].bot, there[1].bot
        with django_assert_max_num_queries(40) as queries:
            table = reads.table_of(ladder)
            reads.lines_after(table, 0, 50)
            reads.lines_of_bot(one)
            reads.lines_by_bot(table, [one.pk, two.pk])
            opponents(ladder, one)
            compare(ladder, one, two)
            rating_history(one, ladder)
        counted.append(len(queries))
    assert counted[0] == counted[1]
