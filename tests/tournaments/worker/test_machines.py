"""Machines: declarations of workers, draining, reconnecting, storage of archives, and the log."""

import io
import json
import logging
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone
from kombu import Connection
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS, versions
from tests.factories import make_event, make_user, make_version
from tests.waiting import wait_for
from tournaments.celery import app
from tournaments.models import AuditEntry, Match, Release, Worker
from tournaments.operations.workers import fleet, online, under_way
from tournaments.platform.logs import about, logging_for
from tournaments.platform.storage import storage_for
from tournaments.services.matches import releases, workers
from tournaments.services.matches.matches import claim
from tournaments.services.matches.workers import Declaration, WorkerRefused
from tournaments.worker import presence as presence_module
from tournaments.worker.consuming import Consumer, QueueSubscription
from tournaments.worker.presence import LONGEST_SPREAD_SECONDS, Presence

NEWER = {**versions(), "squ": 2}


def declaration(name: str = "h:1", *rulesets: str, concurrency: int = 2) -> Declaration:
    host, _ = name.split(":")
    return Declaration(name, host, "standard", list(rulesets) or ["squ"], 4, concurrency, "0.1.0")


@pytest.mark.django_db
class TestDeclaring:
    def test_counts_a_worker_until_it_times_out_or_stops(self, now):
        workers.declare(declaration("a:1"), now=now)
        workers.declare(declaration("b:1"), now=now)
        workers.stop("b:1", now=now)
        assert [worker.name for worker in online(now + timedelta(seconds=30))] == ["a:1"]
        assert not online(now + timedelta(seconds=31))

    def test_adds_up_slots_by_ruleset_without_draining_workers(self, now, staff):
        workers.declare(declaration("a:1", "squ", "scware"), now=now)
        workers.declare(declaration("b:1", "squ", concurrency=5), now=now)
        workers.drain(worker=workers.declare(declaration("c:1", "squ"), now=now), actor=staff, now=now)
        assert fleet(now).by_tier() == {("squ", "standard"): 7, ("scware", "standard"): 2}

    @pytest.mark.database
    def test_resets_draining_under_a_reused_name(self, now, staff):
        workers.drain(worker=workers.declare(declaration(), now=now), actor=staff, now=now)
        assert workers.beat(declaration(), load=1.5, now=now).draining
        workers.declare(declaration(), now=now)
        assert not workers.beat(declaration(), load=1.5, now=now).draining

    def test_recreates_a_missing_row_which_is_deleted_after_a_day_of_silence(self, now):
        assert not workers.beat(declaration(), load=0.5, now=now).draining
        assert Worker.objects.get().load == 0.5
        assert workers.prune(now + timedelta(hours=23)) == 0
        assert workers.prune(now + timedelta(hours=25)) == 1


@pytest.mark.django_db
class TestDraining:
    def test_is_recorded_in_the_audit_log(self, now, staff):
        worker = workers.declare(declaration(), now=now)
        workers.drain(worker=worker, actor=staff, now=now)
        workers.resume(worker=worker, actor=staff, now=now)
        assert list(AuditEntry.objects.order_by("pk").values_list("verb", "name", "actor")) == [
            ("drain", "h:1", staff.pk), ("resume", "h:1", staff.pk)]

    def test_is_refused_if_nothing_would_change(self, now, staff):
        worker = workers.declare(declaration(), now=now)
        with pytest.raises(WorkerRefused, match="is not draining"):
            workers.resume(worker=worker, actor=staff, now=now)
        workers.drain(worker=worker, actor=staff, now=now)
        with pytest.raises(WorkerRefused, match="already draining"):
            workers.drain(worker=worker, actor=staff, now=now)
        with pytest.raises(WorkerRefused, match="is not running; its last heartbeat was at 2026-11-20 12:00:00 UTC"):
            workers.resume(worker=worker, actor=staff, now=now + timedelta(minutes=1))

    @pytest.mark.database
    def test_counts_running_matches_of_that_worker_only(self, now):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")])
        one, eleven = (workers.declare(declaration(name), now=now) for name in ("h:1", "h:11"))
        first, second, _ = Match.objects.filter(event=event)
        for match, name in ((first, "h:1:77"), (second, "h:11:78")):
            assert claim(match_id=match.pk, worker=name, tier="standard", now=now)
        assert [under_way(one), under_way(eleven)] == [1, 1]


