"""Questions to bots: permissions, limits, claims and answers."""

from datetime import timedelta

import kombu
import pytest
from django.db import IntegrityError, transaction

from engines.records.record import Fault
from engines.records.time_control import ClockKind, TimeControl
from engines.referee.questions import Answer
from engines.rules.outcome import Forfeit
from tests.factories import START, make_event, make_user, make_version, play_match
from tests.tournaments.conftest import NOW
from tournaments.celery import app
from tournaments.models import Game, Match, Question, Side
from tournaments.platform.messaging.queues import QUESTIONS_QUEUE
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.bans import ban
from tournaments.services.accounts.visitors import Asker, TooMany, network_of
from tournaments.services.bots.versions import rest
from tournaments.services.casual.answers import LONGEST_WAIT, claim, finish, reap, void
from tournaments.services.casual.questions import QuestionRefused, ask_here, ask_in_game, publish_question
from tournaments.services.dispatch import publish_due
from tournaments.services.shared.leases import renew
from tournaments.worker.order import QuestionsFirst

MINUTE = timedelta(minutes=1)
CONTROL = TimeControl(5, 0.1)
A1 = Answer("a1", None, 0.5, 0.6, 0.1, ClockKind.CPU, stderr=b"\x1b[2Jhm")
CRASH = Answer("", Fault(0, Forfeit.CRASH, "<b>x", "it exited with status 1", 0, 0.2, 0.3), 0.2, 0.3, 0.1,
               ClockKind.CPU)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def otter(module_db):
    return make_version("Otter")


@pytest.fixture(scope="module")
def pia(module_db):
    return Asker(make_user("pia"))


def put(asker, version, *turns, now=NOW, **facts) -> Question:
    return ask_here(**{"asker": asker, "version": version, "ruleset": "square-grid-hex", "size": 3, "turns": turns,
                       "control": CONTROL, "now": now, **facts})


def take(question, now=NOW, worker="host:1", tier="standard"):
    return claim(question_id=question.pk, worker=worker, tier=tier, now=now)


def visitor(key="v1", address="192.0.2.1") -> Asker:
    return Asker(None, key, network_of(address))


class TestAQuestion:
    def test_stores_the_position_and_a_clock_within_the_sites_limit(self, pia, otter, settings):
        asked = put(pia, otter, "A1", "b2", left=1.5)
        asked.refresh_from_db()
        assert (asked.turns, asked.left_seconds, asked.base_seconds, asked.status) == (["a1", "b2"], 1.5, 5, "received")
        assert (asked.user, asked.visitor, len(asked.token)) == (pia.user, "", 22)
        settings.LONGEST_QUESTION_SECONDS = 2
        assert put(pia, otter).left_seconds == put(pia, otter, control=TimeControl(per_turn=60)).left_seconds == 2

    def test_is_refused_for_an_impossible_position(self, pia, otter):
        for turns, size, words in (
                (["a1", "a1"], 3, "cannot be played"), (["z9"], 3, "cannot be played"), ([], 99, "not on 99"),
                (["a1", "b1", "a2", "b2", "a3"], 3, "The game is over in this position: choose an earlier one"),
                (["a1"] * 5000, 3, "at most 94 plies")):
            with pytest.raises(QuestionRefused, match=words):
                put(pia, otter, *turns, size=size)

    def test_is_refused_for_an_inactive_or_unsuitable_version_and_to_banned_users(self, pia, staff):
        squ = make_version("Squid", rulesets=["squ"])
        with pytest.raises(QuestionRefused, match="does not play Square Grid Hex"):
            put(pia, squ)
        rested = rest(version=make_version("Sloth"), actor=staff, now=NOW)
        with pytest.raises(QuestionRefused, match="Sloth v1 is suspended"):
            put(pia, rested)
        banned, owned = make_version("Boar"), make_version("Crow", owner="eve")
        ban(actor=staff, reason="x", now=NOW, bot=banned.bot)
        ban(actor=staff, reason="x", now=NOW, user=owned.bot.owner)
        for version in (banned, owned):
            with pytest.raises(QuestionRefused, match="cannot take part"):
                put(pia, version)
        ban(actor=staff, reason="spam", now=NOW, user=pia.user)
        with pytest.raises(Forbidden, match="You are banned: spam"):
            put(pia, make_version("Otter"))

    def test_takes_position_and_clock_from_a_recorded_game_under_todays_rules(self, pia):
        first, second = make_version("Alder"), make_version("Basalt")
        event = make_event([first, second], ruleset="squ", size=4)
        game = play_match(Match.objects.get(event=event)).games.first()
        asked = ask_in_game(asker=pia, game=game, ply=3, version=second, now=NOW)
        played = [turn["turn"] for turn in game.record["turns"]]
        assert asked.turns == played[:3]
        used = game.record["turns"][1]["seconds"]
        assert asked.left_seconds == pytest.approx(5.1 - used, abs=1e-5)
        for ply in (-1, len(played) + 1):
            with pytest.raises(QuestionRefused, match="there is no position"):
                ask_in_game(asker=pia, game=game, ply=ply, version=second, now=NOW)
        for change in ({"rules": 2}, {"format": 99}):
            game.record = game.record | change
            with pytest.raises(QuestionRefused, match="recorded under older rules"):
                ask_in_game(asker=pia, game=game, ply=3, version=second, now=NOW)


