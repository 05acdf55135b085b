"""Casual games of a person against a bot, with the person's clock."""

from datetime import timedelta
from random import Random

import pytest
from django.db import IntegrityError, transaction

from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from engines.rules.outcome import Forfeit
from engines.rules.registry import RULESETS, find
from tests.factories import make_user, make_version
from tests.tournaments.conftest import NOW
from tournaments.models import CasualGame, Game, Question, Side
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.visitors import Asker, TooMany, network_of
from tournaments.services.casual.answers import LONGEST_WAIT, claim, finish, reap, void
from tournaments.services.casual.games import CasualRefused, Terms, begin, end_overdue, play, resign
from tournaments.services.casual.questions import QuestionRefused
from tournaments.services.casual.turns import is_persons_turn, plies, position_of

SECOND = timedelta(seconds=1)
VISITOR = Asker(None, "v1", network_of("192.0.2.1"))

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def otter(module_db):
    return make_version("Otter")


@pytest.fixture
def start(otter):
    def start(asker=VISITOR, now=NOW, version=otter, **terms) -> CasualGame:
        facts = {"ruleset": "square-grid-hex", "size": 3, "pace": "quick", "seat": 0, **terms}
        return begin(asker=asker, version=version, terms=Terms(**facts), seed=1, now=now)
    return start


def say(game, text, *, asker=VISITOR, now=NOW, ply=None) -> CasualGame:
    return play(asker=asker, game=game, text=text, ply=len(plies(game)) if ply is None else ply, now=now)


def lease_of(game, now=NOW):
    return claim(question_id=Question.objects.get(casual=game, status="received").pk, worker="host:1", tier="standard",
                 now=now)


def reply(game, text="", *, fault=None, now=NOW) -> CasualGame:
    """Answer the bot's open question."""
    assert finish(lease_of(game, now), Answer(text, fault, 0.25, 0.3, 0.1, ClockKind.CPU), now)
    game.refresh_from_db()
    return game


def ended(game) -> tuple:
    game.refresh_from_db()
    return game.status, game.winner, game.ended_by, game.reason


class TestACasualGame:
    def test_is_played_to_its_end_by_the_rules(self, start):
        game = start()
        assert is_persons_turn(game)
        assert not Question.objects.exists()
        for mine, its in [("A1", "b1"), ("a2", "b2")]:
            game = say(game, mine)
            asked = Question.objects.get(status="received")
            assert (asked.turns, asked.per_turn_seconds, asked.left_seconds) == (plies(game), 1, 1)
            game = reply(game, its)
        game = say(game, "a3")
        assert ended(game) == ("finished", 0, "rule", "connection")
        assert [text for text, _ in game.turns] == ["a1", "b1", "a2", "b2", "a3"]
        assert not Question.objects.filter(status__in=["received", "asking"]).exists()
        drawn = start(ruleset="squaresquared", size=4)
        assert ended(reply(say(drawn, "pass"), "pass")) == ("finished", None, "rule", "two passes")

    def test_does_not_affect_the_bots_record(self, start):
        game = reply(say(start(), "a1"), fault=Fault(1, Forfeit.CRASH, "", "it crashed", 1))
        assert ended(game) == ("finished", 0, "conduct", "crash")
        assert not Game.objects.exists()
        assert not Side.objects.exists()

    def test_asks_the_bot_first_when_it_has_the_first_seat(self, start):
        game = start(seat=1)
        assert not is_persons_turn(game)
        with pytest.raises(CasualRefused, match="It is the bot's turn"):
            say(game, "a1")
        assert is_persons_turn(reply(game, "a1"))
        assert ended(say(reply(say(game, "swap"), "b2"), "resign"))[:2] == ("finished", 0)

    def test_can_be_played_in_every_ruleset_and_from_an_opening(self, start, settings):
        settings.OPEN_CASUAL_GAMES = settings.CASUAL_GAMES_PER_HOUR = len(RULESETS)
        for slug in RULESETS:
            game = start(ruleset=slug, size=6 if 6 in find(slug).sizes else 5, opening=True)
            assert game.opening
            for _ in range(2):
                position = position_of(game)
                first = position.format(position.random_turn(Random(1)))
                game = say(game, first) if is_persons_turn(game) else reply(game, first)
            assert len(game.turns) == 2

    def test_can_be_resigned_while_the_bot_thinks(self, start):
        game = say(start(), "a1")
        late = lease_of(game)
        game = resign(asker=VISITOR, game=game, now=NOW)
        assert ended(game) == ("finished", 1, "rule", "resignation")
        assert Question.objects.get().status == "dropped"
        assert not finish(late, Answer("b1", None, 0.1, 0.1, 0.1, ClockKind.CPU), NOW)
        assert [text for text, _ in game.turns] == ["a1"]
        with pytest.raises(CasualRefused, match="already over"):
            resign(asker=VISITOR, game=game, now=NOW)

    def test_is_void_when_the_bot_cannot_be_asked(self, start):
        game = say(start(), "a1")
        for _ in range(5):
            void(lease_of(game), "the sandbox failed: x", NOW)
        assert ended(game) == ("void", None, "", "")
        other = say(start(), "a1")
        reap(NOW + LONGEST_WAIT + SECOND)
        assert ended(other) == ("void", None, "", "")


