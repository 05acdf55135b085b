"""An event's tables, which are computed once per revision and cached."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_event, make_user, make_version, play_match
from tests.tournaments.events.test_rounds import hold_event
from tournaments.api.events.tables import CrosstableRowSerializer
from tournaments.models import Event, Game, Match
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.tables import all_standings
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db


@pytest.fixture
def keeping(settings, redis_url):
    """Turn on the cache as on a site, empty."""
    settings.KEPT_TABLE_SECONDS = 600
    # In an earlier test the cache may have been unavailable.
    settings.CACHES = {**settings.CACHES, "default": {**settings.CACHES["default"], "KEY_PREFIX": "tables"}}
    cache.clear()


@pytest.fixture(scope="module")
def of_all_tests(module_db) -> Event:
    return make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)


@pytest.fixture
def event(of_all_tests) -> Event:
    return Event.objects.get(pk=of_all_tests.pk)


def play_one(event: Event) -> Match:
    return play_match(Match.objects.filter(event=event, status="queued").order_by("pk")[0])


def games(event: Event) -> tuple[int, int, int, int]:
    """The number of games according to the standings, the crosstable, the progress and the rounds."""
    event.refresh_from_db()
    return (sum(line.row.score.games for line in reads.standings(event)) // 2,
            sum(cell.score.games for row in reads.crosstable(event) for cell in row.cells if cell.score) // 2,
            reads.progress(event, event.started_at).games_done,
            2 * sum(round_.ended for round_ in reads.round_summaries(event)))


def queries(read) -> list[str]:
    """The queries that read the tables of games and matches."""
    with CaptureQueriesContext(connection) as captured:
        read()
    return [query["sql"] for query in captured if 'FROM "tournaments_game"' in query["sql"]]


@pytest.mark.usefixtures("keeping")
class TestCachedTables:
    @pytest.mark.database
    def test_count_each_match_that_is_finished(self, event):
        for played in range(4):
            assert games(event) == (2 * played,) * 4
            assert games(event) == (2 * played,) * 4
            if played < 3:
                play_one(event)

    def test_are_not_computed_twice_and_do_not_reread_counted_games(self, event):
        play_one(event)
        event.refresh_from_db()
        first = reads.crosstable(event)
        assert queries(lambda: (reads.standings(event), reads.crosstable(event))) == []
        assert reads.crosstable(event) == first
        play_one(event)
        event.refresh_from_db()
        [read] = queries(lambda: reads.standings(event))
        assert '"tournaments_game"."id" > ' in read

    def test_count_a_game_committed_after_a_newer_one(self, event):
        slow, quick = play_one(event), play_one(event)
        # As if it were not committed yet; its games have lower ids than the games counted first.
        Game.objects.filter(match=slow).update(event=None)
        event.refresh_from_db()
        assert sum(line.row.score.games for line in reads.standings(event)) // 2 == quick.games.count()
        Game.objects.filter(match=slow).update(event=event)
        play_one(event)
        assert games(event) == (6,) * 4

    def test_of_several_events_are_counted_in_as_many_queries_as_of_one(self, event):
        others = [make_event([make_version(f"{name} {number}") for name in ("ant", "bee")], name=f"No. {number}",
                             ruleset="square-grid-hex", size=3) for number in range(3)]
        for played in (0, 1):
            # All are read at first; then one has a new game, and the others a new revision without one.
            Event.objects.update(revision=100 + played)
            events = list(Event.objects.order_by("pk"))
            assert len(queries(lambda: all_standings(events))) == 1 + played  # noqa: B023 - called at once
            tables = all_standings(events)
            assert [sum(line.row.score.games for line in table) // 2 for table in tables] == [2 * played, 0, 0, 0]
            assert queries(lambda: all_standings(events)) == []  # noqa: B023 - called at once
            play_one(event)
        assert {line.entry.event for line in tables[1]} == {others[0]}

    def test_read_each_record_of_a_precision_event_once(self, client):
        event = hold_event(4, "precision", target="ratings", target_value=150, max_matches=60)

        def records() -> list[str]:
            page = reverse("event", args=[event.slug])
            return [sql for sql in queries(lambda: client.get(page)) if '"record"' in sql]

        play_one(event)
        assert len(records()) == 1
        assert records() == []
        match = play_one(event)
        [read] = records()
        assert f'"match_id" IN ({match.pk})' in read
        pairing = history_of(event)
        play_one(event)
        assert (len(pairing.games), len(history_of(event, kept=True).games)) == (2, 3)
        assert history_of(event, kept=True) == history_of(event)

    def test_store_one_state_per_event(self, event):
        games(event)
        keys = set(cache._cache.get_client(None).keys("*"))
        for _ in range(3):
            play_one(event)
            games(event)
        assert set(cache._cache.get_client(None).keys("*")) == keys

    def test_show_current_ratings(self, event):
        rate_due(ended := play_one(event).ended_at)
        compute_due(ended)
        event.refresh_from_db()
        before = {line.entry.bot_id: line.rating and line.rating.value for line in reads.standings(event)}
        other = make_event([make_version(name) for name in ("ant", "bee")], name="Another", ruleset="square-grid-hex",
                           size=3)
        assert other.ladder == event.ladder
        rate_due(play_one(other).ended_at)
        compute_due(ended + timedelta(minutes=10))
        revision = event.revision
        event.refresh_from_db()
        assert event.revision > revision, "its page is drawn again"
        assert before != {line.entry.bot_id: line.rating and line.rating.value for line in reads.standings(event)}

    def test_of_a_private_event_are_hidden_from_other_users(self, event, client):
        play_one(event)
        insider = Client()
        insider.force_login(make_user("organiser", staff=True))
        addresses = [reverse(name, args=[event.slug]) for name in ("event", "event-live", "event-crosstable")]
        addresses += [f"/api/events/{event.slug}/{part}/" for part in ("standings", "crosstable", "progress")]
        # The tables are cached while everyone may see them.
        assert [client.get(address).status_code for address in addresses] == [200] * 6
        Event.objects.filter(pk=event.pk).update(private=True)
        assert [insider.get(address).status_code for address in addresses] == [200] * 6
        assert [client.get(address).status_code for address in addresses] == [404] * 6
        assert client.get(f"/api/games/?event={event.slug}").json()["results"] == []
        assert len(insider.get(f"/api/games/?event={event.slug}").json()["results"]) == 2


class TestWithoutTheCache:
    def test_tables_are_computed_each_time(self, event, settings, client):
        settings.KEPT_TABLE_SECONDS, settings.SHARED_PAGE_SECONDS = 600, 2
        settings.CACHES = {**settings.CACHES, "default": {
            **settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"}}
        for played in range(2):
            assert games(event) == (2 * played,) * 4
            for address in (reverse("event", args=[event.slug]), f"/api/events/{event.slug}/standings/"):
                assert client.get(address).status_code == 200
            play_one(event)


class TestACrosstableByApi:
    def test_matches_its_serializer(self, event, client):
        play_one(event)
        answer = client.get(f"/api/events/{event.slug}/crosstable/")
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == CrosstableRowSerializer(reads.crosstable(event), many=True).data
        assert [[cell["score"] is None for cell in row["cells"]] for row in answer.json()].count([True] * 3) == 1
