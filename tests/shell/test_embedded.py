"""Redis and PostgreSQL as child processes: they keep their data in a crash and never outlive their starter."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from tests.waiting import wait_for
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.embedded import EmbeddedRedis, EmbeddedServer, TemporaryPostgres, find_bundled_valkey

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.serial


def connect(server: EmbeddedRedis) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(server.socket))


def query(server: TemporaryPostgres, statement: str) -> object:
    with psycopg.connect(host=str(server.sockets), user=server.USER, dbname=server.DATABASE) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone() if cursor.description else None


class TestEmbeddedRedis:
    @pytest.mark.parametrize("binary", [None, find_bundled_valkey()], ids=["found", "bundled"])
    def test_listens_on_no_port_and_keeps_written_data_when_killed(self, binary: str | None, tmp_path: Path) -> None:
        with EmbeddedRedis(tmp_path, binary=binary) as server:
            assert connect(server).config_get("port") == {"port": "0"}
            connect(server).config_set("appendfsync", "always")
            connect(server).set("key", "value")
            server.kill()
            server.start()
            assert connect(server).get("key") == b"value"
        assert not server.sockets.exists()
        assert (tmp_path / "appendonlydir").exists() or (tmp_path / "appendonly.aof").exists()

    def test_says_why_it_did_not_start(self, tmp_path: Path) -> None:
        with pytest.raises(ChildFailed, match="ended at once"), EmbeddedRedis(tmp_path, binary="/bin/false"):
            pass


class TestTemporaryPostgres:
    @pytest.mark.slow
    def test_listens_on_no_port_keeps_committed_data_when_killed_and_is_removed(self) -> None:
        with TemporaryPostgres() as server:
            assert query(server, "SHOW listen_addresses") == ("",)
            query(server, "CREATE TABLE kept (id int)")
            server.kill()
            server.start()
            assert query(server, "SELECT count(*) FROM kept") == (0,)
        assert not server.sockets.exists()


class TestEmbeddedServer:
    @pytest.fixture
    def short_tmp(self) -> Iterator[str]:
        """Yield a directory with a path short enough for sockets, which any user may enter."""
        with tempfile.TemporaryDirectory(prefix="sqf-") as directory:
            Path(directory).chmod(0o711)
            yield directory

    @pytest.mark.parametrize("server", [
        EmbeddedRedis, pytest.param(TemporaryPostgres, marks=[pytest.mark.slow, pytest.mark.thorough])])
    def test_ends_when_its_starter_is_killed(self, server: type[EmbeddedServer], short_tmp: str) -> None:
        program = (
            f"from tournaments.setup.embedded import {server.__name__}; import time\n"
            f"print({server.__name__}().start().pid, flush=True); time.sleep(600)"
        )
        command = [sys.executable, "-c", program]
        # Removes whatever a killed starter leaves in the temporary directory.
        environment = {**os.environ, "TMPDIR": short_tmp}
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as starter:
            pid = int(starter.stdout.readline())
            assert is_running(pid)
            starter.send_signal(signal.SIGKILL)
        wait_for(lambda: not is_running(pid), "the server to end after its starter")


def is_running(pid: int) -> bool:
    """Return whether the process exists and has not ended; a zombie only waits for its new parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
