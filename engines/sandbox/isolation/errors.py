"""The errors of the sandbox and of submissions."""

from engines.public import Copyable


class SandboxError(Copyable, RuntimeError):
    """The sandbox itself failed. This is never the bot's fault: the attempt is void and must be retried."""


class SandboxUnavailable(SandboxError):
    """This machine has no working sandbox. `str()` gives the remedy."""


class ArchiveRefused(ValueError):
    """An archive was rejected. `str()` names the entry at fault and the remedy."""


class BuildFailed(Copyable, ValueError):
    """A bot's build command failed. `str()` gives the reason; `log` is its output (at most 64 KiB)."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log
