"""The documented procedures for changing passwords of PostgreSQL and Redis; nothing that uses the old one breaks."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
import redis
from django.db import connection

from tests.ports import reserve_port
from tests.tournaments.site import ROOT
from tournaments.setup.embedded import EmbeddedRedis, find_postgres_binaries

pytestmark = [pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]
REDIS_USER = "squarefield"


def commands(section: str) -> list[str]:
    """Return the commands in this section of the guide: those before the restarts, and those after."""
    page = (ROOT / "docs/how-to/operator/rotate-secrets.md").read_text(encoding="utf-8")
    text = page.split(f"## {section}\n")[1].split("\n##")[0]
    blocks = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    assert len(blocks) == 2
    return [re.sub("^    ", "", block, flags=re.MULTILINE) for block in blocks]


def type_in(script: str, environment: dict[str, str]) -> None:
    done = subprocess.run(["bash", "-eu", "-c", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"


class TestAPasswordOfPostgres:
    """The test's server admits every role that exists without asking for its password."""

    KIND, OLD, NEW = "worker", "passwords_test_old", "passwords_test_new"

    @pytest.fixture
    def environment(self, site_environment) -> Iterator[dict[str, str]]:
        facts = connection.settings_dict
        yield {**site_environment, "PATH": f"{find_postgres_binaries()}{os.pathsep}{site_environment['PATH']}",
               "PGHOST": facts["HOST"], "PGPORT": str(facts["PORT"]), "PGUSER": facts["USER"],
               "PGPASSWORD": facts["PASSWORD"], "PGDATABASE": facts["NAME"], "KIND": self.KIND}
        with connection.cursor() as cursor:
            for role in (self.OLD, self.NEW):
                cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
                if cursor.fetchone():
                    cursor.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")

    def sign_in(self, role: str) -> psycopg.Connection:
        facts = connection.settings_dict
        return psycopg.connect(host=facts["HOST"], port=facts["PORT"] or None, dbname=facts["NAME"], user=role,
                               password="of no use", autocommit=True)

    def test_is_changed_by_a_second_role_while_the_first_still_works(self, environment):
        new_role, without_the_old = commands("Change a password of PostgreSQL")
        type_in(new_role, {**environment, "OLD": "", "NEW": self.OLD, "PASSWORD": "one"})
        with self.sign_in(self.OLD) as old:
            type_in(new_role, {**environment, "OLD": self.OLD, "NEW": self.NEW, "PASSWORD": "two"})
            with self.sign_in(self.NEW) as new:
                for session in (old, new):
                    assert session.execute("SELECT count(*) FROM tournaments_match").fetchone() == (0,)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(DISTINCT rolpassword) FROM pg_authid WHERE rolname IN (%s, %s)",
                           [self.OLD, self.NEW])
            assert cursor.fetchone() == (2,), "each role has a password of its own"
        type_in(without_the_old, {**environment, "OLD": self.OLD, "NEW": self.NEW})
        with pytest.raises(psycopg.OperationalError, match=f'role "{self.OLD}" does not exist'):
            self.sign_in(self.OLD)
        with self.sign_in(self.NEW) as new:
            assert new.execute("SELECT count(*) FROM tournaments_match").fetchone() == (0,)


@pytest.mark.skipif(shutil.which("redis-cli") is None, reason="needs redis-cli")
class TestThePasswordOfRedis:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        with EmbeddedRedis(binary=shutil.which("redis-server")) as server:
            with redis.Redis(unix_socket_path=str(server.socket)) as owner:
                port = reserve_port()
                owner.config_set("port", port)
                owner.acl_setuser(REDIS_USER, enabled=True, passwords=["+one"], keys=["*"], channels=["*"],
                                  categories=["+@all", "-@admin"])
            yield port

    def test_is_changed_by_a_second_one_while_the_first_still_works(self, port):
        second, without_the_first = commands("Change the password of Redis")
        words = {**os.environ, "REDIS_ADMIN": f"redis://127.0.0.1:{port}/0", "REDIS_USER": REDIS_USER, "OLD": "one",
                 "NEW": "two"}

        def client(password: str) -> redis.Redis:
            return redis.Redis(port=port, username=REDIS_USER, password=password)

        with client("one") as old, client("two") as new:
            assert old.ping()
            type_in(second, words)
            assert new.ping()
            with client("one") as another:
                assert another.ping()
            type_in(without_the_first, words)
            assert old.ping(), "a client that is signed in stays so"
            assert new.ping()
        with client("one") as late, pytest.raises(redis.AuthenticationError):
            late.ping()
