"""The names that uploaded bots were written against; engines.rules.notation holds them."""

from engines.rules.notation import *  # noqa: F403