class TestTheLimits:
    def test_apply_to_open_questions_and_per_hour_except_for_staff(self, pia, otter, settings, staff):
        settings.OPEN_QUESTIONS, settings.QUESTIONS_PER_HOUR = 2, 3
        for _ in range(2):
            last = put(pia, otter)
        with pytest.raises(TooMany, match="You have 2 open questions"):
            put(pia, otter)
        finish(take(last), A1, NOW)
        finish(take(put(pia, otter)), A1, NOW)
        with pytest.raises(TooMany, match="You have had 3 questions in the last hour"):
            put(pia, otter)
        put(pia, otter, now=NOW + 61 * MINUTE)
        settings.OPEN_QUESTIONS = 0
        put(Asker(staff), otter)

    def test_apply_to_visitors_regardless_of_their_cookie(self, otter, settings):
        settings.OPEN_QUESTIONS, settings.VISITORS_PER_NETWORK = 1, 2
        put(visitor("v1"), otter)
        with pytest.raises(TooMany, match="You have 1 open questions"):
            put(visitor("v1", "198.51.100.7"), otter)
        put(visitor("v2", "::ffff:192.0.2.1"), otter)
        with pytest.raises(TooMany, match="Visitors from your network have 2"):
            put(visitor("v3"), otter)
        put(visitor("v3", "192.0.2.2"), otter)

    def test_treat_the_addresses_of_one_network_as_one(self):
        assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:2:ffff::9") != network_of("2001:db8:1:3::1")
        assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("192.0.2.2")
        assert network_of("fe80::1%eth0") == network_of("fe80::2")
        assert network_of("") == network_of("<script>")
        assert "192.0.2.1" not in network_of("192.0.2.1")


class TestClaiming:
    @pytest.mark.database
    def test_gives_a_question_to_one_worker(self, pia, otter):
        asked = put(pia, otter)
        assert take(asked).number == 1
        assert take(asked) is None
        asked.refresh_from_db()
        assert (asked.status, asked.attempt, asked.worker) == ("asking", 1, "host:1")

    def test_keeps_untrusted_code_out_of_weaker_sandboxes(self, pia, otter):
        asked = put(pia, otter)
        type(otter).objects.update(trusted=False)
        assert take(asked, tier="reduced") is None
        type(otter).objects.update(trusted=True)
        assert take(asked, tier="reduced") is not None

    def test_lasts_only_while_it_is_renewed(self, pia, otter):
        lease = take(put(pia, otter))
        assert renew(Question, {lease.work.pk: lease.number}, NOW + MINUTE / 2) == set()
        assert reap(NOW + MINUTE * 1.9) == 0
        assert reap(NOW + MINUTE * 2.1) == 1
        assert renew(Question, {lease.work.pk: lease.number}, NOW + MINUTE * 3) == {lease.work.pk}


