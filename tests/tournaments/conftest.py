"""Accounts, archives, ladders and versions for the service's tests."""

import functools
import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.factories import ready_version
from tests.faults.bots import RULESET, SIZE, quick_bot
from tests.tournaments.s3 import s3_server, s3_storage
from tests.tournaments.site import Site
from tournaments.models import Event, Ladder, Version
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.setup.embedded import EmbeddedRedis

__all__ = ["s3_server", "s3_storage"]
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
RANDOM_BOT = """
import sys
from random import Random
from engines.sdk import Bot, run

class RandomBot(Bot):
    name = "any turn"
    rng = Random({seed})

    def choose(self, position, clock):
        return position.random_turn(self.rng)

run(RandomBot())
"""


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(autouse=True)
def archives(settings, tmp_path):
    """An empty directory for archives."""
    return store_archives(settings, tmp_path / "archives")


def store_archives(settings: Any, root: Path) -> Path:
    """Store archives in this directory until the end of the test."""
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                          "OPTIONS": {"location": str(root)}}}
    return root


@pytest.fixture
def author(db) -> User:
    return User.objects.create_user("author")


@pytest.fixture
def staff(db) -> User:
    return User.objects.create_user("organiser", is_staff=True, is_superuser=True)


@pytest.fixture
def hex_ladder(db) -> Ladder:
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0, increment_seconds=0.1)


@pytest.fixture
def enter(author):
    """Return a function that uploads a bot by name and returns its new version, unchecked."""

    def enter(name: str, uploader: User = author, code: str | None = None, **manifest: str) -> Version:
        return ready_version(accept_upload(archive=make_archive(name, code, **manifest), filename=f"{name}.zip",
                                           uploader=uploader, now=NOW))

    return enter


def make_archive(name: str, code: str | None = None, **manifest: str) -> bytes:
    """Return a bot's archive with one Python file, by default a random player with its own seed."""
    lines = {"name": f'"{name}"', "command": '["python3", "-S", "main.py"]', **manifest}
    packed = io.BytesIO()
    files = {"bot.toml": "".join(f"{key} = {value}\n" for key, value in lines.items()),
             "main.py": RANDOM_BOT.format(seed=sum(name.encode())) if code is None else code}
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            # A fixed date, so that the same bot always gives the same archive.
            entry = zipfile.ZipInfo(path, date_time=(2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, text)
    return packed.getvalue()


@pytest.fixture
def broker(tmp_path):
    """A broker of its own that the test may kill."""
    with EmbeddedRedis() as redis:
        yield redis


@pytest.fixture
def site(site_environment, broker, archives, tmp_path):
    environment = {**site_environment, "REDIS_URL": broker.url, "SQUAREFIELD_ARCHIVES": str(archives),
                   "SQUAREFIELD_REPUBLISH_SECONDS": "2"}
    site = Site(environment, tmp_path)
    yield site
    site.stop()


@pytest.fixture
def schedule(enter, staff):
    """Return a function that creates an event, starting now, from bot names and their code (None: a random player)."""

    def schedule(bots: dict[str, str | None], *more: Version, ruleset: str = "square-grid-hex", size: int = 3,
                 cycles: int = 1, base_seconds: float = 60.0) -> Event:
        ladder = create_ladder(ruleset=ruleset, size=size, base_seconds=base_seconds)
        now = timezone.now()
        versions = [*(enter(name, staff, code) for name, code in bots.items()), *more]
        return create_event(name=f"{ruleset} {size}", ladder=ladder, versions=versions, cycles=cycles, starts_at=now,
                            created_by=staff, now=now, seed=3)

    return schedule


def quick_versions(owner: User) -> Callable[[int, float], Version]:
    """Return a function that returns a version of a fast bot, by its number and the seconds that it waits per turn."""
    return functools.cache(lambda number, think: ready_version(accept_upload(
        archive=quick_bot(number, think=think), filename="quick.zip", uploader=owner, now=timezone.now())))


@pytest.fixture
def quick(staff) -> Callable[[int, float], Version]:
    return quick_versions(staff)


@pytest.fixture
def hold(quick, staff) -> Callable[..., Event]:
    """Return a function that creates an event, starting now, of fast bots that wait for `think` seconds per turn."""

    def hold(name: str, bots: int, *, think: float = 0, base_seconds: float = 60.0, **facts: object) -> Event:
        ladder, now = create_ladder(ruleset=RULESET, size=SIZE, base_seconds=base_seconds), timezone.now()
        return create_event(name=name, ladder=ladder, versions=[quick(number, think) for number in range(bots)],
                            starts_at=now, created_by=staff, now=now, seed=3, **facts)

    return hold