@pytest.mark.django_db
class TestRules:
    def test_are_declared_by_migrate_only_if_they_changed(self):
        before = Release.objects.count()
        Release.objects.create(rules=NEWER, software="9.0", declared_at=timezone.now())
        for _ in range(2):
            call_command("migrate", verbosity=0)
        assert Release.objects.count() == before + 2
        assert Release.objects.latest("pk").rules == {slug: ruleset.version for slug, ruleset in RULESETS.items()}

    def test_that_change_let_the_workers_with_the_old_ones_drain(self, now, staff):
        releases.declare(versions(), "1.0", now=now)
        workers.declare(declaration("old:1"), now=now)
        workers.declare(declaration("new:1"), now=now)
        Worker.objects.filter(name="new:1").update(rules=NEWER)
        Worker.objects.filter(name="old:1").update(rules=None)  # of a release that did not report them
        assert releases.declare(NEWER, "2.0", now=now) == ["old:1"]
        assert releases.declare(versions(), "1.0", now=now) == ["new:1"]
        with pytest.raises(WorkerRefused, match="plays by other rules than the site"):
            workers.resume(worker=Worker.objects.get(name="new:1"), actor=staff, now=now)

    def test_are_no_conflict_if_only_one_release_has_the_ruleset(self, now):
        fewer = {slug: version for slug, version in versions().items() if slug != "squ"}
        releases.declare(fewer, "1.0", now=now)
        worker = workers.declare(declaration("old:1"), now=now)
        assert releases.declare(versions(), "2.0", now=now) == []
        assert not worker.draining
        assert releases.conflicts(fewer) == ""


@pytest.mark.django_db
class TestTheCommand:
    def drain(self, *words: str) -> str:
        out = io.StringIO()
        call_command("drain", *words, stdout=out)
        return out.getvalue()

    @pytest.fixture
    def running(self, db):
        return [workers.declare(declaration(name), now=timezone.now()) for name in ("a:1", "a:2", "b:1")]

    def test_drains_by_name_by_host_or_all(self, running):
        assert self.drain("a:1").startswith("a:1: draining, 0 running")
        assert self.drain("a").count("draining") == 2
        assert self.drain("all", "--wait").count("draining") == 3
        assert self.drain("--undo", "all").count("taking matches") == 3
        assert not Worker.objects.filter(draining=True).exists()

    def test_lists_the_running_workers_without_a_name_or_for_an_unknown_one(self, running):
        assert self.drain().count("taking matches") == 3
        with pytest.raises(CommandError, match=r"No online worker is called z:1\. Online workers: a:1, a:2, b:1"):
            self.drain("z:1")


@pytest.mark.django_db
class TestTheApi:
    def test_shows_drains_and_resumes_workers_for_staff_alone(self, staff):
        worker, client = workers.declare(declaration(), now=timezone.now()), APIClient()
        place = f"/api/workers/{worker.pk}/"
        assert [client.get("/api/workers/").status_code, client.get(place).status_code] == [401, 401]
        client.force_authenticate(make_user("zoe"))
        assert [client.get("/api/workers/").status_code, client.get(place).status_code] == [403, 403]
        client.force_authenticate(staff)
        assert client.get("/api/workers/").json()["results"][0]["concurrency"] == 2
        found = client.get(place).json()
        assert (found["name"], found["online"], found["under_way"]) == ("h:1", True, 0)
        assert client.post(f"{place}drain/").json()["draining"] is True
        answer = client.post(f"{place}drain/")
        assert (answer.status_code, answer.json()["detail"][:23]) == (409, "h:1 is already draining")
        assert client.post(f"{place}resume/").json()["draining"] is False


@pytest.mark.django_db(transaction=True)
class TestPresence:
    @pytest.fixture(autouse=True)
    def quick(self, settings):
        settings.WORKER_SEEN_SECONDS = 0.3

    @pytest.mark.database
    def test_declares_beats_learns_of_draining_and_signs_off(self, settings):
        here = Presence(declaration())
        here.start()
        born = Worker.objects.get()
        wait_for(lambda: Worker.objects.get().seen_at > born.seen_at, "a heartbeat")
        assert Worker.objects.get().load is not None
        Worker.objects.update(draining=True)
        wait_for(lambda: here.draining, "the worker to notice")
        here.stop()
        assert Worker.objects.get().stopped_at is not None

    def test_survives_an_unavailable_database(self, monkeypatch, caplog):
        def refuse(*_: object, **__: object) -> bool:
            raise OperationalError("no connection")

        here = Presence(declaration())
        here.start()
        with monkeypatch.context() as away:
            away.setattr(presence_module, "beat", refuse)
            wait_for(lambda: "the database is unavailable" in caplog.text, "an outage")
        wait_for(lambda: "the database is available again" in caplog.text, "its end")
        here.stop()

    def test_spreads_reconnections_over_a_time_that_grows_with_the_workers(self):
        here = Presence(declaration())
        here._workers = 1
        assert here.spread_seconds < 0.1
        here._workers = 100
        assert here.spread_seconds == 5.0
        here._workers = 100_000
        assert here.spread_seconds == LONGEST_SPREAD_SECONDS


