"""One running site for real matches: every ruleset and format, an author, an analysis, and processes that are lost.

Its coordinator, its worker, its database and its broker are those of the module, so that each process starts once. Each
test has ladders, bots or events of its own.
"""

import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from engines.bots import REFERENCE_BOTS
from engines.check import size_up_to
from engines.records.record import GameRecord, verify
from engines.records.time_control import TimeControl
from engines.rules.registry import RULESETS
from engines.sandbox.archives.unpack import pack
from ratings.models import Rating, ReportedChances
from tests import databases
from tests.factories import make_user
from tests.faults.machinery.processes import family, state
from tests.tournaments.conftest import RANDOM_BOT, quick_versions, store_archives
from tests.tournaments.site import PATIENCE_SECONDS, ROOT, Site, environment, finished, process_of, running_attempt
from tournaments.formats.verification import verify_bundle
from tournaments.models import (
    Analysis,
    Attempt,
    Bot,
    Bye,
    Event,
    Game,
    Ladder,
    Match,
    Question,
    Submission,
    Version,
    Worker,
)
from tournaments.models.lifecycle import AttemptStatus, MatchStatus, QuestionStatus
from tournaments.operations.workers import under_way
from tournaments.selectors.casual.analyses import Judged
from tournaments.selectors.events.precision import precision
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual.analyses import analyse
from tournaments.services.casual.questions import ask_here
from tournaments.services.ladders.ladders import create_ladder, set_open
from tournaments.services.ladders.official import rebuild_official
from tournaments.services.matches import workers
from tournaments.setup.bootstrap.children import Child
from tournaments.setup.embedded import EmbeddedRedis

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]
SEARCHER = (ROOT / "engines/bots/searcher/main.py").read_text()
CRASHER = RANDOM_BOT.format(seed=1).replace("return position", "sys.exit(1); return position")
HOSTILE = "<img src=x onerror=alert(1)>"
NOISY = f"import sys; sys.stderr.write({HOSTILE!r})" + RANDOM_BOT.format(seed=1)


class RunningSite(Site):
    """A site with a broker that tests may kill."""

    broker: EmbeddedRedis

    def start_worker(self) -> Child:
        return self.start("worker", "--concurrency", "2")


