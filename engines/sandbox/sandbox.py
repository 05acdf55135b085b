"""The sandbox of this machine: starts staged bots with the strongest isolation that works here."""

from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self
from weakref import WeakSet

from engines.sandbox.isolation.cgroups import Cgroups
from engines.sandbox.isolation.delegation import find_cgroups
from engines.sandbox.isolation.limits import DEFAULT, Limits, Tier
from engines.sandbox.isolation.users import check_users
from engines.sandbox.processes.launch import BareLauncher, Launcher, Tools, find_tools
from engines.sandbox.processes.process import BotProcess
from engines.sandbox.staging.runtime import Build, Runtime
from engines.sandbox.tier import canaries


class Sandbox:
    """Starts bots. `tier` is the strength of the isolation, `reason` the reason why it is not stronger.

    Bots die with the thread that started them, so start them from a thread that outlives them: the main thread.
    """

    def __init__(self, runtime: Runtime, tier: Tier, *, tools: Tools | None = None, cgroups: Cgroups | None = None,
                 reason: str = "") -> None:
        self.runtime = runtime
        self.tier = tier
        self.reason = reason
        self._launcher = BareLauncher() if tools is None else Launcher(runtime.slots, tools, cgroups)
        self._started: WeakSet[BotProcess] = WeakSet()

    @classmethod
    def open(cls, runtime: Runtime | None = None, *, unsafe_local: bool = False) -> Self:
        """Return the sandbox of this machine, after testing it. Raises SandboxUnavailable, which gives the remedy.

        The test takes a second, once for all workers until the next boot or upgrade. This also cleans up after dead
        workers. `unsafe_local` runs bots without isolation, as the caller's user: never use it for untrusted bots.
        """
        runtime = runtime or Runtime()
        if unsafe_local:
            return cls(runtime, Tier.UNSAFE_LOCAL, reason="requested: bots run without isolation")
        tools = find_tools()
        check_users()
        runtime.slots.sweep()
        cgroups, reason = find_cgroups()
        tier, reason = canaries.find_tier(runtime, tools, cgroups, reason)
        return cls(runtime, tier, tools=tools, cgroups=cgroups if tier is Tier.STANDARD else None, reason=reason)

    def start(self, build: Build, *, limits: Limits = DEFAULT) -> BotProcess:
        """Start a bot. Raises SandboxError. A missing command raises nothing: it counts as a crash of the bot."""
        with ExitStack() as undo:
            hold = self.runtime.cache.hold(build.path)
            if hold is not None:
                undo.callback(hold.release)
            process = self._launcher.start(self.runtime.view(bot=build.path), build.manifest.command, limits)
            if hold is not None:
                process.call_at_end(hold.release)
            undo.pop_all()
        self._started.add(process)
        return process

    def start_build(self, source: Path, script: str, command: tuple[str, ...], *, limits: Limits) -> BotProcess:
        """Start a shell script whose arguments are the source, the directory to build in, and the build command."""
        return self._launcher.start_build(self.runtime.view(source=source), script, command, limits)

    def places(self) -> AbstractContextManager[None]:
        """Return a context in which the bots of one match, or fewer, certainly find slots. Raises SlotsInUse."""
        return nullcontext() if self.tier is Tier.UNSAFE_LOCAL else self.runtime.slots.kept()

    def try_out(self) -> None:
        """Start a program that does nothing, to test the sandbox after a failure. Raises SandboxError if it fails."""
        canaries.try_out(self._launcher, self.runtime)

    def close(self) -> None:
        """Kill the bots that are still running. There is nothing else to release."""
        for process in list(self._started):
            process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