class TestAPersonsTurn:
    def test_is_played_only_by_that_person(self, start):
        mine, theirs = start(), start(asker=Asker(make_user("pia")))
        for game, asker in [(mine, Asker(None, "v2", VISITOR.network)), (mine, Asker(make_user("mia"))),
                            (theirs, VISITOR), (theirs, Asker(make_user("mia"), "v1"))]:
            with pytest.raises(Forbidden, match="This is another player's game"):
                say(game, "a1", asker=asker)
            with pytest.raises(Forbidden):
                resign(asker=asker, game=game, now=NOW)
        assert say(mine, "a1", asker=Asker(make_user("mia"), "v1")).turns

    def test_is_refused_without_effect_when_invalid(self, start):
        game = start()
        for text in ("z9", "", "a1,b2", "swap", "pass", "<b>"):
            with pytest.raises(CasualRefused, match="Invalid turn"):
                say(game, text)
        game.refresh_from_db()
        assert game.turns == []

    def test_is_played_once_even_if_sent_twice(self, start):
        game = start()
        say(game, "a1", ply=0)
        with pytest.raises(CasualRefused, match="It is the bot's turn"):
            say(game, "a1", ply=0)
        reply(game, "b1")
        with pytest.raises(CasualRefused, match="continued in the meantime"):
            say(game, "a2", ply=0)


class TestThePersonsClock:
    def test_runs_during_their_turn_and_gets_the_increment(self, start):
        game = say(start(), "a1", now=NOW + 10 * SECOND)
        assert game.left_seconds == 180 - 10 + 2
        game = reply(game, "b1", now=NOW + 60 * SECOND)
        assert game.deadline_at == NOW + (60 + 172 + 1) * SECOND
        assert say(game, "a2", now=NOW + 62 * SECOND).left_seconds == 172 - 2 + 2

    def test_costs_the_game_when_it_runs_out(self, start):
        late, gone, thinking = start(), start(), say(start(), "a1")
        assert ended(say(late, "a1", now=NOW + 182 * SECOND)) == ("finished", 1, "conduct", "time")
        assert end_overdue(NOW + 180 * SECOND) == 0
        assert end_overdue(NOW + 182 * SECOND) == 1
        assert ended(gone) == ("finished", 1, "conduct", "time")
        # It stops while the bot thinks.
        assert end_overdue(NOW + 86_400 * SECOND) == 0
        assert ended(thinking)[0] == "playing"

    def test_can_be_absent_and_an_idle_game_is_abandoned(self, start):
        game = say(start(pace="unhurried"), "a1", now=NOW + 3000 * SECOND)
        reply(game, "b1", now=NOW + 3001 * SECOND)
        assert end_overdue(NOW + 6600 * SECOND) == 0
        assert end_overdue(NOW + 6602 * SECOND) == 1
        assert ended(game) == ("abandoned", None, "", "")


class TestStarting:
    def test_is_refused_on_invalid_terms_and_against_a_bot_that_does_not_play_the_ruleset(self, start):
        for terms, words in (({"size": 99}, "not on 99"), ({"pace": "x"}, "The pace must be one of"),
                             ({"seat": 2}, "the seat 0 or 1")):
            with pytest.raises(CasualRefused, match=words):
                start(**terms)
        with pytest.raises(QuestionRefused, match="does not play"):
            start(version=make_version("Squid", rulesets=["squ"]))

    def test_is_limited_in_open_games_and_games_per_hour(self, start, settings):
        settings.OPEN_CASUAL_GAMES, settings.CASUAL_GAMES_PER_HOUR = 1, 2
        resign(asker=VISITOR, game=start(), now=NOW)
        game = start()
        with pytest.raises(TooMany, match="You have 1 open casual games"):
            start()
        resign(asker=VISITOR, game=game, now=NOW)
        with pytest.raises(TooMany, match="You have had 2 casual games in the last hour"):
            start()
        start(now=NOW + 3601 * SECOND)


@pytest.mark.database
class TestTheDatabase:
    def test_refuses_inconsistent_rows(self, start):
        start()
        for facts in ({"status": "lost"}, {"seat": 2}, {"winner": 2}, {"status": "finished"}, {"ended_at": NOW},
                      {"visitor": ""}, {"ended_by": "rule"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                CasualGame.objects.update(**facts)

    def test_allows_one_open_question_per_game(self, start):
        game = say(start(), "a1")
        asked = Question.objects.get()
        asked.pk, asked.token = None, "other"
        with pytest.raises(IntegrityError), transaction.atomic():
            asked.save(force_insert=True)
        assert game.questions.count() == 1

