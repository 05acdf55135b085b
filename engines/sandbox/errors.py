"""What can go wrong on our side of the wall. None of it is ever a result against a bot."""


class SandboxError(RuntimeError):
    """The sandbox itself failed: void the attempt, try again; never the bot's fault."""


class SandboxUnavailable(SandboxError):
    """There is nothing here to run bots in. `str()` says the remedy."""
