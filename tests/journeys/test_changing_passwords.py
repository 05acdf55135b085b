"""The documented procedures for changing the passwords of PostgreSQL and Redis, performed while matches are played."""

import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator

import psycopg
import pytest
import redis

from tests.faults.backend import Backend
from tests.faults.course import PATIENCE_SECONDS, Course, Fault, hold
from tests.faults.machinery.deployment import playing
from tests.faults.machinery.processes import await_true
from tests.faults.site import Service
from tests.ports import reserve_port
from tournaments.models import Attempt
from tournaments.models.lifecycle import AttemptStatus
from tournaments.operations.grants import ROLES
from tournaments.setup.bootstrap.environment import ROOT
from tournaments.setup.embedded import find_postgres_binaries

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]
BOTS = 7
REDIS_USER = "squarefield"


def commands(section: str) -> list[str]:
    """Return the commands in this section of the guide: those before the restarts, and those after."""
    page = (ROOT / "docs/how-to/operator/rotate-secrets.md").read_text(encoding="utf-8")
    text = page.split(f"## {section}\n")[1].split("\n##")[0]
    blocks = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    assert len(blocks) == 2
    return [re.sub("^    ", "", block, flags=re.MULTILINE) for block in blocks]


@pytest.fixture
def backend(django_db_blocker) -> Iterator[Backend]:
    """Return servers that require passwords, except from their owner on this machine."""
    made = Backend()
    try:
        with django_db_blocker.unblock():
            made.start(BOTS, think=0.1)
            rules = made.postgres.cluster / "pg_hba.conf"
            rules.write_text(f"local all {made.postgres.USER} trust\nlocal all all scram-sha-256\n")
            made.postgres.run("pg_ctl", "reload", "-D", str(made.postgres.cluster))
            yield made
    finally:
        made.close()


