"""Alias of engines.rules.notation, for bots that import it under this name."""

from engines.rules.notation import *  # noqa: F403
