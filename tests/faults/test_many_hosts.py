"""Three worker hosts, a coordinator's, a database's and a broker's, in a network that loses packets between them."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial

import pytest
from django.utils.text import slugify

from tests.faults.backend import Backend
from tests.faults.conftest import BOTS, SEED
from tests.faults.course import Course, Fault, hold
from tests.faults.machinery.clocks import shifted
from tests.faults.machinery.hosts import Host, Hosts
from tests.faults.site import LEASE_SECONDS

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]
WORKERS = ("worker1", "worker2", "worker3")
PORTS = {"database": 5432, "broker": 6379}
# Games take a second, so that each fault finds matches in progress.
THINK_SECONDS = 0.1
FREEZE_SECONDS = 120
SHORT_LEASE_SECONDS = 4

Loss = Callable[[], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    if why := Hosts.refused():
        pytest.skip(why)
    with Hosts("database", "broker", "coordinator", *WORKERS) as made:
        yield made


@pytest.fixture(scope="module")
def backend(hosts, django_db_blocker) -> Iterator[Backend]:
    made = Backend()
    database, broker = hosts["database"], hosts["broker"]
    postgres, redis = made.postgres.child, made.redis.child
    postgres.command = [*database.within, *postgres.command, "-c", f"listen_addresses={database.address}"]
    redis.command = [*broker.within, *redis.command, "--bind", broker.address, "--port", str(PORTS["broker"]),
                     "--protected-mode", "no"]
    try:
        with django_db_blocker.unblock():
            made.start(BOTS, think=THINK_SECONDS)
            made.admit_network()
            yield made
    finally:
        made.close()


def start(course: Course, hosts: Hosts, lease: int = LEASE_SECONDS) -> None:
    """Start the coordinator and the workers on their hosts, with clocks that can be shifted."""
    site = course.site
    site.environment["SQUAREFIELD_LEASE_SECONDS"] = str(lease)
    name = site.environment["DATABASE_URL"].rpartition("/")[2]
    user = course.backend.postgres.USER
    urls = {"DATABASE_URL": f"postgres://{user}@{hosts['database'].address}:{PORTS['database']}/{name}",
            "REDIS_URL": f"redis://{hosts['broker'].address}:{PORTS['broker']}"}
    for host, words in (("coordinator", ["coordinator"]), *((worker, ["worker", "--concurrency", "2"])
                                                            for worker in WORKERS)):
        site.within = hosts[host].within
        site.start(*words, environment={**urls, **shifted(course, host)})


@contextmanager
def cut(one: Host, other: Host) -> Iterator[None]:
    """Lose all packets between two hosts during the block."""
    with one.loses(other), other.loses(one):
        yield


def lose(course: Course, hosts: Hosts, one: str, other: str) -> None:
    """Lose the packets between two hosts for longer than a lease: in one direction, in the other, and in both."""
    here, there = hosts[one], hosts[other]
    loss: Loss = (partial(here.loses, there), partial(there.loses, here), partial(cut, here, there))[
        len(course.struck) % 3]
    with loss():
        time.sleep(LEASE_SECONDS + 5)


def freeze(_: Course, hosts: Hosts) -> None:
    """Freeze a host for two minutes."""
    with hosts["worker1"].frozen():
        time.sleep(FREEZE_SECONDS)


def skew(course: Course, hosts: Hosts) -> None:
    """Set every host's clock wrong, each in its own way, until the end of the event."""
    del hosts
    for number, host in enumerate(("coordinator", *WORKERS)):
        seconds = (-86_400, 3600, -40, 7)[(number + len(course.struck)) % 4]
        (course.backend.root / f"clock-{host}").write_text(str(seconds))


def several(course: Course, hosts: Hosts) -> None:
    """Let faults of every kind happen: first to each worker's host, then to the coordinator's."""
    skew(course, hosts)
    database, broker, coordinator = hosts["database"], hosts["broker"], hosts["coordinator"]
    seconds = SHORT_LEASE_SECONDS + 3
    for losses in ([cut(hosts["worker1"], database), hosts["worker2"].loses(broker), hosts["worker3"].frozen()],
                   [database.loses(coordinator), cut(coordinator, broker), database.loses(hosts["worker3"])]):
        with ExitStack() as stack:
            for loss in losses:
                stack.enter_context(loss)
            time.sleep(seconds)


FAULTS = {fault.name: fault for fault in (
    *(Fault(f"{one} and {other} parted", partial(lose, one=one, other=other), every=5.0, most=3)
      for one in ("worker1", "coordinator") for other in PORTS),
    Fault("a host frozen", freeze, most=1),
    Fault("all clocks wrong", skew, every=5.0, most=4),
)}


class TestAnEventOnManyHosts:
    @pytest.mark.faults_long
    @pytest.mark.timeout(1800)
    @pytest.mark.parametrize("name", FAULTS, ids=slugify)
    def test_ends_with_every_result_once(self, backend, hosts, note, name, tmp_path):
        fault = FAULTS[name]
        self.hold(backend, note, tmp_path, BOTS, Fault(
            name, partial(fault.strike, hosts=hosts), every=fault.every, most=fault.most,
            prepare=partial(start, hosts=hosts)))

    def test_ends_with_every_result_once_in_a_short_run(self, backend, hosts, note, tmp_path):
        line = self.hold(backend, note, tmp_path, 8, Fault(
            "many hosts", partial(several, hosts=hosts), most=1,
            prepare=partial(start, hosts=hosts, lease=SHORT_LEASE_SECONDS)))
        assert line.void, "no host lost a lease"

    def hold(self, backend, note, logs, bots, fault):
        line = hold(backend, fault, bots=bots, seed=SEED, logs=logs)
        note(line)
        assert line.times, "the fault did not strike"
        assert not line.broken, "\n".join(line.broken)
        return line
