"""Where strangers' bots run: staged files, a wrapped process, and walls that were tried out.

    sandbox = Sandbox.open()
    build = sandbox.runtime.stage(archive, sandbox=sandbox)
    with sandbox.start(build) as bot: ...

docs/sandbox.md says what the walls are and where they end.
"""

from engines.sandbox.isolation.errors import ArchiveRefused, BuildFailed, SandboxError, SandboxUnavailable
from engines.sandbox.isolation.limits import DEFAULT, Limits, Tier
from engines.sandbox.processes.process import BotProcess
from engines.sandbox.sandbox import Sandbox
from engines.sandbox.staging.runtime import Build, Runtime

__all__ = [
    "DEFAULT",
    "ArchiveRefused",
    "BotProcess",
    "Build",
    "BuildFailed",
    "Limits",
    "Runtime",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Tier",
]
