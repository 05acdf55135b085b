"""The users of the broker in docker-compose.yml: each process works with its own user, which may do nothing else."""

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from functools import partial
from socket import socket
from typing import Any

import pytest
import redis
from celery import current_app
from django.utils import timezone
from redis.exceptions import NoPermissionError

from tests.conftest import ROOT
from tests.tournaments.site import Site, finished
from tournaments.models import Question
from tournaments.models.lifecycle import QuestionStatus
from tournaments.platform.cache import ForgivingRedisCache, cache_for
from tournaments.platform.messaging import queue_messages, queues
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, LiveTurns
from tournaments.services.accounts.tokens import make_token
from tournaments.setup.bootstrap.children import Child
from tournaments.setup.embedded import EmbeddedRedis, find_bundled_valkey, find_redis_server

KINDS = ("web", "coordinator", "worker")
PLAYED = LiveTurn("a1", 0.1)
GAME = GameKey(1, 1, 1)
DANGEROUS = (
    "ACL LIST", "ACL SETUSER eve on nopass +@all ~*", "BGREWRITEAOF", "CLIENT KILL ID 1", "CLIENT LIST",
    "CLIENT PAUSE 1", "CONFIG GET dir", "CONFIG SET dir /tmp", "FLUSHALL", "FLUSHDB", "FUNCTION LIST", "GET other",
    "INFO", "KEYS *", "MODULE LIST", "MONITOR", "PSUBSCRIBE *", "PUBLISH /0.celery.pidbox shutdown",
    "RENAME questions submissions", "REPLICAOF 127.0.0.1 1", "SAVE", "SCAN 0", "SCRIPT FLUSH", "SCRIPT KILL",
    "SET other 1", "SHUTDOWN NOSAVE", "SLOWLOG GET", "SWAPDB 0 1")
REFUSED = {
    "web": ("DEL matches.squ", "EVAL return() 0", "HGETALL unacked", "LPUSH matches.squ 1", "LRANGE matches.squ 0 -1",
            "PUBLISH /0.celeryev/worker.heartbeat x", "RPOP questions", "RPUSH squarefield:turns:1:1:1 x",
            "ZPOPMIN squarefield:wakeups"),
    "coordinator": ("GET squarefield:1:a", "HGETALL unacked", "LRANGE squarefield:turns:1:1:1 0 1",
                    "PUBLISH /0.celeryev/worker.heartbeat x", "RPUSH squarefield:turns:1:1:1 x",
                    "SET squarefield:1:a 1"),
    "worker": ("EVAL return() 0", "GET squarefield:1:a", "HGETALL unacked", "LRANGE matches.squ 0 -1",
               "LRANGE squarefield:turns:1:1:1 0 1", "SET squarefield:1:a 1", "ZPOPMIN squarefield:wakeups"),
}


class BrokerWithUsers(EmbeddedRedis):
    """Broker with the users that `.docker/secrets.sh` writes, and one more that may read its log."""

    def build_child(self) -> Child:
        with socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        secrets = self.directory / "secrets"
        subprocess.run(["sh", str(ROOT / ".docker" / "secrets.sh"), "--broker", f"127.0.0.1:{self.port}",
                        str(secrets)], check=True, stdout=subprocess.DEVNULL)
        with (secrets / "redis_acl").open("a") as rules:
            rules.write("user observer on nopass ~* &* +@all\n")
        self.urls = {kind: (secrets / f"redis_url_{kind}").read_text().strip() for kind in KINDS}
        child = super().build_child()
        child.command += ["--port", str(self.port), "--bind", "127.0.0.1", "--aclfile", str(secrets / "redis_acl")]
        return child

    def client(self, kind: str) -> redis.Redis:
        """Return a client with the user of this kind of process."""
        return redis.Redis.from_url(self.urls[kind])

    def refused(self) -> list[str]:
        """Return what the server refused its users."""
        with redis.Redis(unix_socket_path=str(self.socket), username="observer", password="-") as client:
            return [f"{entry['username']}: {entry['reason']} {entry['object']} ({entry['context']})"
                    for entry in client.acl_log()]


@pytest.fixture
def broker() -> Iterator[BrokerWithUsers]:
    with BrokerWithUsers() as server:
        yield server


@pytest.fixture(scope="module", params=["valkey", "redis"])
def idle(request: pytest.FixtureRequest) -> Iterator[BrokerWithUsers]:
    """A broker without processes: Valkey, which Compose runs, and this machine's server."""
    binary = {"valkey": find_bundled_valkey, "redis": find_redis_server}[request.param]()
    with BrokerWithUsers(binary=binary) as server:
        yield server


