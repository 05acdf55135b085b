"""A PgBouncer in transaction mode, as a child process, in front of a PostgreSQL that listens on a Unix socket."""

import os
import signal
import socket
from pathlib import Path
from shutil import which

from tournaments.setup.bootstrap.children import Child, tied_to_parent
from tournaments.setup.embedded import EmbeddedServer, unprivileged_prefix

# Another PgBouncer than Debian's, to test with.
BINARY = os.environ.get("SQUAREFIELD_PGBOUNCER") or which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
_SETTINGS = """[databases]
* = host={server}

[pgbouncer]
listen_addr =
unix_socket_dir = {sockets}
listen_port = 5432
auth_type = trust
auth_file = {users}
admin_users = {user}
pool_mode = transaction
default_pool_size = {size}
"""


class PgBouncer(EmbeddedServer):
    """Server that shares `size` connections for each role and database; `users` may sign in."""

    def __init__(self, server: str, *users: str, size: int) -> None:
        self.server, self.users, self.size = server, users, size
        super().__init__()

    def build_child(self) -> Child:
        users, settings = self.directory / "users", self.directory / "pgbouncer.ini"
        users.write_text("".join(f'"{user}" ""\n' for user in self.users))
        settings.write_text(_SETTINGS.format(server=self.server, sockets=self.sockets, users=users, size=self.size,
                                             user=self.users[0]))
        command = [*unprivileged_prefix(self.sockets, self.directory, users, settings),
                   *tied_to_parent([str(BINARY), str(settings)])]
        # At once: the other signals let newer releases wait for their clients.
        return Child(command, self.directory / "pgbouncer.log", stop_signal=signal.SIGQUIT)

    def ready(self) -> bool:
        with socket.socket(socket.AF_UNIX) as caller:
            return caller.connect_ex(str(Path(self.sockets) / ".s.PGSQL.5432")) == 0
