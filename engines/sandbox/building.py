"""A bot's build command: run in a sandbox of its own, on a copy in memory, its result read as an archive.

What the build leaves behind is as strange as an upload. It never lies on the host's disk as the build
made it: the sandbox packs it, and it passes the same checks as an upload.
"""

import os
import select
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engines.sandbox.errors import ArchiveRefused, BuildFailed
from engines.sandbox.limits import BUILD, BUILD_SECONDS, Limits
from engines.sandbox.unpack import MAX_BYTES, Entry, read_entries

if TYPE_CHECKING:
    from engines.sandbox.launch import Sandbox
    from engines.sandbox.process import BotProcess

# $1 is the source, $2 an empty directory, the rest the command. Links are followed here, inside,
# where they lead nowhere; what is packed is files and directories.
SCRIPT: Final = """
cp -R -- "$1/." "$2" && cd "$2" || exit 125
shift 2
"$@" </dev/null >&2 || exit
exec tar --create --dereference --hard-dereference --format=gnu .
"""
_CHUNK: Final = 256 * 1024
_MAX_OUTPUT: Final = MAX_BYTES + 8 * 1024 * 1024


def build(sandbox: "Sandbox", source: Path, command: tuple[str, ...], *, limits: Limits = BUILD,
          seconds: float = BUILD_SECONDS) -> tuple[list[Entry], str]:
    """The files after the build, and what it wrote. Raises BuildFailed or SandboxError."""
    with sandbox.start_build(source, SCRIPT, command, limits=limits) as process:
        output, log = _collect(process, limits.stderr_kept, time.monotonic() + seconds)
        status = process.wait(1.0) if output is not None else None
        memory_exceeded = process.memory_exceeded()
    text = log.decode(errors="backslashreplace")
    if memory_exceeded:
        raise BuildFailed(f"the build took more than {limits.memory_bytes // 1024 // 1024} MB of memory", text)
    if output is None:
        raise BuildFailed(f"the build did not end within {seconds:g} s", text)
    if status != 0:
        raise BuildFailed(f"the build command ended with status {status}", text)
    try:
        return read_entries(output), text
    except ArchiveRefused as refusal:
        raise BuildFailed(f"what the build left cannot be taken: {refusal}", text) from None


def _collect(process: "BotProcess", kept: int, deadline: float) -> tuple[bytes | None, bytes]:
    """Everything on stdout, or None when it is not ended in time; the first and last of stderr."""
    output, log = bytearray(), bytearray()
    poll = select.poll()
    for file in (process.stdout, process.stderr):
        poll.register(file, select.POLLIN)
    opened = 2
    while opened:
        left = deadline - time.monotonic()
        if left <= 0 or len(output) > _MAX_OUTPUT:
            return (None if left <= 0 else bytes(output)), bytes(log)
        for file, _ in poll.poll(left * 1000):
            chunk = os.read(file, _CHUNK)
            if not chunk:
                poll.unregister(file)
                opened -= 1
            elif file == process.stdout:
                output += chunk
            else:
                log += chunk
                if len(log) > kept:
                    del log[kept // 2:len(log) - kept // 2]
    return bytes(output), bytes(log)