class TestReconnecting:
    def test_uses_random_intervals(self, monkeypatch):
        asked: list[dict[str, float]] = []
        monkeypatch.setattr(Connection, "ensure_connection", lambda self, *_, **options: asked.append(options) or self)
        for _ in range(2):
            consumer = Consumer.__new__(Consumer)
            consumer.app = app
            consumer.ensure_connected(Connection("memory://"))
        first, second = ({name: options[name] for name in ("interval_start", "interval_step", "interval_max")}
                         for options in asked)
        assert first != second
        assert all(0.5 <= options["interval_start"] <= 2 and options["interval_max"] <= 10
                   for options in (first, second))

    def test_takes_nothing_before_its_time_or_while_draining(self):
        parent = FakeConsumer(["matches.squ", "submissions"])
        here = Presence(declaration())
        step = type("Step", (QueueSubscription,), {"presence": here})(parent)
        assert parent.taking == set()
        here._workers = 10**6
        step.start(parent)
        step._opens_at += 1000
        parent.look()
        assert parent.taking == set()
        step._opens_at = 0
        parent.look()
        assert parent.taking == {"matches.squ", "submissions"}
        here.draining = True
        parent.look()
        assert parent.taking == set()
        here.draining = False
        parent.look()
        step.stop(parent)
        assert parent.taking == set(), "after a lost connection it waits for its time again"


class FakeConsumer:
    """The parts of Celery's consumer that the step needs: queues to select, and a timer that the test advances."""

    def __init__(self, queues):
        self.taking = set(queues)
        self.app = self.amqp = self.queues = self.timer = self

    @property
    def consume_from(self):
        return self.taking

    def deselect(self, queues):
        self.taking -= set(queues)

    def add_task_queue(self, queue):
        self.taking.add(queue)

    def cancel_task_queue(self, queue):
        self.taking.discard(queue)

    def call_repeatedly(self, _seconds, act, args=None):
        if args:
            self.look = lambda: act(*args)


class TestStorageOfArchives:
    def test_uses_files_by_default(self):
        setting = storage_for("", directory="/var/lib/archives")
        assert setting["BACKEND"].endswith("FileSystemStorage")
        assert setting["OPTIONS"] == {"location": "/var/lib/archives"}

    def test_refuses_an_invalid_address(self):
        for url, reason in {
            "https://bucket": "use the form s3://", "s3://": "use the form s3://",
            "s3://key:secret@bucket": "AWS_ACCESS_KEY_ID",
            "s3://bucket?acl=public-read": "unknown options acl; supported are",
        }.items():
            with pytest.raises(ImproperlyConfigured, match=reason):
                storage_for(url, directory="")

    @pytest.mark.slow
    @pytest.mark.django_db
    def test_can_use_an_s3_compatible_store(self, s3_storage):
        """The test stores over signed HTTP with the same calls as the service."""
        from tournaments.services.bots.archives import content_hash, store

        content = b"an archive" * 1000
        path = store("bots", content)
        assert path == f"bots/{content_hash(content)}"
        assert store("bots", content) == path
        assert list(s3_storage.objects) == [f"/bots/site/{path}"], "stored once, below the prefix"
        assert all(sent.startswith("AWS4-HMAC-SHA256 Credential=key/") for sent in s3_storage.authorizations)
        assert not any("x-amz-acl" in names for names in s3_storage.headers)
        with storages["default"].open(path, "rb") as stored:
            assert stored.read() == content


class TestTheLog:
    @pytest.fixture
    def logged(self):
        """Return a function that returns a log line in a given format."""

        def log(line_format: str, message: str, *, raised: bool = False, **facts: object) -> str:
            configured = logging_for(line_format, "INFO")["formatters"]["line"]
            formatter = configured.pop("()")(**configured)
            lines: list[str] = []
            handler = logging.Handler()
            handler.emit = lambda record: lines.append(formatter.format(record))
            logger = logging.getLogger("tournaments.worker.worker")
            logger.addHandler(handler)
            with about(**facts):
                try:
                    if raised:
                        raise KeyError("lost")
                    logger.warning("%s", message)
                except KeyError:
                    logger.exception("%s", message)
            logger.removeHandler(handler)
            (line,) = lines
            return line

        return log

    def test_has_the_match_and_the_attempt_in_every_line(self, logged):
        line = json.loads(logged("json", "match 7, attempt 2: time", match=7, attempt=2, worker="h:1:2"))
        assert {name: line[name] for name in ("event", "level", "logger", "match", "attempt", "worker")} == {
            "event": "match 7, attempt 2: time", "level": "warning", "logger": "tournaments.worker.worker", "match": 7,
            "attempt": 2, "worker": "h:1:2"}
        assert line["timestamp"].endswith("Z")

    def test_is_readable_on_a_console(self, logged):
        assert logged("console", "began", match=7).endswith("Z WARNING tournaments.worker.worker began match=7")

    def test_keeps_the_traceback(self, logged):
        assert "KeyError: 'lost'" in logged("console", "it failed", raised=True)
        exception = json.loads(logged("json", "it failed", raised=True))["exception"]
        assert "Traceback" in exception
        assert "KeyError: 'lost'" in exception

    def test_prevents_forged_lines(self, logged):
        for line_format in ("json", "console"):
            line = logged(line_format, "evil\n2026-11-20 INFO root you are hacked\x1b[2J\u202e")
            assert not {"\n", "\x1b"} & set(line), line_format

    def test_is_in_one_of_two_formats(self):
        with pytest.raises(ValueError, match="must be one of console, json"):
            logging_for("xml", "INFO")

