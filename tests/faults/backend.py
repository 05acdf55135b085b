"""The servers of all fault tests: separate from others, and a database with bots that is copied for each event."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree, which
from typing import Any

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


class Backend:
    """A directory with PostgreSQL, Redis and archives; tests may kill these servers."""

    def __init__(self) -> None:
        # Paths of Unix sockets are limited to 107 bytes.
        self.root = Path(tempfile.mkdtemp(prefix="sqf-"))
        self.archives = self.root / "archives"
        self.temporary = self.root / "tmp"
        # Bots run as other users, who need access to the directory.
        self.root.chmod(0o711)
        self.temporary.mkdir(0o711)
        self.postgres = TemporaryPostgres(sockets=self.root / "pg")
        self.redis = EmbeddedRedis(sockets=self.root / "redis", binary=which("redis-server", path=SEARCH_PATH))
        self._numbers = itertools.count(1)

    def start(self, bots: int, *, think: float = 0) -> None:
        """Start the servers and create the template database with this many bots that think for `think` seconds."""
        self.postgres.start()
        self.redis.start()
        with self._database(_ORIGINAL):
            call_command("migrate", verbosity=0)
            owner = make_user("organiser", staff=True)
            create_ladder(**LADDER)
            for number in range(bots):
                self.upload(quick_bot(number, think=think), owner)

    def admit_network(self) -> None:
        """Let PostgreSQL accept connections from its networks, too."""
        rules = self.postgres.cluster / "pg_hba.conf"
        rules.write_text("local all all trust\nhost all all samenet trust\n")
        self.postgres.run("pg_ctl", "reload", "-D", str(self.postgres.cluster))

    def upload(self, archive: bytes, owner: object) -> Version:
        """Return a version of the archive, marked as trusted without a check."""
        files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(self.archives)}}
        with override_settings(STORAGES={"default": files}):
            return ready_version(accept_upload(archive=archive, filename="quick.zip", uploader=owner,
                                               now=timezone.now()))

    @contextmanager
    def event(self, bots: int, seed: int, **options: Any) -> Iterator[tuple[Event, str]]:
        """Create an event that starts at once, in a new database; yield it and the database's URL.

        It is a round-robin, unless `options` name another format.
        """
        self.empty_redis()
        with self._database(f"event{next(self._numbers)}", original=_ORIGINAL) as url:
            now = timezone.now()
            versions = list(Version.objects.order_by("pk")[:bots])
            yield create_event(name="Overnight", ladder=Ladder.objects.get(), versions=versions,
                               starts_at=now, now=now, seed=seed, created_by=make_user("organiser"), **options), url

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
        """Create a database and connect this process to it."""
        sockets = self.root / "pg"
        with psycopg.connect(host=str(sockets), user=self.postgres.USER, dbname="postgres", autocommit=True) as server:
            server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{original}"')
        url = f"postgres://{self.postgres.USER}@/{sockets}/{name}"
        before = connections.settings["default"]
        address = environ.Env.db_url_config(url)
        # Queries of a database that is down or paused must not hang.
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
    """Return the environment without the variables that name other servers and directories."""
    ours = ("DATABASE_URL", "REDIS_URL", "PYTEST_CURRENT_TEST", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items()
            if name not in ours and not name.startswith("SQUAREFIELD_")}
