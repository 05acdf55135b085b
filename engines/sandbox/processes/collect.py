"""Collects the output of a short-lived process in the sandbox, within limits."""

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engines.sandbox.processes.process import BotProcess

_CHUNK: Final = 256 * 1024
LOOK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a process. `ended` is true if both pipes reached their end in time and within the limits."""

    stdout: bytes
    stderr: bytes
    ended: bool


def collect(process: BotProcess, seconds: float, *, max_stdout: int, stderr_kept: int,
            on_look: Callable[[bytes], None] = lambda _: None) -> Output:
    """Read both pipes to their end; of stderr, only the first and last `stderr_kept` / 2 bytes are stored.

    `on_look` is called about every LOOK_SECONDS with the stored stderr; an exception from it aborts the reading.
    """
    deadline = time.monotonic() + seconds
    next_look = time.monotonic() + LOOK_SECONDS
    stdout, stderr = bytearray(), bytearray()
    poll = select.poll()
    opened = {process.stdout: stdout, process.stderr: stderr}
    for file in opened:
        poll.register(file, select.POLLIN)
    while opened and (left := deadline - time.monotonic()) > 0 and len(stdout) <= max_stdout:
        for file, _ in poll.poll(min(left, LOOK_SECONDS) * 1000):
            chunk = os.read(file, _CHUNK)
            opened[file].extend(chunk)
            if not chunk:
                poll.unregister(file)
                del opened[file]
        if len(stderr) > stderr_kept:
            del stderr[stderr_kept // 2:len(stderr) - stderr_kept // 2]
        if time.monotonic() >= next_look:
            on_look(bytes(stderr))
            next_look = time.monotonic() + LOOK_SECONDS
    return Output(bytes(stdout), bytes(stderr), ended=not opened)
