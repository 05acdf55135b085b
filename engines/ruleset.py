"""The names that uploaded bots were written against; engines.rules.ruleset holds them."""

from engines.rules.ruleset import *  # noqa: F403
