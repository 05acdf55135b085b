"""Determines the tier of this machine by running a probe inside the sandbox."""

import hashlib
import json
import os
from pathlib import Path
from typing import Final

from engines.sandbox.isolation.bubblewrap import SDK_DIRECTORY
from engines.sandbox.isolation.cgroups import Cgroups
from engines.sandbox.isolation.errors import SandboxError, SandboxUnavailable
from engines.sandbox.isolation.limits import Limits, MiB, Tier
from engines.sandbox.processes.collect import collect
from engines.sandbox.processes.launch import BareLauncher, Launcher, Tools
from engines.sandbox.processes.process import BotProcess
from engines.sandbox.seccomp import filter_file
from engines.sandbox.staging.runtime import Runtime

PROBE: Final = f"{SDK_DIRECTORY}/squarefield/_core/engines/sandbox/tier/probe.py"
PROBE_LIMITS: Final = Limits(memory_bytes=64 * MiB, tasks=12)
GLUTTON: Final = "hoard = bytearray(b'x') * 256 * 2**20; print('took 256 MB', flush=True)"
_SECONDS: Final = 20.0
_KEPT: Final = 4096
_ROOM: Final = MiB
_SEE: Final = "see docs/reference/host-requirements.md"


def find_tier(runtime: Runtime, tools: Tools, cgroups: Cgroups | None, reason: str) -> tuple[Tier, str]:
    """Return the best tier that works here, and why no better one does. Raises SandboxUnavailable if none works.

    The result is stored until the next boot or upgrade, so that only one worker runs the test.
    """
    with runtime.locked("canaries"):
        stamp = runtime.root / "staging" / f"{_key(runtime, tools, cgroups, reason)}.tier"
        if stamp.exists():
            found = json.loads(stamp.read_text())
            tier, reason = Tier(found["tier"]), found["reason"]
        else:
            tier, reason = _try_out(runtime, tools, cgroups, reason)
            # Write it atomically: a truncated file, from a full disk or a killed worker, would stop all later workers.
            unfinished = stamp.with_suffix(".new")
            unfinished.write_text(json.dumps({"tier": tier, "reason": reason}))
            unfinished.rename(stamp)
    return tier, reason


def _try_out(runtime: Runtime, tools: Tools, cgroups: Cgroups | None, reason: str) -> tuple[Tier, str]:
    if cgroups is not None:
        try:
            holes = find_holes(Launcher(runtime.slots, tools, cgroups), runtime, memory_counted=True)
        except SandboxError as fault:
            holes = {"start": [str(fault)]}
        if not holes:
            return Tier.STANDARD, ""
        reason = f"with cgroups, the isolation failed its test: {_in_words(holes)}"
    try:
        holes = find_holes(Launcher(runtime.slots, tools), runtime, memory_counted=False)
    except SandboxUnavailable:
        raise
    except SandboxError as fault:
        raise SandboxUnavailable(f"bubblewrap cannot work here: {fault}; {_SEE}") from fault
    if holes:
        raise SandboxUnavailable(f"the sandbox starts, but its isolation failed the test: {_in_words(holes)}; {_SEE}")
    return Tier.REDUCED, reason


def find_holes(launcher: Launcher, runtime: Runtime, *, memory_counted: bool) -> dict[str, list[str]]:
    """Return the holes in the isolation by kind of test. Raises SandboxError if the sandbox does not even start."""
    wanted = {"tmp_bytes": PROBE_LIMITS.tmp_bytes, "shm_bytes": PROBE_LIMITS.shm_bytes, "inodes": PROBE_LIMITS.inodes,
              "tasks": PROBE_LIMITS.tasks, "memory_counted": memory_counted}
    with _start(launcher, runtime, PROBE, json.dumps(wanted)) as process:
        output = collect(process, _SECONDS, max_stdout=_KEPT, stderr_kept=_KEPT)
        cpu_seconds = process.cpu_seconds()
    try:
        holes: dict[str, list[str]] = json.loads(output.stdout)
    except ValueError:
        said = (output.stderr or output.stdout).decode(errors="replace").strip()
        raise SandboxError(said or "the probe printed nothing") from None
    if memory_counted and not cpu_seconds:
        holes["cpu"] = ["CPU time is not measured"]
    with _start(launcher, runtime, "-c", GLUTTON) as process:
        output = collect(process, _SECONDS, max_stdout=_KEPT, stderr_kept=_KEPT)
        if output.stdout or (memory_counted and not process.memory_exceeded()):
            holes["memory"] = [*holes.get("memory", []), "256 MB allocated with a limit of 64 MB"]
    return holes


def try_out(launcher: Launcher | BareLauncher, runtime: Runtime) -> None:
    """Start a program that does nothing. Raises SandboxError if that fails, or if there is no disk space for a bot."""
    room = runtime.root / "staging" / f"{os.getpid()}.room"
    try:
        room.write_bytes(bytes(_ROOM))
    except OSError as fault:
        raise SandboxError(f"there is no room in {runtime.root}: {fault.strerror}") from fault
    finally:
        room.unlink(missing_ok=True)
    with _start(launcher, runtime, "-c", "") as process:
        if (status := process.wait(_SECONDS)) != 0:
            raise SandboxError(f"a program that does nothing exited with status {status}")


def _start(launcher: Launcher | BareLauncher, runtime: Runtime, *words: str) -> BotProcess:
    """Start Python with these arguments. There is no bot, so any staged directory can stand in for the bot's."""
    return launcher.start(runtime.view(bot=runtime.sdk()), ("python3", "-I", *words), PROBE_LIMITS)


def _key(runtime: Runtime, tools: Tools, cgroups: Cgroups | None, reason: str) -> str:
    """Return a key that changes with everything that affects the result."""
    programs = [os.stat(path) for path in (tools.bwrap, tools.perl)]
    facts = (Path("/proc/sys/kernel/random/boot_id").read_text(), os.geteuid(), runtime.sdk(),
             [(program.st_size, program.st_mtime_ns) for program in programs], cgroups.place if cgroups else reason,
             filter_file(memory_counted=True).read_bytes(), filter_file(memory_counted=False).read_bytes())
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _in_words(holes: dict[str, list[str]]) -> str:
    return "; ".join(f"{wall}: {', '.join(found[:3])}" for wall, found in holes.items())
