"""Starts programs, in the sandbox or without isolation."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Concatenate, Final, ParamSpec

from engines.sandbox.isolation import bubblewrap
from engines.sandbox.isolation.cgroups import Cgroups, Group
from engines.sandbox.isolation.enter import entered
from engines.sandbox.isolation.errors import SandboxError, SandboxUnavailable
from engines.sandbox.isolation.limits import Limits
from engines.sandbox.isolation.slots import Slot, Slots
from engines.sandbox.processes.pipes import Pipes, Standard
from engines.sandbox.processes.process import BotProcess
from engines.sandbox.processes.process1 import Process1
from engines.sandbox.processes.watch import MemoryWatch
from engines.sandbox.seccomp import filter_file

_REMEDIES: Final = {"bwrap": "apt-get install bubblewrap", "perl": "apt-get install perl-base"}
# A missing command is a crash of the bot, which a shell reports. Without the shell, bubblewrap itself would fail.
_SHELL: Final = ("/bin/sh", "-c", 'exec "$@"', "bot")

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs that the sandbox needs."""

    bwrap: str
    perl: str


def find_tools() -> Tools:
    """Find the programs on this machine. Raises SandboxUnavailable with the command that installs a missing one."""
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable("the sandbox needs Linux namespaces: run the workers on Linux")
    searched = os.pathsep.join((os.environ.get("PATH", ""), bubblewrap.PATH))
    found: dict[str, str] = {}
    for name, remedy in _REMEDIES.items():
        path = shutil.which(name, path=searched)
        if path is None:
            raise SandboxUnavailable(f"{name} is not installed: {remedy}")
        found[name] = path
    return Tools(**found)


class Launcher:
    """Starts programs in bubblewrap, and in a cgroup if cgroups are available."""

    def __init__(self, slots: Slots, tools: Tools, cgroups: Cgroups | None = None) -> None:
        self._slots = slots
        self._tools = tools
        self._cgroups = cgroups

    def start(self, view: bubblewrap.View, command: tuple[str, ...], limits: Limits) -> BotProcess:
        """Start a program. Raises SandboxError. A missing command raises nothing: the started process fails."""
        return _guarded(self._wrapped, view, command, limits)

    def start_build(self, view: bubblewrap.View, script: str, command: tuple[str, ...], limits: Limits) -> BotProcess:
        """Start a shell script whose arguments are the source, the directory to build in, and the build command."""
        words = ("/bin/sh", "-c", script, "build", bubblewrap.SOURCE_DIRECTORY, bubblewrap.BOT_DIRECTORY, *command)
        return self.start(view, words, limits)

    def _wrapped(self, undo: ExitStack, view: bubblewrap.View, command: tuple[str, ...],
                 limits: Limits) -> BotProcess:
        """Start bubblewrap, put it into its cgroup, and only then send its arguments.

        bubblewrap waits for its arguments, so no process that it starts is ever outside the cgroup.
        """
        slot = self._slots.take()
        undo.callback(slot.release)
        group = self._make_group(slot, limits)
        if group is not None:
            undo.callback(group.remove)
        with Pipes(undo) as pipes:
            theirs, ours = pipes.standard()
            status, their_status = pipes.from_child()
            their_arguments, arguments = pipes.message()
            seccomp = pipes.open(filter_file(memory_counted=group is not None))
            words = self._command_line(slot, view, their_arguments, command, limits)
            popen = _popen(undo, words, theirs, env={}, pass_fds=(their_arguments, their_status, seccomp))
            if group is not None:
                group.attach(popen.pid)
            arguments.send(bubblewrap.arguments(view, seccomp=seccomp, status=their_status))
        os.set_blocking(status, False)
        process_1 = Process1(popen, status)
        watch = MemoryWatch(process_1, limits.memory_bytes) if group is None else None
        return BotProcess(popen, ours, process_1=process_1, group=group, slot=slot, watch=watch)

    def _make_group(self, slot: Slot, limits: Limits) -> Group | None:
        if self._cgroups is None:
            slot.note(())
            return None
        name = f"{slot.number}-{token_hex(4)}"
        # Recorded before it is made, so that a worker that is killed, or cannot write, leaves no unrecorded group.
        slot.note(self._cgroups.places(name))
        return self._cgroups.make(name, limits)

    def _command_line(self, slot: Slot, view: bubblewrap.View, arguments: int, command: tuple[str, ...],
                      limits: Limits) -> list[str]:
        words = [self._tools.bwrap, "--args", str(arguments), "--", *_SHELL, *command]
        # If root started bubblewrap, the bot would still have uid 0 for the kernel.
        return entered(self._tools.perl, words, worker=os.getpid(), uid=slot.uid if os.geteuid() == 0 else None,
                       core=_core(slot), file_systems=bubblewrap.file_systems(view, limits), inodes=limits.inodes,
                       limits=bubblewrap.resource_limits(limits, memory_counted=self._cgroups is not None))


class BareLauncher:
    """Starts programs without isolation, as the caller's user: only for the operator's own bots."""

    def start(self, view: bubblewrap.View, command: tuple[str, ...], limits: Limits) -> BotProcess:
        """Start a program in the bot's directory, without limits. Raises SandboxError."""
        assert view.bot is not None
        return _guarded(_bare, view.sdk, command, view.bot)

    def start_build(self, view: bubblewrap.View, script: str, command: tuple[str, ...], limits: Limits) -> BotProcess:
        """Start a shell script as `Launcher.start_build` does, in a new directory next to the source."""
        assert view.source is not None
        work = view.source.parent / "work"
        work.mkdir()
        words = ("/bin/sh", "-c", script, "build", str(view.source), str(work), *command)
        return _guarded(_bare, view.sdk, words, work)


def _bare(undo: ExitStack, sdk: Path, command: tuple[str, ...], directory: Path) -> BotProcess:
    environment = {"PATH": os.environ.get("PATH", bubblewrap.PATH), "HOME": str(directory), "LANG": "C.UTF-8",
                   "PYTHONPATH": str(sdk), "PYTHONDONTWRITEBYTECODE": "1"}
    with Pipes(undo) as pipes:
        theirs, ours = pipes.standard()
        return BotProcess(_popen(undo, [*_SHELL, *command], theirs, env=environment, cwd=directory), ours)


def _core(slot: Slot) -> int | None:
    """Return the core for a slot, or None if there are more slots than cores. Slots are taken lowest number first."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[slot.number] if slot.number < len(cores) else None


def _guarded(start: Callable[Concatenate[ExitStack, P], BotProcess], *args: P.args, **kwargs: P.kwargs) -> BotProcess:
    """Call a start function; if it fails, release everything that it acquired."""
    try:
        with ExitStack() as undo:
            process = start(undo, *args, **kwargs)
            undo.pop_all()
            return process
    except OSError as fault:
        raise SandboxError(f"the sandbox failed to start: {fault}") from fault


def _popen(undo: ExitStack, words: list[str], theirs: Standard, *, env: dict[str, str], cwd: Path | None = None,
           pass_fds: tuple[int, ...] = ()) -> "subprocess.Popen[bytes]":
    # Use a separate session: Ctrl-C in the worker's terminal must not look like a bot's crash.
    popen = subprocess.Popen(words, stdin=theirs.stdin, stdout=theirs.stdout, stderr=theirs.stderr, env=env, cwd=cwd,
                             pass_fds=pass_fds, start_new_session=True)
    undo.callback(popen.wait)
    undo.callback(popen.kill)
    return popen
