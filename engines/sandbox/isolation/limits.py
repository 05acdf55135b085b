"""The resource limits of bots, and the three tiers of isolation."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

KiB: Final = 1024
MiB: Final = 1024 * KiB


class Tier(StrEnum):
    """The strength of an attempt's sandbox, stored in its record."""

    STANDARD = "standard"
    """Full isolation; cgroups limit memory and tasks and measure CPU time."""
    REDUCED = "reduced"
    """No cgroups: limits per process, a watch on resident memory, wall-clock time instead of CPU time."""
    UNSAFE_LOCAL = "unsafe-local"
    """No isolation: only for the operator's own bots, at the operator's explicit request, and unranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits for one bot, for all its processes together unless stated otherwise.

    `tmp_bytes` and `shm_bytes` are the sizes of in-memory file systems, each with at most `inodes` files.
    `files` (open files), `file_bytes` (per file) and `cpu_seconds` apply to each process; `cpu_seconds` is a
    backstop for bots that are no longer supervised, not the clock of the game. The referee enforces `reply_bytes`,
    `stderr_bytes`, `stderr_kept`, `handshake_seconds` (wall-clock time) and `handshake_cpu_seconds` (from the bot's
    start to the end of the handshake, including its sandbox).
    """

    memory_bytes: int = 512 * MiB
    tasks: int = 64
    files: int = 256
    file_bytes: int = 64 * MiB
    tmp_bytes: int = 64 * MiB
    shm_bytes: int = 16 * MiB
    inodes: int = 8192
    cpu_seconds: int = 3600
    reply_bytes: int = 4 * KiB
    stderr_bytes: int = 8 * MiB
    stderr_kept: int = 64 * KiB
    handshake_seconds: float = 10.0
    handshake_cpu_seconds: float = 5.0


DEFAULT: Final = Limits()
BUILD: Final = Limits(memory_bytes=1024 * MiB, tmp_bytes=256 * MiB, file_bytes=256 * MiB, cpu_seconds=120)
BUILD_SECONDS: Final = 60.0
