"""A port for a server that a test starts."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


def reserve_port() -> socket.socket:
    """Return a bound socket, whose port no other program gets while it is open, but a server can listen on.

    Linux lets a server share the port of a socket that does not listen, if both set SO_REUSEADDR or SO_REUSEPORT.
    """
    held = socket.socket()
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        held.setsockopt(socket.SOL_SOCKET, option, 1)
    held.bind(("127.0.0.1", 0))
    return held


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port that is reserved until the end of the block."""
    with reserve_port() as held:
        yield held.getsockname()[1]


def serves(port: int) -> bool:
    """Return whether a process listens on the port."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
