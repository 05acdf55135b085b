"""An attacker with write access to Redis can delay matches, but cannot execute code: no message is trusted."""

import base64
import json
import pickle
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import kombu
import pytest
import redis
from celery import Celery
from celery.worker import consumer
from celery.worker.pidbox import Pidbox
from django.core.cache.backends.redis import RedisSerializer
from django.utils.safestring import mark_safe
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.site import Site, finished
from tournaments.celery import app
from tournaments.models import Worker
from tournaments.platform.cache import ForgivingRedisCache, PlainSerializer, Tampered, cache_for, redis_address
from tournaments.platform.messaging.queue_messages import MOST_BYTES, Unreadable, dropped, oldest, read
from tournaments.worker import consuming

ROOT = Path(__file__).resolve().parents[2]
QUEUE = "matches.square-grid-hex"
PLAY = "squarefield.play_match"
CONTROL = {"rate_limit": {"task_name": PLAY, "rate_limit": "1/h"}, "time_limit": {"task_name": PLAY, "hard": 1},
           "cancel_consumer": {"queue": QUEUE}, "pool_shrink": {"n": 1}, "shutdown": {}}


class Bomb:
    """An object that creates a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, (self.file,)  # type: ignore[return-value]


def message(body: str, kind: str, task: Any, encoding: str = "base64") -> bytes:
    """Return a message in the format that kombu stores in Redis."""
    name = str(uuid.uuid4())
    return json.dumps({
        "body": body, "content-encoding": "utf-8", "content-type": kind,
        "headers": {"lang": "py", "task": task, "id": name, "root_id": name, "argsrepr": "", "kwargsrepr": "{}"},
        "properties": {"correlation_id": name, "delivery_mode": 2, "delivery_tag": name, "body_encoding": encoding,
                       "delivery_info": {"exchange": "", "routing_key": QUEUE}, "priority": 0},
    }).encode()


def ids(*values: Any) -> str:
    return base64.b64encode(json.dumps([list(values), {}, {}]).encode()).decode()


def junk(file: Path) -> list[bytes]:
    """Return messages that no coordinator writes, in kombu's format and in none."""
    pickled = base64.b64encode(pickle.dumps([[Bomb(file)], {}, {}])).decode()
    options = base64.b64encode(json.dumps([[1], {"match_id": 2}, {}]).encode()).decode()
    return [
        message(pickled, "application/x-python-serialize", PLAY), message(pickled, "application/json", PLAY),
        message(ids("1; DROP TABLE auth_user"), "application/json", PLAY),
        message(ids(2**70), "application/json", PLAY), message(ids(-1), "application/json", PLAY),
        message(ids(None), "application/json", PLAY), message(ids({"a": [1]}), "application/json", PLAY),
        message(ids(True), "application/json", PLAY), message(ids(1.5), "application/json", PLAY),
        message(ids(), "application/json", PLAY), message(ids(1, 2, 3), "application/json", PLAY),
        message(options, "application/json", PLAY), message(ids(1), "application/json", ["a"]),
        message(ids(1), "application/json", "os.system"), message("not base64", "application/json", PLAY),
        message(ids(1), "application/x-unheard-of", PLAY), message(ids(1), "application/json", PLAY, "none"),
        b"junk{", b"", b"{}", b"[]", b"null", b"7", b'{"body": 1, "headers": 2, "properties": 3}', b"\xff\xfe", b"\x00",
        b'{"headers": {}, "properties": {}}', b"[" * 60_000, b"9" * 60_000, pickle.dumps(Bomb(file)),
    ]


@contextmanager
def redis_at(url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_address(url)) as client:
        yield client


class TestAWorker:
    pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]

    def test_accepts_only_json(self) -> None:
        assert set(app.conf.accept_content) == {"json"}
        assert (app.conf.task_serializer, app.conf.result_backend) == ("json", None)

    @pytest.mark.parametrize("with_worker", [pytest.param(True, id="with a running worker"), pytest.param(
        False, marks=pytest.mark.thorough, id="before a worker starts")])
    def test_executes_nothing_in_a_hostile_queue_and_keeps_playing(
            self, with_worker: bool, site: Site, broker: Any, schedule: Any, tmp_path: Path) -> None:
        lit = tmp_path / "lit"
        processes = [site.start("coordinator")]
        if with_worker:
            processes.append(site.start("worker", "--concurrency", "1"))
            site.wait_for(Worker.objects.exists)
        with redis_at(broker.url) as client:
            hostile = [*junk(lit), b"x" * 60_000_000]
            for raw in hostile:
                client.lpush(QUEUE, raw)
            client.publish("/0.celery.pidbox", b"{}")
            for command, arguments in CONTROL.items():
                Celery("intruder", broker=broker.url).control.broadcast(command, arguments=arguments)
            event = schedule({"Alder": None, "Birch": None})
            if not with_worker:
                # The coordinator alone has read all of the queue.
                site.wait_for(lambda: dropped(client) >= len(hostile))
                processes.append(site.start("worker", "--concurrency", "1"))
            site.wait_for(lambda: finished(event))
            assert dropped(client) >= len(hostile)
        assert not lit.exists()
        assert [process.process.poll() for process in processes] == [None] * 2

    @pytest.mark.thorough
    def test_survives_keys_of_another_type(self, site: Site, broker: Any, schedule: Any) -> None:
        keys = [QUEUE, "submissions", "unacked", "unacked_index", f"_kombu.binding.{QUEUE}",
                "squarefield:messages-dropped"]
        processes = [site.start("coordinator")]
        event = schedule({"Alder": None, "Birch": None})
        with redis_at(broker.url) as client:
            client.mset(dict.fromkeys(keys, "junk"))
            processes.append(site.start("worker", "--concurrency", "1"))
            site.wait_for(Worker.objects.exists)
            for key in keys:
                # In one step, since the coordinator may fill the key of a queue in between.
                with client.pipeline(transaction=True) as both:
                    both.delete(key).xadd(key, {"field": "junk"})
                    both.execute()
            site.wait_for(lambda: finished(event))
        assert [process.process.poll() for process in processes] == [None] * 2

    def test_drops_unacknowledged_junk(self, site: Site, broker: Any, schedule: Any) -> None:
        with redis_at(broker.url) as client:
            for tag, raw in (("one", b"junk{"), ("two", b"[1, 2]"), ("three", b"\xff")):
                client.hset("unacked", tag, raw)
                client.zadd("unacked_index", {tag: 0})
            site.start("worker", "--concurrency", "1")
            site.wait_for(lambda: not client.exists("unacked") and not client.exists("unacked_index"))