class Visitor(threading.Thread):
    """A thread that requests a page from the web processes in turn, as a load balancer would.

    The second web process is stopped as soon as the first one answers again. So if the first did not answer, and then
    the second did not either, the first must.
    """

    def __init__(self, ports: list[int]) -> None:
        super().__init__(daemon=True)
        self.ports = ports
        self.visits = 0
        self.turned_away: list[str] = []
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.2):
            said = [self._visit(port) for port in (*self.ports, self.ports[0])]
            self.visits += 1
            if "" not in said:
                self.turned_away.append(" and ".join(said))

    def leave(self) -> None:
        self._over.set()
        self.join()

    @staticmethod
    def _visit(port: int) -> str:
        """Return what went wrong; empty if the page was served."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/events/", timeout=60) as answer:
                return "" if answer.status == 200 else str(answer.status)
        except OSError as error:
            return repr(error)


class Passwords:
    """The passwords of a site, and the operator who changes them."""

    def __init__(self, course: Course) -> None:
        self.site, self.backend = course.site, course.backend
        self.generation = 0
        self.web_ports = [reserve_port(), reserve_port()]
        self.site.port = self.web_ports[0]
        # The visitor sends more requests than a person would.
        self.site.environment["SQUAREFIELD_API_ANONYMOUS"] = "100000"
        # No match is to be replayed, however long a busy machine lets a worker wait.
        self.site.environment |= {"SQUAREFIELD_LEASE_SECONDS": "600", "SQUAREFIELD_SILENCE_SECONDS": "300"}
        self.redis_port = reserve_port()
        with self._owner_of_redis() as owner:
            owner.config_set("port", self.redis_port)
            owner.acl_setuser(REDIS_USER, enabled=True, passwords=[f"+{self.redis_password(0)}"], keys=["*"],
                              channels=["*"], categories=["+@all", "-@admin"])
        for kind in ROLES:
            self.type(commands("Change a password of PostgreSQL")[0], self._words(kind))
        self.visitor = Visitor(self.web_ports)

    def role(self, kind: str, generation: int) -> str:
        return f"site_{kind}_{generation}"

    def password(self, kind: str, generation: int) -> str:
        return f"of-{kind}-{generation}"

    def redis_password(self, generation: int) -> str:
        return f"of-redis-{generation}"

    def environment(self, kind: str) -> dict[str, str]:
        """Return the current environment of a process of this kind."""
        role, password = self.role(kind, self.generation), self.password(kind, self.generation)
        owners = self.site.environment["DATABASE_URL"]
        return {"DATABASE_URL": owners.replace(f"{self.backend.postgres.USER}@", f"{role}:{password}@"),
                "REDIS_URL": f"redis://{REDIS_USER}:{self.redis_password(self.generation)}"
                             f"@127.0.0.1:{self.redis_port}/0"}

    def start(self, command: str, *words: str) -> Service:
        return self.site.start(command, *words, environment=self.environment(command))

    def start_web(self, port: int) -> Service:
        service = self.start("web", "--port", str(port), "--processes", "1")
        assert await_true(lambda: self.visitor._visit(port) == "", PATIENCE_SECONDS), self.site.log_tails()
        return service

    def type(self, script: str, words: dict[str, str]) -> None:
        """Run the documented commands as the owner of the tables and of the servers."""
        database = self.site.environment["DATABASE_URL"].rpartition("/")[2]
        environment = {
            **self.site.environment, "PGHOST": str(self.backend.root / "pg"), "PGUSER": self.backend.postgres.USER,
            "PGDATABASE": database, "REDIS_ADMIN": f"redis://127.0.0.1:{self.redis_port}/0",
            "REDIS_USER": REDIS_USER, **words}
        environment["PATH"] = f"{find_postgres_binaries()}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(["bash", "-eu", "-c", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"

    def change(self) -> None:
        """Change all passwords with the documented commands, and restart the processes one after another."""
        site = self.site
        new_role, without_the_role = commands("Change a password of PostgreSQL")
        new_password, without_the_password = commands("Change the password of Redis")
        self.generation += 1
        for kind in ROLES:
            self.type(new_role, self._words(kind))
        redis_words = {"OLD": self.redis_password(self.generation - 1), "NEW": self.redis_password(self.generation)}
        self.type(new_password, redis_words)

        old_webs = site.of("web")
        for service, port in zip(old_webs, self.web_ports, strict=True):
            site.stop(service)
            self.start_web(port)
        old_coordinators = site.of("coordinator")
        self.start("coordinator")
        site.stop(*old_coordinators)
        old_workers = site.of("worker")
        subprocess.run([sys.executable, "manage.py", "drain", "all"], cwd=ROOT, env=site.environment, check=True,
                       capture_output=True)
        for _ in old_workers:
            self.start("worker", "--concurrency", "1")
        pids = [str(service.pid) for service in old_workers]
        assert await_true(lambda: not playing(pids), PATIENCE_SECONDS), "the workers did not drain"
        site.stop(*old_workers)

        for kind in ROLES:
            self.type(without_the_role, self._words(kind))
        self.type(without_the_password, redis_words)

    def still_accepted(self) -> list[str]:
        """Return old passwords that are still accepted, and new ones that are not."""
        said = []
        for kind in ROLES:
            said += [f"password {generation} of {kind}" for generation in (0, 1)
                     if self._signs_in(kind, generation) != (generation == self.generation)]
        for generation in (0, 1):
            with redis.Redis(port=self.redis_port, username=REDIS_USER,
                             password=self.redis_password(generation)) as client:
                try:
                    taken = client.ping()
                except redis.AuthenticationError:
                    taken = False
            if taken != (generation == self.generation):
                said.append(f"password {generation} of Redis")
        return said

    def _signs_in(self, kind: str, generation: int) -> bool:
        try:
            with psycopg.connect(host=str(self.backend.root / "pg"), dbname="postgres",
                                 user=self.role(kind, generation), password=self.password(kind, generation)):
                return True
        except psycopg.OperationalError as refusal:
            if "password authentication failed" in str(refusal):
                return False
            raise

    def _words(self, kind: str) -> dict[str, str]:
        return {"KIND": kind, "NEW": self.role(kind, self.generation), "OLD": self.role(kind, self.generation - 1),
                "PASSWORD": self.password(kind, self.generation)}

    def _owner_of_redis(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.backend.redis.socket))


def passwords_of(course: Course) -> Passwords:
    passwords = course.memory["passwords"]
    assert isinstance(passwords, Passwords)
    return passwords


def with_passwords(course: Course) -> None:
    """Start the whole site, each kind of process with its own role."""
    passwords = course.memory["passwords"] = Passwords(course)
    for port in passwords.web_ports:
        passwords.start_web(port)
    passwords.start("coordinator")
    for _ in range(2):
        passwords.start("worker", "--concurrency", "1")
    passwords.visitor.start()


def interruptions(course: Course) -> list[str]:
    """Return what went wrong: an interruption, or an old password that is still accepted."""
    passwords = passwords_of(course)
    passwords.visitor.leave()
    said = [f"a visitor was not served: {what}" for what in passwords.visitor.turned_away]
    if not passwords.visitor.visits:
        said.append("no page was requested")
    # A machine that is too busy for a bot's clock says nothing about passwords.
    void = Attempt.objects.filter(match__event=course.event, status=AttemptStatus.VOID)
    reasons = void.exclude(reason__startswith="the host was starved").values_list("reason", flat=True)
    said += [f"a match had to be replayed: {reason}" for reason in reasons]
    return said + passwords.still_accepted()


@pytest.mark.skipif(shutil.which("redis-cli") is None, reason="needs redis-cli")
class TestPasswords:
    @pytest.mark.timeout(900)
    def test_are_changed_during_matches_without_interruption(self, backend, tmp_path):
        fault = Fault("passwords changed", lambda course: passwords_of(course).change(), most=1, prepare=with_passwords,
                      after=interruptions)
        line = hold(backend, fault, bots=BOTS, seed=1, logs=tmp_path)
        assert line.times == 1, "no password was changed during matches"
        assert not line.broken, "; ".join(line.broken)
