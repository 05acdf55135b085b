"""What lies in Redis is believed by nobody: whoever writes there can delay matches, and run nothing."""

import base64
import json
import pickle
import uuid
from pathlib import Path
from typing import Any

import kombu
import pytest
from django.core.cache.backends.redis import RedisSerializer
from django.utils.safestring import mark_safe

from tests.tournaments.site import Site, finished
from tournaments.celery import app
from tournaments.site.cache import ForgivingRedisCache, PlainSerializer, Tampered, cache_for


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, (self.file,)  # type: ignore[return-value]


def junk(file: Path) -> list[bytes]:
    """Messages that no coordinator writes: as kombu keeps them in Redis, and not even that."""
    pickled = base64.b64encode(pickle.dumps([[Bomb(file)], {}, {}])).decode()

    def message(body: str, kind: str, task: str, encoding: str = "base64") -> bytes:
        name = str(uuid.uuid4())
        return json.dumps({
            "body": body, "content-encoding": "utf-8", "content-type": kind,
            "headers": {"lang": "py", "task": task, "id": name, "root_id": name, "argsrepr": "", "kwargsrepr": "{}"},
            "properties": {"correlation_id": name, "delivery_mode": 2, "delivery_tag": name, "body_encoding": encoding,
                           "delivery_info": {"exchange": "", "routing_key": "matches.squ"}, "priority": 0},
        }).encode()

    def ids(*values: Any) -> str:
        return base64.b64encode(json.dumps([list(values), {}, {}]).encode()).decode()

    play = "squarefield.play_match"
    return [
        message(pickled, "application/x-python-serialize", play), message(pickled, "application/json", play),
        message(ids("1; DROP TABLE auth_user"), "application/json", play),
        message(ids(2**70), "application/json", play), message(ids(-1), "application/json", play),
        message(ids(None), "application/json", play), message(ids({"a": [1]}), "application/json", play),
        message(ids(), "application/json", play), message(ids(1, 2, 3), "application/json", play),
        message(ids(1), "application/json", "os.system"), message("not base64", "application/json", play),
        message(ids(1), "application/x-unheard-of", play),
    ]


class TestAWorker:
    pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]

    def test_takes_json_alone(self) -> None:
        assert set(app.conf.accept_content) == {"json"}
        assert (app.conf.task_serializer, app.conf.result_backend) == ("json", None)

    def test_runs_nothing_of_a_hostile_queue_and_plays_on(self, site: Site, broker: Any, schedule: Any,
                                                          tmp_path: Path) -> None:
        lit = tmp_path / "lit"
        site.start("worker", "--concurrency", "1")
        with kombu.Connection(broker.url) as connection:
            for message in junk(lit):
                connection.default_channel.client.lpush("matches.squ", message)
        event = schedule({"Alder": None, "Birch": None})
        site.start("coordinator")
        site.wait_for(lambda: finished(event))
        assert not lit.exists()


class TestTheCache:
    def test_takes_back_what_the_site_keeps(self) -> None:
        kept = PlainSerializer()
        for value in (7, [1.5, 2.5], ("3-running", {"rows": [(1, None, True)], 2: b"png"}), mark_safe("<b>"), -1, None):
            assert kept.loads(kept.dumps(value)) == value

    @pytest.mark.parametrize("data", [b"", b"junk", b"\x80\x05.", b"\x80\x05K\x01", b"cos\nsystem\n(S'true'\ntR."])
    def test_says_of_anything_else_that_it_is_none(self, data: bytes) -> None:
        with pytest.raises(Tampered):
            PlainSerializer().loads(data)

    def test_runs_nothing(self, redis_url: str, tmp_path: Path) -> None:
        lit = tmp_path / "lit"
        with pytest.raises(Tampered):
            PlainSerializer().loads(RedisSerializer().dumps(Bomb(lit)))
        setting = cache_for(redis_url)
        cache = ForgivingRedisCache(setting["LOCATION"], {"OPTIONS": setting["OPTIONS"]})
        with kombu.Connection(redis_url) as connection:
            connection.default_channel.client.set(cache.make_and_validate_key("kept"), pickle.dumps(Bomb(lit)))
        assert cache.get("kept", "nothing") == "nothing"
        assert not lit.exists()
