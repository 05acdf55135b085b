"""A bot's build command: run in a sandbox of its own, on a copy in memory, its result read as an archive.

What a build leaves behind is as strange as an upload. It never lies on the host's disk as the build
made it: the sandbox packs it, and it passes the same checks as an upload.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from engines.sandbox.archives.unpack import MAX_BYTES, Entry, read_entries
from engines.sandbox.isolation.errors import ArchiveRefused, BuildFailed
from engines.sandbox.isolation.limits import BUILD, BUILD_SECONDS, Limits, MiB
from engines.sandbox.processes.collect import collect
from engines.sandbox.processes.process import BotProcess

# $1 is the source, $2 an empty directory, the rest the command. Links are followed here, inside,
# where they lead nowhere; what is packed is files and directories.
SCRIPT: Final = """
cp -R -- "$1/." "$2" && cd "$2" || exit 125
shift 2
"$@" </dev/null >&2 || exit
exec tar --create --dereference --hard-dereference --format=gnu .
"""
_MAX_OUTPUT: Final = MAX_BYTES + 8 * MiB


class Builder(Protocol):
    """Where build commands run: an open sandbox."""

    def start_build(self, source: Path, script: str, command: tuple[str, ...], *, limits: Limits) -> BotProcess:
        """Start a shell script whose arguments are the source, the directory to build in, and the build command."""


def build(sandbox: Builder, source: Path, command: tuple[str, ...], *, limits: Limits = BUILD,
          seconds: float = BUILD_SECONDS, on_log: Callable[[str], None] = lambda _: None) -> tuple[list[Entry], str]:
    """The files after the build, and what it wrote; `on_log` is shown what it has written so far, again and again.

    Raises BuildFailed or SandboxError, and what `on_log` raises.
    """
    with sandbox.start_build(source, SCRIPT, command, limits=limits) as process:
        output = collect(process, seconds, max_stdout=_MAX_OUTPUT, stderr_kept=limits.stderr_kept,
                         on_look=lambda written: on_log(_text(written)))
        status = process.wait(1.0) if output.ended else None
        memory_exceeded = process.memory_exceeded()
    log = _text(output.stderr)
    if memory_exceeded:
        raise BuildFailed(f"the build took more than {limits.memory_bytes // MiB} MB of memory", log)
    if len(output.stdout) > _MAX_OUTPUT:
        raise BuildFailed(f"the build leaves more than {MAX_BYTES // MiB} MB: let it remove what the bot "
                          "does not need", log)
    if status is None:
        raise BuildFailed(f"the build did not end within {seconds:g} s", log)
    if status != 0:
        raise BuildFailed(f"the build command ended with status {status}", log)
    try:
        return read_entries(output.stdout), log
    except ArchiveRefused as refusal:
        raise BuildFailed(f"what the build left cannot be taken: {refusal}", log) from None


def _text(written: bytes) -> str:
    return written.decode(errors="backslashreplace")
