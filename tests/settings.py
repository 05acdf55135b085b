"""The site's settings for tests: every test process has its own directory, database and Redis.

Processes started by a test use `tournaments.settings` itself, with the environment of the fixture `site_environment`.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# pytest-xdist names its processes gw0, gw1, …; without it there is only one.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")

# The first process creates the directory and removes it; the others inherit its name, which is short because the path
# of a Unix socket is limited to 107 bytes.
if "SQUAREFIELD_TEST_SCRATCH" not in os.environ:
    os.environ["SQUAREFIELD_TEST_SCRATCH"] = tempfile.mkdtemp(prefix="sqf-")
    atexit.register(shutil.rmtree, os.environ["SQUAREFIELD_TEST_SCRATCH"], ignore_errors=True)
SCRATCH = Path(os.environ["SQUAREFIELD_TEST_SCRATCH"])
SCRATCH.joinpath(WORKER, "static").mkdir(parents=True, exist_ok=True)
os.environ["SQUAREFIELD_VAR"] = str(SCRATCH / WORKER)
os.environ.setdefault("SQUAREFIELD_SECRET_KEY", "of no use outside the tests")

# A given Redis is shared by database number; otherwise each process starts its own on this socket when needed.
GIVEN_REDIS = os.environ.get("REDIS_URL")

from tournaments.platform.cache import cache_for  # noqa: E402 - likewise
from tournaments.settings import *  # noqa: E402, F403 - the environment comes first, and the settings are all meant
from tournaments.settings import API_RATES, CACHES, DATABASES, STORAGES  # noqa: E402

REDIS_URL = (
    f"{GIVEN_REDIS}?virtual_host={WORKER.removeprefix('gw')}"
    if GIVEN_REDIS
    else f"redis+socket://{SCRATCH / WORKER}/redis.sock"
)
CACHES = {**CACHES, "default": cache_for(REDIS_URL)}
# Tests must see their own changes at once.
SHARED_PAGE_SECONDS = 0
# Rolled-back tests reuse ids.
KEPT_TABLE_SECONDS = 0
# The tests send more requests than a person does; the tests of the limits set their own.
API_RATES = dict.fromkeys(API_RATES, 1_000_000)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# The name, or on SQLite the path, of this process's database (tests/databases.py).
TEST_DATABASE = (f"test_{DATABASES['default']['NAME']}_{WORKER}" if "DATABASE_URL" in os.environ
                 else str(SCRATCH / WORKER / "test.sqlite3"))