class TestTheControlExchange:
    def test_has_no_commands(self) -> None:
        assert issubclass(consuming.Consumer, consumer.Consumer)
        worker = SimpleNamespace(app=app, hostname="w", controller=SimpleNamespace(use_eventloop=True))
        box = Pidbox(worker)
        box.reset = lambda: pytest.fail("the command was tried")  # type: ignore[method-assign]
        for command, arguments in CONTROL.items():
            # A command that is known would be executed here: `shutdown` raises SystemExit.
            box.on_message({"method": command, "arguments": arguments}, None)
        assert box.node.handlers == {}


class TestAFullServer:
    @pytest.mark.broker
    def test_drops_what_is_cached_and_takes_messages(self, redis_url: str) -> None:
        policy = re.search(r'"--maxmemory-policy", "([a-z-]+)"', (ROOT / "docker-compose.yml").read_text())
        assert policy is not None
        with redis_at(redis_url) as client:
            before = client.config_get("maxmemory*")
            limit = client.info("memory")["used_memory"] + 4 * 1024**2
            client.config_set("maxmemory-policy", policy[1])
            client.config_set("maxmemory", limit)
            try:
                for number in range(80):
                    client.set(f"cached-{number}", b"x" * 100_000, ex=600)
                for _ in range(20):
                    client.lpush(QUEUE, b"m" * 10_000)
                assert client.llen(QUEUE) == 20
            finally:
                for name in ("maxmemory", "maxmemory-policy"):
                    client.config_set(name, before[name])


class TestAMessage:
    def test_contains_a_task_and_an_id(self) -> None:
        assert read(message(ids(7), "application/json", PLAY)) == (PLAY, 7)

    def test_with_other_content_is_unreadable(self, tmp_path: Path) -> None:
        for raw in junk(tmp_path / "lit"):
            with pytest.raises(Unreadable):
                read(raw)
        assert not (tmp_path / "lit").exists()

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)
                        | st.dictionaries(st.sampled_from(["headers", "properties", "body", "task", "content-type"]),
                                          inner)))
    def test_of_any_json_raises_only_unreadable(self, value: Any) -> None:
        with pytest.raises(Unreadable):
            read(json.dumps(value))

    @given(st.binary())
    def test_of_any_bytes_raises_only_unreadable(self, raw: bytes) -> None:
        with pytest.raises(Unreadable):
            read(raw)


class TestTheOldestMessage:
    pytestmark = pytest.mark.broker

    def test_is_found_after_junk_is_dropped_and_counted(self, redis_url: str, tmp_path: Path,
                                                               caplog: Any) -> None:
        with redis_at(redis_url) as client:
            client.delete(QUEUE, "squarefield:messages-dropped")
            hostile = [*junk(tmp_path / "lit"), b"x" * (MOST_BYTES + 1)]
            client.lpush(QUEUE, *hostile, message(ids(7), "application/json", PLAY), b"junk{")
            assert oldest(client, QUEUE) == (2, (PLAY, 7))
            told = [record for record in caplog.records if record.name.endswith("queue_messages")]
            assert dropped(client) == len(hostile) == len(told)

    def test_is_none_if_the_key_has_another_type(self, redis_url: str) -> None:
        with redis_at(redis_url) as client:
            client.set(QUEUE, "junk")
            assert oldest(client, QUEUE) == (0, None)
            assert not client.exists(QUEUE)


class TestTheCache:
    def test_restores_all_types_that_the_site_caches(self) -> None:
        kept = PlainSerializer()
        for value in (7, [1.5, 2.5], ("3-running", {"rows": [(1, None, True)], 2: b"png"}), mark_safe("<b>"), -1, None):
            assert kept.loads(kept.dumps(value)) == value

    def test_rejects_anything_else_as_tampered(self) -> None:
        for data in (b"", b"junk", b"\x80\x05.", b"\x80\x05K\x01", b"cos\nsystem\n(S'true'\ntR."):
            with pytest.raises(Tampered):
                PlainSerializer().loads(data)

    def test_executes_nothing(self, redis_url: str, tmp_path: Path) -> None:
        lit = tmp_path / "lit"
        with pytest.raises(Tampered):
            PlainSerializer().loads(RedisSerializer().dumps(Bomb(lit)))
        setting = cache_for(redis_url)
        cache = ForgivingRedisCache(setting["LOCATION"], {"OPTIONS": setting["OPTIONS"]})
        with kombu.Connection(redis_url) as connection:
            connection.default_channel.client.set(cache.make_and_validate_key("kept"), pickle.dumps(Bomb(lit)))
        assert cache.get("kept", "nothing") == "nothing"
        assert not lit.exists()
