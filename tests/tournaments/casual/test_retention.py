"""Deletion of old casual games and questions."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_event, make_user, make_version, play_match
from tests.tournaments.conftest import NOW
from tournaments.coordinator import steps
from tournaments.models import CasualGame, Game, Match, Question
from tournaments.services.accounts.visitors import Asker, network_of
from tournaments.services.casual.answers import claim, finish
from tournaments.services.casual.games import Terms, begin, resign
from tournaments.services.casual.questions import ask_in_game
from tournaments.services.shared import retention
from tournaments.services.shared.retention import delete_expired

VISITOR = Asker(None, "v1", network_of("192.0.2.1"))
DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_limits(settings):
    settings.OPEN_CASUAL_GAMES = settings.CASUAL_GAMES_PER_HOUR = settings.VISITORS_PER_NETWORK = 1000


@pytest.fixture(scope="module")
def otter(module_db):
    return make_version("Otter")


def played(version, now=NOW) -> CasualGame:
    """A game that the person resigned after the bot's first turn."""
    game = begin(asker=VISITOR, version=version, terms=Terms("square-grid-hex", 3, "quick", 1), seed=1, now=now)
    _answer(now)
    return resign(asker=VISITOR, game=game, now=now)


def asked(version, now=NOW) -> Question:
    """An answered question from a recorded game."""
    event = make_event([version, make_version("Beaver")], ruleset="squ")
    game = play_match(Match.objects.get(event=event)).games.first()
    question = ask_in_game(asker=Asker(make_user("mia")), game=game, ply=0, version=version, now=now)
    _answer(now)
    return question


def _answer(now):
    lease = claim(question_id=Question.objects.get(status="received").pk, worker="w", tier="standard", now=now)
    assert finish(lease, Answer("a1", None, 0.2, 0.3, 0.1, ClockKind.CPU), now)


class TestDeletion:
    def test_removes_casual_games_and_questions_after_their_retention(self, otter, settings):
        settings.CASUAL_DAYS = 90
        played(otter)
        asked(otter)
        assert delete_expired(NOW + 90 * DAY) == 0
        assert delete_expired(NOW + 90 * DAY + timedelta(seconds=1)) == 3
        assert not CasualGame.objects.exists()
        assert not Question.objects.exists()
        assert Game.objects.count() == 2

    def test_keeps_recent_and_open_games(self, otter):
        old, young = played(otter), played(otter, NOW + 60 * DAY)
        going_on = begin(asker=VISITOR, version=otter, terms=Terms("squ", 6, "unhurried", 0), seed=1, now=NOW)
        delete_expired(NOW + 100 * DAY)
        assert set(CasualGame.objects.values_list("pk", flat=True)) == {young.pk, going_on.pk}
        assert not Question.objects.filter(casual=old.pk).exists()

    @pytest.mark.database
    def test_works_in_batches(self, otter, monkeypatch):
        monkeypatch.setattr(retention, "_AT_ONCE", 2)
        for _ in range(5):
            played(otter)
        left = []
        while delete_expired(NOW + 100 * DAY):
            left.append(CasualGame.objects.count())
        assert left == [3, 1, 0]

    def test_is_a_step_of_the_coordinator_unless_turned_off(self, otter, settings):
        settings.CASUAL_DAYS = 0
        played(otter)
        assert delete_expired(NOW + 10_000 * DAY) == 0
        settings.CASUAL_DAYS = 1
        steps.step(NOW + 2 * DAY)
        assert not CasualGame.objects.exists()

    def test_reads_only_a_few_of_the_oldest(self, otter):
        played(otter)
        with CaptureQueriesContext(connection) as queries:
            delete_expired(NOW)
        read = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
        assert sum("LIMIT 100" in query for query in read) == len(retention.RETENTIONS)