class TestTheProcesses:
    pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow]

    def test_play_answer_and_serve_pages_without_a_refusal(
        self, site: Site, broker: BrokerWithUsers, schedule: Any, author: Any
    ) -> None:
        event = schedule(dict.fromkeys(("Alder", "Birch")))
        _, token = make_token(user=author, name="test", now=timezone.now())
        with socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = {"web": ("--port", str(port), "--processes", "1"), "worker": ("--concurrency", "1")}
        for kind in KINDS:
            site.environment["REDIS_URL"] = broker.urls[kind]
            site.start(kind, *words.get(kind, ()))

        def page(path: str, body: Any = None) -> str:
            headers = {"Content-Type": "application/json", "Authorization": f"Token {token}"}
            asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers,
                                           data=body and json.dumps(body).encode())
            with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
                return str(answer.read().decode())

        def serves() -> bool:
            with socket() as caller:
                return caller.connect_ex(("127.0.0.1", port)) == 0

        def answered() -> bool:
            assert broker.refused() == []
            return Question.objects.filter(status=QuestionStatus.ANSWERED).exists()

        def played() -> bool:
            assert broker.refused() == []
            assert page("/watch/")
            return finished(event)

        site.wait_for(serves)
        assert '"reachable"' in page("/health/ready")
        version = event.entries.get(version__bot__name="Alder").version_id
        page("/api/questions/", {"version": version, "ruleset": "square-grid-hex", "size": 3, "turns": []})
        site.wait_for(answered)
        site.wait_for(played)
        site.stop()
        assert broker.refused() == []


class TestAUser:
    @pytest.mark.parametrize("kind", KINDS)
    def test_may_not_do_more_than_its_process(self, idle: BrokerWithUsers, kind: str) -> None:
        with idle.client(kind) as client:
            for command in (*DANGEROUS, *REFUSED[kind]):
                try:
                    client.execute_command(*command.split())
                except NoPermissionError:
                    continue
                pytest.fail(f"the user of {kind} may {command}")

    def test_of_the_health_check_may_only_ping(self, idle: BrokerWithUsers) -> None:
        with redis.Redis(port=idle.port) as client:
            assert client.ping()
            with pytest.raises(NoPermissionError):
                client.get("squarefield:1:a")

    @pytest.mark.parametrize("kind", KINDS)
    def test_may_wake_others(self, idle: BrokerWithUsers, kind: str) -> None:
        with idle.client(kind) as client, idle.client("coordinator") as waiting:
            client.zadd("squarefield:wakeups", {kind: 1})
            assert waiting.bzpopmin("squarefield:wakeups", 1)[1] == kind.encode()

    def test_of_a_worker_shows_turns_that_the_one_of_web_reads(self, idle: BrokerWithUsers) -> None:
        worker, web = LiveTurns(idle.urls["worker"]), LiveTurns(idle.urls["web"])
        worker.append(GAME, [PLAYED], anew=False)
        worker.append(GAME, [PLAYED, PLAYED], anew=True)
        assert web.read([GAME])[0].turns == (PLAYED, PLAYED)
        worker.remove([GAME])
        assert web.read([GAME]) == [None]

    def test_of_web_caches_and_counts(self, idle: BrokerWithUsers) -> None:
        chosen = cache_for(idle.urls["web"])
        cache = ForgivingRedisCache(chosen["LOCATION"], {name: chosen[name] for name in ("KEY_PREFIX", "OPTIONS")})
        assert cache.add("a", 1, 60)
        assert cache.incr("a") == 2
        assert cache.get_or_set("b", lambda: "drawn", 60) == "drawn"
        cache.set_many({"c": 1}, 60)
        assert cache.get_many(["b", "c"]) == {"b": "drawn", "c": 1}
        assert cache.touch("c", 30)
        assert cache.delete("c")

    def test_of_the_coordinator_drops_what_nobody_can_read(self, idle: BrokerWithUsers) -> None:
        with idle.client("coordinator") as client, idle.client("web") as web:
            before = queue_messages.dropped(web)
            client.lpush("matches.squ", "x" * (queue_messages.MOST_BYTES + 1), "junk")
            assert queue_messages.oldest(client, "matches.squ") == (0, None)
            assert queue_messages.dropped(web) == before + 2

    def test_of_a_worker_takes_returns_and_acknowledges_messages(self, idle: BrokerWithUsers) -> None:
        publisher = partial(current_app.connection_for_write, transport_options=queues.REQUEST)
        with publisher(idle.urls["web"]) as connection:
            client = connection.default_channel.client
            queue_messages.publish(client, queues.QUESTIONS_QUEUE, queues.ANSWER_QUESTION, [1])
        with publisher(idle.urls["coordinator"]) as connection:
            queue_messages.publish(connection.default_channel.client, "matches.squ", queues.PLAY_MATCH, [2])
        with current_app.connection_for_read(idle.urls["worker"]) as connection:
            taken = [connection.SimpleQueue(name) for name in (queues.QUESTIONS_QUEUE, "matches.squ")]
            first, second = (queue.get(timeout=60) for queue in taken)
            first.requeue()
            second.ack()
            channel = connection.default_channel
            channel.qos.restore_visible()
            taken[0].get(timeout=60).ack()
            assert channel.repair(queues.QUESTIONS_QUEUE, exchange="celery.pidbox") is False
