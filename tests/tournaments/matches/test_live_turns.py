"""Live turns from a worker to the pages, for which the referee never waits."""

import json
import os
import signal
from datetime import timedelta

import pytest
import redis

from engines.records.record import TurnRecord
from engines.view import View
from tests.factories import START, make_event, make_user, make_version, play_match
from tests.waiting import wait_for
from tournaments.models import Match
from tournaments.models.leased import FULL_TIER
from tournaments.platform.cache import redis_address
from tournaments.selectors.matches import live
from tournaments.selectors.matches import live_turns as module
from tournaments.selectors.matches.live_turns import (
    MOST_BYTES,
    PAUSE_SECONDS,
    GameKey,
    LiveTurn,
    LiveTurns,
    live_turns,
)
from tournaments.services.matches import matches
from tournaments.setup.embedded import EmbeddedRedis
from tournaments.worker import broadcast
from tournaments.worker.broadcast import Broadcast, Publisher, TurnLog

KEY = GameKey(7, 1, 1)


def turn(text="e5", seconds=0.31):
    return TurnRecord(text, seconds, seconds)


@pytest.fixture
def server(tmp_path):
    with EmbeddedRedis(directory=tmp_path) as server:
        yield server


class Clock:
    """A clock that stands still, on which pages pause after a failure."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def patient(monkeypatch):
    """However busy this machine is, the server answers in time."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 60)
    monkeypatch.setattr(module, "ANSWER_SECONDS", 60)


@pytest.fixture
def store(server, patient):
    return LiveTurns(redis_address(server.url))


class TestLiveTurns:
    pytestmark = pytest.mark.serial

    def test_are_read_as_written_per_game(self, store):
        turns = (LiveTurn("e5", 0.31), LiveTurn("c3,d7", 0.0, View(0.62, 3)), LiveTurn("swap", 1.5))
        store.append(KEY, turns[:2], anew=False)
        store.append(KEY, [turns[2], None], anew=False)
        assert store.read([KEY, KEY._replace(number=2)]) == [(turns, True), None]

    def test_lose_a_view_that_no_bot_may_report(self, store):
        for view in ("view win 7", "<img>", 5, None):
            store._redis.rpush(str(KEY), json.dumps(["e5", 0.31, view]))
        [progress] = store.read([KEY])
        assert progress.turns == (LiveTurn("e5", 0.31),) * 4

    def test_of_a_restarted_list_replace_the_old_ones(self, store):
        store.append(KEY, [LiveTurn("e5", 0.31)], anew=False)
        store.append(KEY, [LiveTurn("e5", 0.31), LiveTurn("a1", 0.1)], anew=True)
        assert [turn.text for turn in store.read([KEY])[0].turns] == ["e5", "a1"]

    def test_expire_automatically_and_can_be_removed(self, server, store):
        store.append(KEY, [LiveTurn("e5", 0.31)], anew=False)
        client = redis.Redis.from_url(redis_address(server.url))
        assert 0 < client.ttl(str(KEY)) <= 3600
        store.remove([KEY])
        assert store.read([KEY]) == [None]

    def test_are_absent_while_the_server_is_down_and_not_retried_at_once(self, server, store, clock):
        store.append(KEY, [LiveTurn("e5", 0.31)], anew=False)
        server.kill()
        assert store.read([KEY]) == [None]
        server.start()
        store.append(KEY, [LiveTurn("e5", 0.31)], anew=True)
        clock.now += PAUSE_SECONDS - 0.1
        assert store.read([KEY]) == [None]
        clock.now += 0.2
        assert store.read([KEY]) != [None]