@pytest.fixture(scope="module")
def running(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[RunningSite]:
    """Yield the site, whose database this process uses until the end of the module."""
    place, before = tmp_path_factory.mktemp("site"), connection.settings_dict["NAME"]
    with django_db_blocker.unblock(), EmbeddedRedis() as broker:
        databases.make_database(f"{before}_site")
        site = RunningSite({
            **environment(broker.url), "SQUAREFIELD_ARCHIVES": str(place / "archives"),
            "SQUAREFIELD_REPUBLISH_SECONDS": "2", "SQUAREFIELD_OFFICIAL_SECONDS": "1",
            "SQUAREFIELD_ANALYSIS_SLICE_SECONDS": "0.5"}, place)
        site.broker = broker
        try:
            site.start("coordinator")
            site.start_worker()
            yield site
        finally:
            site.stop()
            databases.remove_database(f"{before}_site")
            connection.settings_dict["NAME"] = before


@pytest.fixture(autouse=True)
def archives(running, settings) -> Path:
    return store_archives(settings, running.logs / "archives")


@pytest.fixture(scope="module")
def staff(running) -> User:
    return make_user("organiser", staff=True)


@pytest.fixture
def author(staff) -> User:
    return staff


@pytest.fixture(scope="module")
def quick(staff) -> Callable[[int, float], Version]:
    return quick_versions(staff)


@pytest.fixture
def worker(running) -> Child:
    """Return the site's worker, started again if the test before has ended it."""
    child = running.children[-1]
    return child if child.process is not None and child.process.poll() is None else running.start_worker()


def statuses(event: Event) -> list[str]:
    """How the attempts at the event's only match ended."""
    return list(Attempt.objects.filter(match__event=event).order_by("number").values_list("status", flat=True))


def counted_once(event: Event) -> bool:
    """Return whether each match of the event has one attempt that counts, and two games."""
    return all((match.attempts.filter(status=AttemptStatus.COUNTED).count(), match.games.count()) == (1, 2)
               for match in Match.objects.filter(event=event))


def connections() -> set[int]:
    """Ids of the worker's connections to the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity "
                       "WHERE datname = current_database() AND application_name LIKE 'squarefield worker%'")
        return {pid for (pid,) in cursor.fetchall()}


class TestAMatch:
    def test_is_played_and_rated_in_every_ruleset_over_two_connections(self, running, worker, schedule):
        events = [schedule({f"ant of {slug}": None, f"bee of {slug}": None}, ruleset=slug, size=size_up_to(rules, 4))
                  for slug, rules in RULESETS.items()]
        # PostgreSQL still lists a connection for a moment after its end, so only those count that stay.
        looks, stayed = deque(maxlen=10), [0]

        def over() -> bool:
            looks.append(connections())
            stayed.append(len(set.intersection(*looks)) if len(looks) == looks.maxlen else 0)
            return finished(*events)

        running.wait_for(over, "matches in all rulesets")
        assert max(stayed) <= 2
        running.wait_for(lambda: all(Rating.objects.filter(ladder=event.ladder).count() == 2 for event in events),
                         "ratings of all bots")
        for event in events:
            assert counted_once(event)
            for game in Game.objects.filter(match__event=event):
                record = GameRecord.from_dict(game.record)
                verify(record)
                assert (record.tier, record.fault) == (game.attempt.tier, None)
                assert [seat.name for seat in record.seats] == [str(game.seat0), str(game.seat1)]
            assert all(rebuild_official(event.ladder, timezone.now(), check_only=True).values())


class TestFormats:
    def test_are_played_to_their_ends_next_to_each_other(self, running, worker, hold):
        swiss, knockout = hold("Swiss", 7, format="swiss", swiss_rounds=3), hold("Knockout", 5, format="knockout")
        precise = hold("Precision", 4, format="precision", target="ratings", target_value=180, max_matches=20)
        arena = hold("Arena", 5, format="arena", minutes=1, streaks=True)
        running.wait_for(lambda: arena.rounds.count() > 2, "three waves of the arena")
        # The arena began earlier: the test does not wait for a minute.
        Event.objects.filter(pk=arena.pk).update(started_at=F("started_at") - timedelta(seconds=55))
        running.wait_for(lambda: finished(swiss, knockout, precise, arena), "the ends of the events")

        assert [round_.matches.count() for round_ in swiss.rounds.order_by("number")] == [3, 3, 3]
        byes = list(Bye.objects.filter(round__event=swiss).values_list("entry", flat=True))
        assert len(set(byes)) == len(byes) == 3
        pairs = {frozenset(pair) for pair in Match.objects.filter(event=knockout).values_list("first", "second")}
        assert len(pairs) >= 4
        precise.refresh_from_db()
        assert precision(precise).stopped in {"target", "matches", "repeats"}
        for event in (swiss, knockout, precise, arena):
            assert counted_once(event), event


class Newcomer:
    """A person who opens an account in a browser."""

    def __init__(self, name: str) -> None:
        self.client = Client()
        answer = self.client.post(reverse("account_signup"), {"username": name, "password1": "a long pass phrase",
                                                              "password2": "a long pass phrase"})
        assert answer.status_code == 302, answer.content.decode()

    def upload(self, bot: str) -> Submission:
        archive = SimpleUploadedFile("bot.zip", pack(REFERENCE_BOTS[bot]))
        answer = self.client.post(reverse("upload"), {"archive": archive})
        found = re.fullmatch(r"/submissions/(\d+)/", answer["Location"])
        assert found, answer["Location"]
        return Submission.objects.get(pk=found[1])

    def join(self, ladder: Ladder, version: Version) -> str:
        """Let the version join, and return the page that follows."""
        assert f'value="{version.pk}"' in self.client.get(reverse("ladder", args=[ladder.slug])).content.decode()
        return self.client.post(reverse("ladder-join", args=[ladder.slug]), {"version": version.pk},
                                follow=True).content.decode()


class TestAnAuthor:
    def test_goes_from_an_account_to_rated_games_and_the_bundle_of_an_event(self, running, worker, staff, redis_url,
                                                                            tmp_path):
        ladder = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=60.0)
        authors = [Newcomer("mia"), Newcomer("noah")]
        uploads = [author.upload(name) for author, name in zip(authors, ("greedy", "random"), strict=True)]
        running.wait_for(lambda: Version.objects.filter(submission__in=uploads).count() == 2, "the checks")
        versions = [Version.objects.get(submission=submission) for submission in uploads]
        for author, version in zip(authors, versions, strict=True):
            assert f"{version} now plays on {ladder}." in author.join(ladder, version)

        api = APIClient()
        api.force_authenticate(staff)
        answer = api.post(reverse("event-list"), {"name": "Two", "ladder": ladder.slug,
                                                  "versions": [version.pk for version in versions]}, format="json")
        assert answer.status_code == 201, answer.json()
        event = Event.objects.get(slug=answer.json()["slug"])
        running.wait_for(lambda: finished(event), "the end of the event")
        bundle = tmp_path / "bundle.zip"
        bundle.write_bytes(b"".join(api.get(reverse("event-bundle", args=[event.slug])).streaming_content))
        verify_bundle(bundle)

        # A period of ladder play closes at most half a minute after its first game.
        running.wait_for(Match.objects.filter(kind="ladder", ladder=ladder, rating_period__isnull=False).exists,
                         "a rated match on the ladder")
        # Otherwise it would be played on during the other tests.
        set_open(ladder=ladder, is_open=False, actor=staff, now=timezone.now())
        waiting = Match.objects.filter(ladder=ladder, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
        running.wait_for(lambda: not waiting.exists(), "the end of the last matches on the ladder")


class TestAnAnalysis:
    def test_is_made_in_slices_and_a_bot_that_crashes_spoils_only_its_verdicts(self, running, worker, enter, schedule,
                                                                               staff):
        event = schedule({"Quiet": None, "Calm": None}, ruleset="squ", size=4)
        running.wait_for(lambda: finished(event), "the game to analyse")
        game = Game.objects.filter(match__event=event).order_by("-plies").first()
        Bot.objects.update(judges=False)
        searcher, crasher = enter("searcher", staff, SEARCHER), enter("Crasher", staff, CRASHER)
        # As if it had reported chances in rated games, so that it comes first.
        ReportedChances.objects.create(ladder=event.ladder, version=searcher, bin=5, turns=1, games=1, squares=1,
                                       chance=5000, halves=1)
        made = analyse(game=game, actor=make_user("pia"), now=timezone.now())
        Analysis.objects.filter(pk=made.pk).update(seconds=0.1)
        running.wait_for(Analysis.objects.filter(pk=made.pk, status="done").exists, "the analysis")

        made.refresh_from_db()
        assert (made.judge, made.other, made.judged) == (searcher, crasher, game.plies)
        assert made.attempt > 1, "it was not interrupted and continued"
        judged = Judged(made)
        assert any(verdict.win is not None for verdict in judged.verdicts_of(0))
        assert {"crash", "gave up"} <= {verdict.reason for verdict in judged.verdicts_of(1)}


class TestAQuestion:
    def test_is_answered_with_what_the_bot_wrote(self, running, worker, enter, staff):
        noisy = enter("Noisy", staff, NOISY)
        asked = ask_here(asker=Asker(make_user("pia")), version=noisy, ruleset="square-grid-hex", size=3,
                         turns=("a1", "b2"), control=TimeControl(30.0), now=timezone.now())
        running.wait_for(Question.objects.filter(pk=asked.pk, status=QuestionStatus.ANSWERED).exists, "the answer")
        asked.refresh_from_db()
        assert re.fullmatch("[a-c][1-3]", asked.answer)
        assert HOSTILE.encode() in bytes(asked.stderr)


class TestAWorker:
    def test_finishes_its_match_while_draining_and_takes_others_afterwards(self, running, worker, hold, staff):
        first = hold("Before draining", 2, think=0.5)
        running.wait_for(lambda: running_attempt(first), "the first match")
        row = Worker.objects.get(name__endswith=f":{worker.pid}")
        assert (row.concurrency, under_way(row)) == (2, 1)
        workers.drain(worker=row, actor=staff, now=timezone.now())
        running.wait_for(lambda: "draining started" in worker.log.read_text(), "the worker to notice")
        second = hold("During draining", 2)
        published = Match.objects.filter(event=second, published_at__isnull=False)
        running.wait_for(lambda: finished(first) and published.exists(), "the end of the first match")
        assert (statuses(first), statuses(second)) == ([AttemptStatus.COUNTED], [])
        workers.resume(worker=row, actor=staff, now=timezone.now())
        running.wait_for(lambda: finished(second), "the second match")

    def test_finishes_its_match_before_it_stops(self, running, worker, hold):
        event = hold("Before a stop", 2, think=0.3)
        running.wait_for(lambda: running_attempt(event), "the match")
        worker.ask_to_stop()
        assert worker.process.wait(PATIENCE_SECONDS) == 0
        assert Match.objects.get(event=event).status == MatchStatus.FINISHED
        assert statuses(event) == [AttemptStatus.COUNTED]
        assert Worker.objects.get(name__endswith=f":{worker.pid}").stopped_at is not None

    def test_that_dies_has_its_match_replayed_and_one_attempt_counts(self, running, worker, hold):
        """First its child that plays dies, which is noticed at once; then the whole worker, noticed by its silence."""
        event = hold("Deaths", 2, think=0.5)
        running.wait_for(lambda: running_attempt(event, 1), "the first attempt")
        os.kill(process_of(running_attempt(event, 1)), signal.SIGKILL)
        running.wait_for(lambda: running_attempt(event, 2), "the second attempt")
        child = process_of(running_attempt(event, 2))
        running.wait_for(lambda: len(family(child)) > 1, "the bots")
        lost = family(child)
        os.kill(worker.pid, signal.SIGKILL)
        running.wait_for(lambda: state(child) in {"Z", ""}, "the end of the worker's child")

        # A bot that bubblewrap had not yet tied to itself survives until the next worker removes it.
        running.start_worker()
        running.wait_for(lambda: finished(event), "the replayed match")
        running.wait_for(lambda: all(state(pid) in {"Z", ""} for pid in lost), "the end of the bots")
        assert statuses(event) == [AttemptStatus.VOID, AttemptStatus.VOID, AttemptStatus.COUNTED]
        for attempt in Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID):
            assert attempt.reason == f"the lease of {attempt.worker} ran out"
        assert set(Game.objects.filter(match__event=event).values_list("attempt__number", flat=True)) == {3}


class TestALostBroker:
    def test_loses_no_match_when_it_comes_back_empty(self, running, worker, hold):
        event = hold("Lost broker", 5, think=0.05)
        running.wait_for(Game.objects.filter(match__event=event).exists, "the first games")
        running.broker.kill()
        for file in running.broker.directory.glob("appendonlydir/*"):
            file.unlink()
        running.broker.start()
        running.wait_for(lambda: finished(event), "the end of the event")
        assert counted_once(event)
