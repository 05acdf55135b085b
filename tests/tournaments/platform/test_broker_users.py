"""The users of the broker in docker-compose.yml: each process works with its own user, which may do nothing else."""

import subprocess
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

import pytest
import redis
from celery import current_app
from redis.exceptions import NoPermissionError

from tests.tournaments.site import ROOT
from tournaments.platform.cache import ForgivingRedisCache, cache_for, redis_address
from tournaments.platform.messaging import queue_messages, queues
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, LiveTurns
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
    """Broker with the users that `.docker/secrets.sh` writes."""

    def build_child(self) -> Child:
        secrets = self.directory / "secrets"
        subprocess.run(["sh", str(ROOT / ".docker" / "secrets.sh"), str(secrets)], check=True,
                       stdout=subprocess.DEVNULL)
        # The same accounts, but on the Unix socket.
        accounts = {kind: urlsplit((secrets / f"redis_url_{kind}").read_text()).netloc.partition("@")[0]
                    for kind in KINDS}
        self.urls = {kind: f"redis+socket://{account}@{self.socket}" for kind, account in accounts.items()}
        child = super().build_child()
        child.command += ["--aclfile", str(secrets / "redis_acl")]
        return child

    def client(self, kind: str) -> redis.Redis:
        """Return a client with the user of this kind of process."""
        return redis.Redis.from_url(redis_address(self.urls[kind]))


@pytest.fixture(scope="module", params=["valkey", "redis"])
def idle(request: pytest.FixtureRequest) -> Iterator[BrokerWithUsers]:
    """A broker without processes: Valkey, which Compose runs, and this machine's server."""
    binary = {"valkey": find_bundled_valkey, "redis": find_redis_server}[request.param]()
    with BrokerWithUsers(binary=binary) as server:
        yield server


class TestAUser:
    def test_may_wake_others_but_not_do_more_than_its_process(self, idle: BrokerWithUsers) -> None:
        allowed = []
        for kind in KINDS:
            with idle.client(kind) as client, idle.client("coordinator") as waiting:
                for command in (*DANGEROUS, *REFUSED[kind]):
                    try:
                        client.execute_command(*command.split())
                    except NoPermissionError:
                        continue
                    allowed.append((kind, command))
                client.zadd("squarefield:wakeups", {kind: 1})
                assert waiting.bzpopmin("squarefield:wakeups", 1)[1] == kind.encode()
        assert allowed == []

    def test_of_the_health_check_may_only_ping(self, idle: BrokerWithUsers) -> None:
        with redis.Redis(unix_socket_path=str(idle.socket)) as client:
            assert client.ping()
            with pytest.raises(NoPermissionError):
                client.get("squarefield:1:a")

    def test_of_a_worker_shows_turns_that_the_one_of_web_reads(self, idle: BrokerWithUsers) -> None:
        worker, web = (LiveTurns(redis_address(idle.urls[kind])) for kind in ("worker", "web"))
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
