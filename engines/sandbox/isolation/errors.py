"""What can go wrong on our side of the wall. None of it is ever a result against a bot."""


class SandboxError(RuntimeError):
    """The sandbox itself failed: void the attempt, try again; never the bot's fault."""


class SandboxUnavailable(SandboxError):
    """There is nothing here to run bots in. `str()` says the remedy."""


class ArchiveRefused(ValueError):
    """An archive that is not taken. `str()` names the entry at fault and the remedy."""


class BuildFailed(ValueError):
    """A bot's build command failed. `str()` says how, `log` is what it wrote (at most 64 KiB)."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log
