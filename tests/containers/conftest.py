"""The whole site, once for all these tests, which `selftest --only containers` runs through run.py."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.containers.author import PASSWORD, Author
from tests.containers.engine import Engine
from tests.containers.topology import Topology

# Set by run.py, within namespaces of their own: the engine's data, and a directory that is deleted afterwards.
DATA = os.environ.get("SQUAREFIELD_CONTAINERS_DATA")
SCRATCH = os.environ.get("SQUAREFIELD_CONTAINERS_SCRATCH")
collect_ignore_glob = [] if DATA and SCRATCH else ["test_*.py"]


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(Path(DATA), Path(SCRATCH), networks=True) as engine:
        yield engine


@pytest.fixture(scope="session")
def site(engine: Engine) -> Iterator[Topology]:
    topology = Topology(engine, Path(SCRATCH))
    topology.compose("down", "--volumes", "--remove-orphans")
    topology.up()
    yield topology
    topology.compose("--profile=pgbouncer", "down", "--volumes", "--timeout=1")


@pytest.fixture(scope="session")
def organiser(site: Topology) -> Author:
    """Return the site's first staff account, made as in the documentation."""
    site.within("web", "python", "manage.py", "createsuperuser", "--no-input", "--username=organiser",
                "--email=organiser@example.org", DJANGO_SUPERUSER_PASSWORD=PASSWORD)
    said = site.within("web", "python", "manage.py", "create_token", "organiser")
    return Author("organiser", re.findall(r"sqf_\w{40}", said)[0])