class TestTurnLog:
    def test_holds_at_most_what_a_page_can_show(self):
        turn_log = TurnLog(KEY)
        for _ in range(MOST_BYTES // 100):
            turn_log.turn(turn("a1," * 100))
        turn_log.over()
        assert sum(len(entry.text) for entry in turn_log.entries if entry) <= MOST_BYTES
        assert turn_log.entries[-1] is None


class TestPublisher:
    pytestmark = pytest.mark.serial

    def test_sends_turns_to_redis_and_removes_them_after_the_match(self, store):
        publisher, shown = Publisher(store), Broadcast(7, 1)
        publisher.play(shown)
        first = shown.game()
        first.turn(turn("e5"))
        wait_for(lambda: store.read([KEY])[0], "the first turn")
        first.turn(turn("a1"))
        shown.game().turn(turn("b2"))
        wait_for(lambda: store.read([KEY._replace(number=2)])[0], "the second game")
        assert store.read([KEY]) == [((LiveTurn("e5", 0.31), LiveTurn("a1", 0.31)), True)]
        publisher.play(None)
        wait_for(lambda: store.read([KEY, KEY._replace(number=2)]) == [None, None], "their removal")

    def test_moves_from_match_to_match(self, store):
        publisher = Publisher(store)
        for number in range(3):
            shown = Broadcast(number, 1)
            publisher.play(shown)
            shown.game().turn(turn())
            wait_for(lambda number=number: store.read([GameKey(number, 1, 1)])[0], "its turns")
        assert store.read([GameKey(0, 1, 1), GameKey(1, 1, 1)]) == [None, None]

    @pytest.mark.parametrize("how", ["killed", "paused"])
    def test_does_not_block_on_an_unresponsive_server_and_catches_up(self, server, store, how, caplog, monkeypatch):
        monkeypatch.setattr(broadcast, "PAUSE_SECONDS", 0.1)
        monkeypatch.setattr(module, "ANSWER_SECONDS", 0.5)
        publisher, shown = Publisher(LiveTurns(redis_address(server.url))), Broadcast(7, 1)
        publisher.play(shown)
        game = shown.game()
        game.turn(turn("a1"))
        wait_for(lambda: store.read([KEY])[0], "the first turn")
        if how == "killed":
            server.kill()
        else:
            os.kill(server.pid, signal.SIGSTOP)
        try:
            for number in range(1000):
                game.turn(turn(f"b{number}"))
            wait_for(lambda: "Redis is unavailable" in caplog.text, "a try that fails")
        finally:
            if how == "killed":
                server.start()
            else:
                os.kill(server.pid, signal.SIGCONT)

        def caught_up():
            found = store.read([KEY])[0]
            return found and len(found.turns) == 1001

        wait_for(caught_up, "all turns")
        assert [turn.text for turn in store.read([KEY])[0].turns] == ["a1", *(f"b{number}" for number in range(1000))]


@pytest.mark.django_db
class TestWatch:
    @pytest.fixture
    def match(self):
        event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex", size=3)
        return Match.objects.get(event=event)

    @staticmethod
    def _at_play(match):
        return matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=START)

    def _watched(self, match, number=1):
        return live.watch(live.match_to_watch(make_user("mia"), match.pk).get(), number)

    def test_finds_no_game_started_while_the_match_is_queued_and_counts_the_matches_ahead(self, match):
        game = self._watched(match)
        assert (game.begun, game.turns, game.game, game.plies) == (False, (), None, 0)
        other = make_event([make_version("Cinder"), make_version("Dolomite")], ruleset="square-grid-hex", size=3,
                           name="Next")
        assert live.matches_before(match) == 0
        assert live.matches_before(Match.objects.get(event=other)) == 1

    def test_shows_the_match_without_turns_when_redis_has_none(self, match, redis_url):
        self._at_play(match)
        assert (self._watched(match).begun, self._watched(match).turns) == (True, ())
        assert not self._watched(match, 2).begun

    def test_shows_the_turns_of_this_attempt_and_the_start_of_game_two(self, match, redis_url):
        lease = self._at_play(match)
        store = live_turns()
        # Tests without a Redis may have made it pause.
        store._next_try = 0.0
        key = GameKey(match.pk, lease.attempt.number, 1)
        store.append(key._replace(attempt=99), [LiveTurn("c3", 9.0)], anew=True)
        store.append(key, [LiveTurn("a1", 0.5)], anew=True)
        assert self._watched(match).turns == (LiveTurn("a1", 0.5),)
        assert not self._watched(match).over
        store.append(key, [None], anew=False)
        assert self._watched(match).over
        assert self._watched(match, 2).begun
        assert [game.number for game in live.being_played(make_user("mia"), 5)] == [2]
        assert self._watched(match, 2).seats == (match.second, match.first)

    def test_ends_when_the_game_is_in_the_database(self, match):
        play_match(match, now=START + timedelta(minutes=1))
        assert self._watched(match, 2).game == match.games.get(number=2)
        assert live.being_played(make_user("mia"), 5) == []

    def test_is_for_those_who_may_see_the_event(self, match):
        match.event.private = True
        match.event.save()
        self._at_play(match)
        stranger, organiser = make_user("stranger"), make_user("organiser")
        assert not live.match_to_watch(stranger, match.pk).exists()
        assert live.being_played(stranger, 5) == []
        assert live.match_to_watch(organiser, match.pk).exists()
        assert len(live.being_played(organiser, 5)) == 1
