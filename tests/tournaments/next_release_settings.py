"""The settings of a release that has migrations which this one has not."""

from tournaments.settings import *  # noqa: F403 - all the same

MIGRATION_MODULES = {"tournaments": "tests.tournaments.next_release"}
