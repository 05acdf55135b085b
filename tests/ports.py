"""TCP ports for servers that a test starts in other processes and that cannot choose a port themselves."""

import socket

_held: list[socket.socket] = []


def reserve_port() -> int:
    """Return a port that no other process is given while this one lives.

    It stays bound here, without listening. Linux lets a server share it, if both set SO_REUSEADDR or SO_REUSEPORT.
    """
    holder = socket.socket()
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        holder.setsockopt(socket.SOL_SOCKET, option, 1)
    holder.bind(("127.0.0.1", 0))
    _held.append(holder)
    return int(holder.getsockname()[1])


def serves(port: int) -> bool:
    """Return whether a process listens on the port."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
