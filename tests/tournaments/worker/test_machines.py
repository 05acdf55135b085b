"""Machines: declarations of workers, draining, reconnecting, storage of archives, and the log."""

import io
import json
import logging
import threading
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone
from kombu import Connection
from rest_framework.test import APIClient

from tests.factories import make_event, make_user, make_version
from tests.tournaments.matches.test_workers import slow_bot
from tournaments.celery import app
from tournaments.models import Attempt, AuditEntry, Match, Worker
from tournaments.models.lifecycle import MatchStatus
from tournaments.operations.workers import fleet, online, under_way
from tournaments.platform.logs import about, logging_for
from tournaments.platform.storage import storage_for
from tournaments.services.matches import workers
from tournaments.services.matches.matches import claim
from tournaments.services.matches.workers import Declaration, WorkerRefused
from tournaments.worker import presence as presence_module
from tournaments.worker.consuming import Consumer, QueueSubscription
from tournaments.worker.presence import LONGEST_SPREAD_SECONDS, Presence


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

    def test_resets_draining_under_a_reused_name(self, now, staff):
        workers.drain(worker=workers.declare(declaration(), now=now), actor=staff, now=now)
        assert workers.beat(declaration(), load=1.5, now=now).draining
        workers.declare(declaration(), now=now)
        assert not workers.beat(declaration(), load=1.5, now=now).draining

    def test_recreates_a_missing_row(self, now):
        assert not workers.beat(declaration(), load=0.5, now=now).draining
        assert Worker.objects.get().load == 0.5

    def test_is_deleted_after_a_day_of_silence(self, now):
        workers.declare(declaration(), now=now)
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

    def test_counts_running_matches_of_that_worker_only(self, now):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")])
        one, eleven = (workers.declare(declaration(name), now=now) for name in ("h:1", "h:11"))
        first, second, _ = Match.objects.filter(event=event)
        for match, name in ((first, "h:1:77"), (second, "h:11:78")):
            assert claim(match_id=match.pk, worker=name, tier="standard", now=now)
        assert [under_way(one), under_way(eleven)] == [1, 1]


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

    def test_lists_without_a_name_and_changes_nothing(self, running):
        assert self.drain().count("taking matches") == 3

    def test_lists_the_running_workers_for_an_unknown_name(self, running):
        with pytest.raises(CommandError, match=r"No online worker is called z:1\. Online workers: a:1, a:2, b:1"):
            self.drain("z:1")


@pytest.mark.django_db
class TestTheApi:
    @pytest.fixture
    def worker(self, db):
        return workers.declare(declaration(), now=timezone.now())

    @pytest.fixture
    def api(self):
        def as_user(user=None) -> APIClient:
            client = APIClient()
            if user is not None:
                client.force_authenticate(user)
            return client

        return as_user

    def test_drains_and_resumes(self, api, worker, staff):
        client = api(staff)
        assert client.post(f"/api/workers/{worker.pk}/drain/").json()["draining"] is True
        answer = client.post(f"/api/workers/{worker.pk}/drain/")
        assert (answer.status_code, answer.json()["detail"][:23]) == (409, "h:1 is already draining")
        assert client.post(f"/api/workers/{worker.pk}/resume/").json()["draining"] is False
        assert AuditEntry.objects.count() == 2

    def test_shows_workers_to_staff(self, api, worker, staff):
        found = api(staff).get(f"/api/workers/{worker.pk}/").json()
        assert (found["name"], found["online"], found["under_way"]) == ("h:1", True, 0)
        assert api(staff).get("/api/workers/").json()["results"][0]["concurrency"] == 2

    @pytest.mark.parametrize(("method", "path"), [("get", ""), ("get", "1/"), ("post", "1/drain/")])
    def test_is_only_for_staff(self, api, worker, method, path):
        assert getattr(api(), method)(f"/api/workers/{path}").status_code == 401
        assert getattr(api(make_user("zoe")), method)(f"/api/workers/{path}").status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.serial
