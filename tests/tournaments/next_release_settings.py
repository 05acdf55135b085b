"""Settings of the next release, which has additional migrations."""

from tournaments.settings import *  # noqa: F403 - otherwise the same settings

MIGRATION_MODULES = {"tournaments": "tests.tournaments.next_release"}