class TestAnswering:
    def test_records_turn_time_and_stderr_or_a_fault_with_its_line_but_no_game(self, pia, otter):
        asked, failed = put(pia, otter), put(pia, otter)
        assert finish(take(asked), A1, NOW)
        assert finish(take(failed), CRASH, NOW)
        asked.refresh_from_db()
        failed.refresh_from_db()
        assert (asked.status, asked.answer, asked.fault, asked.seconds) == ("answered", "a1", "", 0.5)
        assert bytes(asked.stderr) == b"\x1b[2Jhm"
        assert (failed.status, failed.answer, failed.fault, failed.fault_line) == ("answered", "", "crash", "<b>x")
        assert not Game.objects.exists()
        assert not Side.objects.exists()

    def test_counts_once_even_if_a_late_worker_answers(self, pia, otter):
        asked = put(pia, otter)
        late = take(asked)
        reap(NOW + 2 * MINUTE)
        mine = take(asked, NOW + 2 * MINUTE, worker="host:2")
        assert not finish(late, CRASH, NOW)
        assert not void(late, "too late", NOW)
        assert finish(mine, A1, NOW)
        assert not finish(mine, CRASH, NOW)
        asked.refresh_from_db()
        assert (asked.answer, asked.fault, asked.attempt) == ("a1", "", 2)

    def test_is_retried_after_infrastructure_faults_up_to_five_times(self, pia, otter):
        asked = put(pia, otter)
        for number in range(1, 6):
            assert void(take(asked), f"the sandbox failed: {number}", NOW)
            asked.refresh_from_db()
            assert asked.setback == f"the sandbox failed: {number}"
        assert (asked.status, asked.ended_at) == ("void", NOW)
        assert take(asked) is None

    def test_becomes_void_when_no_worker_comes(self, pia, otter):
        asked = put(pia, otter)
        assert reap(NOW + LONGEST_WAIT) == 0
        assert reap(NOW + LONGEST_WAIT + MINUTE) == 1
        asked.refresh_from_db()
        assert (asked.status, asked.setback) == ("void", "no worker took the question in time")


class TestPublishing:
    @pytest.mark.broker
    def test_happens_at_once_and_is_repeated_by_the_coordinator(self, pia, otter, redis_url):
        with kombu.Connection(redis_url) as connection:
            client = connection.default_channel.client
            asked = put(pia, otter)
            publish_question(asked.pk, NOW)
            assert (client.llen(QUESTIONS_QUEUE), publish_due(NOW)) == (1, 0)
            put(pia, otter)
            assert [publish_due(NOW), publish_due(NOW)] == [1, 0]
            assert publish_due(NOW + MINUTE) == 2

    def test_fails_silently_without_redis(self, pia, otter, monkeypatch, tmp_path):
        asked = put(pia, otter)
        monkeypatch.setattr(app.conf, "broker_write_url", f"redis+socket://{tmp_path}/nowhere.sock")
        publish_question(asked.pk, NOW)
        asked.refresh_from_db()
        assert asked.published_at is None


class TestTheQueueOrder:
    def test_puts_questions_first_and_rotates_the_others(self):
        order = QuestionsFirst()
        order.update(["a", QUESTIONS_QUEUE, "b"])
        assert order.consume(3) == [QUESTIONS_QUEUE, "a", "b"]
        order.rotate("a")
        assert order.consume(3) == [QUESTIONS_QUEUE, "b", "a"]
        order.rotate(QUESTIONS_QUEUE)
        assert order.consume(3) == [QUESTIONS_QUEUE, "b", "a"]

    def test_puts_analyses_behind_all_other_work(self):
        order = QuestionsFirst(["questions.analyses", "matches.squ", "questions", "submissions"])
        for _ in range(3):
            queues = order.consume(4)
            assert (queues[0], queues[-1]) == ("questions", "questions.analyses")
            order.rotate(queues[1])


class TestTheDatabase:
    @pytest.mark.database
    def test_refuses_inconsistent_rows(self, pia, otter):
        asked = put(pia, otter)
        for facts in ({"status": "lost"}, {"visitor": "v"}, {"user": None}, {"status": "asking"}, {"ended_at": START},
                      {"status": "answered", "ended_at": START}, {"answer": "a1"},
                      {"status": "answered", "ended_at": START, "seconds": 1.0, "answer": "a1", "fault": "crash"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Question.objects.filter(pk=asked.pk).update(**facts)