class TestPresence:
    @pytest.fixture(autouse=True)
    def quick(self, settings):
        settings.WORKER_SEEN_SECONDS = 0.3

    def test_declares_beats_learns_of_draining_and_signs_off(self, settings):
        here = Presence(declaration())
        here.start()
        born = Worker.objects.get()
        until(lambda: Worker.objects.get().seen_at > born.seen_at)
        assert Worker.objects.get().load is not None
        Worker.objects.update(draining=True)
        until(lambda: here.draining)
        here.stop()
        assert Worker.objects.get().stopped_at is not None

    def test_survives_an_unavailable_database(self, monkeypatch, caplog):
        def refuse(*_: object, **__: object) -> bool:
            raise OperationalError("no connection")

        here = Presence(declaration())
        here.start()
        with monkeypatch.context() as away:
            away.setattr(presence_module, "beat", refuse)
            until(lambda: "the database is unavailable" in caplog.text)
        until(lambda: "the database is available again" in caplog.text)
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


@pytest.mark.workers
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.needs_servers
class TestARealWorker:
    def test_finishes_its_match_while_draining_and_resumes_afterwards(self, site, schedule):
        site.environment["SQUAREFIELD_WORKER_SEEN_SECONDS"] = "3"
        event = schedule({"ant": slow_bot(3.0), "bee": None, "cat": None})
        site.start("coordinator")
        child = site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: Attempt.objects.filter(status="running").exists())
        worker = Worker.objects.get()
        assert (worker.name.rsplit(":", 1)[1], worker.concurrency) == (str(child.pid), 1)
        assert under_way(worker) == 1
        workers.drain(worker=worker, actor=None, now=timezone.now())
        site.wait_for(lambda: "Canceling queue" in child.log_tail(50))
        site.wait_for(lambda: under_way(worker) == 0)
        played = Match.objects.filter(status=MatchStatus.FINISHED).count()
        assert 1 <= played < 3
        assert not Attempt.objects.filter(status="void").exists()
        workers.resume(worker=worker, actor=None, now=timezone.now())
        site.wait_for(lambda: not Match.objects.filter(event=event).exclude(status=MatchStatus.FINISHED).exists())
        assert Attempt.objects.count() == 3
        child.stop()
        assert Worker.objects.get().stopped_at is not None


class TestStorageOfArchives:
    def test_uses_files_by_default(self):
        setting = storage_for("", directory="/var/lib/archives")
        assert setting["BACKEND"].endswith("FileSystemStorage")
        assert setting["OPTIONS"] == {"location": "/var/lib/archives"}

    @pytest.mark.parametrize(("url", "reason"), [
        ("https://bucket", "use the form s3://"), ("s3://", "use the form s3://"),
        ("s3://key:secret@bucket", "AWS_ACCESS_KEY_ID"),
        ("s3://bucket?acl=public-read", "unknown options acl; supported are"),
    ])
    def test_refuses_an_invalid_address(self, url, reason):
        with pytest.raises(ImproperlyConfigured, match=reason):
            storage_for(url, directory="")

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

    @pytest.mark.parametrize("line_format", ["json", "console"])
    def test_keeps_the_traceback(self, logged, line_format):
        assert "KeyError: 'lost'" in logged(line_format, "it failed", raised=True)
        if line_format == "json":
            assert "Traceback" in json.loads(logged("json", "it failed", raised=True))["exception"]

    @pytest.mark.parametrize("line_format", ["json", "console"])
    def test_prevents_forged_lines(self, logged, line_format):
        line = logged(line_format, "evil\n2026-11-20 INFO root you are hacked\x1b[2J\u202e")
        assert "\n" not in line
        assert "\x1b" not in line

    def test_is_in_one_of_two_formats(self):
        with pytest.raises(ValueError, match="must be one of console, json"):
            logging_for("xml", "INFO")


def until(condition) -> None:
    """Wait until the condition holds, which another thread brings about."""
    patience = threading.Event()
    for _ in range(600):
        if condition():
            return
        patience.wait(0.05)
    raise AssertionError(condition)
