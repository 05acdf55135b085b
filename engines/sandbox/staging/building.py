"""Runs a bot's build command in its own sandbox, on an in-memory copy, and reads the result as an archive.

The result of a build is as untrusted as an upload. It is never written to the host's disk directly:
the sandbox packs it, and it must pass the same checks as an upload.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from engines.sandbox.archives.unpack import MAX_BYTES, Entry, read_entries
from engines.sandbox.isolation.errors import ArchiveRefused, BuildFailed, SandboxError
from engines.sandbox.isolation.limits import BUILD, BUILD_SECONDS, Limits, MiB
from engines.sandbox.processes.collect import collect
from engines.sandbox.processes.process import BotProcess

# $1 is the source, $2 an empty directory, the rest the command. Links are followed here, inside the
# sandbox, where they cannot lead outside; only files and directories are packed.
SCRIPT: Final = """
cp -R -- "$1/." "$2" && cd "$2" || exit 125
shift 2
"$@" </dev/null >&2 || exit
exec tar --create --dereference --hard-dereference --format=gnu .
"""
_MAX_OUTPUT: Final = MAX_BYTES + 8 * MiB


class Builder(Protocol):
    """A sandbox that runs build commands."""

    def start_build(self, source: Path, script: str, command: tuple[str, ...], *, limits: Limits) -> BotProcess:
        """Start a shell script whose arguments are the source, the directory to build in, and the build command."""


def build(sandbox: Builder, source: Path, command: tuple[str, ...], *, limits: Limits = BUILD,
          seconds: float = BUILD_SECONDS, on_log: Callable[[str], None] = lambda _: None) -> tuple[list[Entry], str]:
    """Run a build. Return the resulting files and the output; `on_log` is called repeatedly with the output so far.

    Raises BuildFailed or SandboxError, and any exception from `on_log`.
    """
    with sandbox.start_build(source, SCRIPT, command, limits=limits) as process:
        output = collect(process, seconds, max_stdout=_MAX_OUTPUT, stderr_kept=limits.stderr_kept,
                         on_look=lambda written: on_log(_text(written)))
        status = process.wait(1.0) if output.ended else None
        memory_exceeded = process.memory_exceeded()
    log = _text(output.stderr)
    if status != 0 and process.killed_for_others():
        raise SandboxError("the host ran out of memory, and killed a process of the build")
    if memory_exceeded:
        raise BuildFailed(f"the build used more than {limits.memory_bytes // MiB} MB of memory", log)
    if len(output.stdout) > _MAX_OUTPUT:
        raise BuildFailed(f"the build leaves more than {MAX_BYTES // MiB} MB of files: remove files in the build that "
                          "the bot does not need", log)
    if status is None:
        raise BuildFailed(f"the build did not end within {seconds:g} s", log)
    if status != 0:
        raise BuildFailed(f"the build command ended with status {status}", log)
    try:
        return read_entries(output.stdout), log
    except ArchiveRefused as refusal:
        raise BuildFailed(f"the result of the build was rejected: {refusal}", log) from None


def _text(written: bytes) -> str:
    return written.decode(errors="backslashreplace")
