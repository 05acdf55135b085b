"""The worker's part of a match, in this process, with real sandboxes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from engines.records.record import GameRecord
from engines.referee.host import StarvationMonitor
from tests.tournaments.site import running_attempt
from tests.waiting import wait_for
from tournaments.coordinator.steps import start_due
from tournaments.models import Attempt, Game, Match, StarvedVoid, Version
from tournaments.models.lifecycle import AttemptStatus, MatchStatus
from tournaments.services.events.events import cancel_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.worker.database.match_server import matches
from tournaments.worker.worker import play as play_id
from tournaments.worker.worker import this_process

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]
FOREVER = 100


@pytest.fixture
def play(transactional_db, monkeypatch):
    """Return a function that starts the scheduled event and plays its only match."""
    # Rows of other tests had the same numbers, and a worker remembers versions.
    monkeypatch.setattr(this_process(), "matches", matches())

    def play() -> Match:
        start_due(timezone.now())
        play_id(Match.objects.get().pk)
        return Match.objects.get()

    return play


class TestPlay:
    def test_plays_both_games_once_from_the_opening_with_the_ladders_time_and_pondering(self, play, schedule):
        event = schedule({"ant": None, "bee": None}, size=5)
        event.ladder = create_ladder(ruleset="square-grid-hex", size=5, per_turn_seconds=30, pondering=True)
        event.save(update_fields=["ladder"])
        match = play()
        assert (match.status, len(match.opening)) == (MatchStatus.FINISHED, 1)
        for game in Game.objects.all():
            record = GameRecord.from_dict(game.record)
            assert (list(record.opening), record.seed) == (match.opening, match.seed)
            assert game.record["time_control"] == "30/turn"
            assert all(turn.overhead > 0 for turn in record.turns)
        # The same ID, delivered again.
        play()
        assert Attempt.objects.get().status == AttemptStatus.COUNTED
        assert Game.objects.count() == 2

    def test_stops_when_the_event_is_cancelled_during_a_turn(self, play, hold, settings):
        # The lease is renewed three times as often. Nobody takes it away when it runs out.
        settings.LEASE_SECONDS = 1
        event = hold("Cancelled", 2, think=FOREVER, base_seconds=3600)

        def cancel() -> None:
            wait_for(lambda: running_attempt(event), "the match")
            cancel_event(event=event, now=timezone.now())
            connection.close()

        with ThreadPoolExecutor() as threads:
            cancelled = threads.submit(cancel)
            assert play().status == MatchStatus.CANCELLED
            cancelled.result()
        assert not Game.objects.exists()
        assert Attempt.objects.get().reason == "the event was cancelled"


class TestAVoidAttempt:
    @pytest.mark.parametrize("damage", ["damaged", "missing"])
    def test_follows_if_the_archive_is_damaged_or_missing(self, play, schedule, archives, damage):
        schedule({"ant": f"print('{damage}')  # not built on this machine yet", "bee": None})
        for file in archives.rglob("*"):
            if file.is_file():
                file.write_bytes(b"rot") if damage == "damaged" else file.unlink()
        assert play().status == MatchStatus.QUEUED
        told = {"damaged": "its storage is damaged", "missing": "is missing from the storage: restore it from a backup"}
        assert told[damage] in Attempt.objects.get().reason

    def test_follows_if_a_bots_files_vanish_and_they_are_fetched_again(self, play, hold, settings):
        settings.REPUBLISH_SECONDS = 0
        hold("First", 2)
        version = play().first
        (swept,) = this_process().sandbox.runtime.root.glob(f"builds/{version.artefact_sha256}-built/bot/main.sh")
        swept.unlink()
        again = hold("Again", 2)
        start_due(timezone.now())
        match = Match.objects.get(event=again)
        play_id(match.pk)
        attempt = Attempt.objects.get(match=match)
        assert attempt.reason == (f"the sandbox failed: files of {version} are missing; "
                                  "did a cleaner of temporary files remove them?")
        play_id(match.pk)
        assert set(Game.objects.filter(match=match).values_list("ended_by", flat=True)) == {"rule"}

    @pytest.mark.parametrize("excused", [True, False])
    def test_follows_if_the_host_was_starved_unless_the_bot_was_excused_too_often(self, play, hold, settings,
                                                                                  monkeypatch, excused):
        monkeypatch.setattr(StarvationMonitor, "verdict", lambda *_, **__: "the host was too busy")
        settings.STARVED_VOIDS_PER_DAY = int(excused)
        hold("Starved", 2, think=FOREVER, base_seconds=0.1)
        assert play().status == (MatchStatus.QUEUED if excused else MatchStatus.FINISHED)
        if excused:
            assert not Game.objects.exists()
            assert Attempt.objects.get().reason.startswith("the host was starved: ")
            assert StarvedVoid.objects.get().version in Version.objects.all()
        else:
            assert {game.reason for game in Game.objects.all()} == {"time"}
