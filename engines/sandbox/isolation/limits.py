"""What a bot may use, and the three kinds of wall it can stand behind."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

KiB: Final = 1024
MiB: Final = 1024 * KiB


class Tier(StrEnum):
    """How strong the sandbox of an attempt was; kept on its record."""

    STANDARD = "standard"
    """Every wall stands; cgroups bound memory and tasks and count CPU time."""
    REDUCED = "reduced"
    """No cgroups: limits by process, a watch on resident memory, wall time instead of CPU time."""
    UNSAFE_LOCAL = "unsafe-local"
    """No wall at all: the operator's own bots, at the operator's explicit wish, unranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds for one bot, all its processes together unless said otherwise.

    `tmp_bytes` and `shm_bytes` are the sizes of file systems in memory, each with at most `inodes` files.
    `files` (open), `file_bytes` (one file) and `cpu_seconds` hold for each process; `cpu_seconds` is a
    backstop for bots that nobody watches any more, not the clock of the game. `reply_bytes`, `stderr_bytes`,
    `stderr_kept`, `handshake_seconds` (wall time) and `handshake_cpu_seconds` (from the bot's start to the
    handshake's end, its sandbox included) are the referee's to enforce.
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
