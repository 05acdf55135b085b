"""Hosts: network namespaces on one bridge, whose packets to each other can be lost in either direction.

They share this machine's files, Unix sockets and processes. Needs root and `ip`.
"""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shutil import which
from typing import Self

from tests.faults.machinery.network import run_ip
from tests.faults.machinery.processes import family, stopped

_CARD = "eth0"
# No card has this address, so that the bridge delivers frames for it to no one.
_NOWHERE = "02:00:00:00:00:01"


class Host:
    """A namespace with the address `address`, in which commands run that start with `within`."""

    def __init__(self, name: str, namespace: str, address: str) -> None:
        self.name, self.namespace, self.address = name, namespace, address

    @property
    def within(self) -> list[str]:
        """Return the prefix for commands that run here."""
        # `ip netns exec` would hide the cgroups, because it mounts a new /sys.
        return [which("nsenter") or "nsenter", f"--net=/run/netns/{self.namespace}"]

    @contextmanager
    def loses(self, other: "Host") -> Iterator[None]:
        """During the block, lose all packets from here to the other host. Neither of the two is notified."""
        neighbour = ["-n", self.namespace, "neigh"]
        run_ip(*neighbour, "replace", other.address, "lladdr", _NOWHERE, "dev", _CARD, "nud", "permanent")
        try:
            yield
        finally:
            run_ip(*neighbour, "del", other.address, "dev", _CARD)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes here during the block, with the bots that they started."""
        listed = run_ip("netns", "pids", self.namespace).split()
        with stopped([pid for service in listed for pid in family(int(service))]):
            yield


class Hosts:
    """A bridge, in a namespace of its own so that no firewall of this machine filters its packets, and hosts."""

    def __init__(self, *names: str) -> None:
        number = os.getpid() % 8191
        self._bridge = f"sqfh{number}"
        # Addresses from the block for tests between networks (RFC 2544).
        first = 0xC612_0000 + number * 16
        self._hosts = {name: Host(name, f"{self._bridge}-{name}", socket.inet_ntoa((first + last).to_bytes(4)))
                       for last, name in enumerate(names, start=1)}

    def __getitem__(self, name: str) -> Host:
        return self._hosts[name]

    def __enter__(self) -> Self:
        self._forget()
        try:
            self._create(self._bridge)
            run_ip("-n", self._bridge, "link", "add", "name", "bridge", "up", "type", "bridge")
            for host in self._hosts.values():
                self._create(host.namespace)
                run_ip("-n", self._bridge, "link", "add", "name", host.name, "up", "master", "bridge", "type", "veth",
                       "peer", "name", _CARD, "netns", host.namespace)
                run_ip("-n", host.namespace, "addr", "add", f"{host.address}/28", "dev", _CARD)
                run_ip("-n", host.namespace, "link", "set", _CARD, "up")
        except BaseException:
            self._forget()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()

    @classmethod
    def refused(cls) -> str:
        """Return why hosts cannot be set up; empty if they can."""
        try:
            with cls("one"):
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            return f"needs network namespaces: {getattr(error, 'stderr', '') or error}".strip()

    def _create(self, namespace: str) -> None:
        run_ip("netns", "add", namespace)
        run_ip("-n", namespace, "link", "set", "lo", "up")

    def _forget(self) -> None:
        # A killed run with the same number may have left them.
        for namespace in (*(host.namespace for host in self._hosts.values()), self._bridge):
            with suppress(subprocess.CalledProcessError):
                run_ip("netns", "del", namespace)
