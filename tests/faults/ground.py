"""What all events of the suite stand on: servers of their own, and a database with bots of which each is a copy."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree, which

import environ
import psycopg
from django.core.management import call_command
from django.db import connections
from django.test import override_settings
from django.utils import timezone

from tests.factories import make_user, ready_version
from tests.faults.bots import RULESET, SIZE, quick_bot
from tournaments.models import Event, Ladder, Version
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.setup.bootstrap.packages import SEARCH_PATH
from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

_ORIGINAL = "original"
LADDER = {"ruleset": RULESET, "size": SIZE, "base_seconds": 5.0, "increment_seconds": 0.1}


class Ground:
    """A directory with PostgreSQL, Redis and archives in it; the servers are there to be killed."""

    def __init__(self) -> None:
        # Sockets' addresses end at 107 bytes.
        self.root = Path(tempfile.mkdtemp(prefix="sqf-"))
        self.archives = self.root / "archives"
        self.temporary = self.root / "tmp"
        # Bots run as users of their own, who have to get there.
        self.root.chmod(0o711)
        self.temporary.mkdir(0o711)
        self.postgres = TemporaryPostgres(sockets=self.root / "pg")
        self.redis = EmbeddedRedis(sockets=self.root / "redis", binary=which("redis-server", path=SEARCH_PATH))
        self._numbers = itertools.count(1)

    def start(self, bots: int) -> None:
        """Start the servers and make the original of all databases, with so many bots."""
        self.postgres.start()
        self.redis.start()
        with self._database(_ORIGINAL):
            call_command("migrate", verbosity=0)
            owner = make_user("organiser", staff=True)
            create_ladder(**LADDER)
            for number in range(bots):
                self.upload(quick_bot(number), owner)

    def upload(self, archive: bytes, owner: object) -> Version:
        """A version of the archive, taken on trust."""
        files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(self.archives)}}
        with override_settings(STORAGES={"default": files}):
            return ready_version(accept_upload(archive=archive, filename="quick.zip", uploader=owner,
                                               now=timezone.now()))

    @contextmanager
    def event(self, bots: int, seed: int) -> Iterator[tuple[Event, str]]:
        """A round-robin that starts at once, in a new database that Django is connected to; and its address."""
        self.empty_redis()
        with self._database(f"event{next(self._numbers)}", original=_ORIGINAL) as url:
            now = timezone.now()
            versions = list(Version.objects.order_by("pk")[:bots])
            yield create_event(name="Overnight", ladder=Ladder.objects.get(), versions=versions,
                               starts_at=now, now=now, seed=seed, created_by=make_user("organiser")), url

    def empty_redis(self) -> None:
        """Restart Redis without its data."""
        self.redis.kill()
        rmtree(self.redis.directory / "appendonlydir", ignore_errors=True)
        self.redis.start()

    def close(self) -> None:
        """Stop the servers and remove the directory."""
        self.redis.close()
        self.postgres.close()
        rmtree(self.root)

    @contextmanager
    def _database(self, name: str, original: str = "template1") -> Iterator[str]:
        """Make a database and let this process work in it."""
        sockets = self.root / "pg"
        with psycopg.connect(host=str(sockets), user=self.postgres.USER, dbname="postgres", autocommit=True) as server:
            server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{original}"')
        url = f"postgres://{self.postgres.USER}@/{sockets}/{name}"
        before = connections.settings["default"]
        address = environ.Env.db_url_config(url)
        # Polls of a database that is away or paused are not to hang.
        options = {"connect_timeout": 5, "server_side_binding": True}
        connections.settings["default"] = {**before, **address, "OPTIONS": options}
        connections["default"].close()
        del connections["default"]
        try:
            yield url
        finally:
            connections["default"].close()
            del connections["default"]
            connections.settings["default"] = before


def apart() -> dict[str, str]:
    """The environment without what names other servers and places."""
    ours = ("DATABASE_URL", "REDIS_URL", "PYTEST_CURRENT_TEST", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items()
            if name not in ours and not name.startswith("SQUAREFIELD_")}
