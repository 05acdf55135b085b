"""The sandbox for untrusted bots: stages their files and runs them as isolated processes.

    sandbox = Sandbox.open()
    build = sandbox.runtime.stage(archive, sandbox=sandbox)
    with sandbox.start(build) as bot: ...

docs/explanation/sandbox.md describes the isolation and its limits.
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
