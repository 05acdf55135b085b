"""Alias of engines.rules.ruleset, for bots that import it under this name."""

from engines.rules.ruleset import *  # noqa: F403
