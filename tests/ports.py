"""TCP ports for servers that a test starts in other processes and that cannot choose a port themselves."""

import socket

_held: list[socket.socket] = []


def reserve_port() -> int:
    """Return a port that no other process is given while this one lives.

    It stays bound here, without listening; a server that sets SO_REUSEADDR, as they all do, can listen on it.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    _held.append(holder)
    return int(holder.getsockname()[1])
