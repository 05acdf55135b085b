"""`manage.py migrate`: Django's, on a PostgreSQL that others go on using.

An ALTER TABLE that has to wait for a lock makes everybody wait who comes after it, readers too: a dump or one long
query, and the site stands still. So here no statement waits for long. What cannot be had is given back, everybody
else has their turn, and the migration is tried again.
"""

import random
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# Less than PostgreSQL's deadlock_timeout of a second: where a migration and a worker wait for each other, it is the
# migration that gives up.
LOCK_TIMEOUT_MS = 500
PAUSE_SECONDS = (1.0, 3.0)
# lock_not_available, deadlock_detected
_HELD_UP = ("55P03", "40P01")


class Command(migrate.Command):
    """A migration that is not atomic waits as long as it must: it may hold nothing that others wait for."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--patience", type=float, default=300.0, metavar="SECONDS",
                            help="for how long to try again while others hold what is needed (default 300)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.connection = connections[options["database"]]
        self._refuse_half_made()
        deadline = time.monotonic() + options["patience"]
        while True:
            try:
                return super().handle(*args, **options)
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", None) not in _HELD_UP:
                    raise
                if time.monotonic() > deadline:
                    raise CommandError(
                        "Somebody holds what this migration needs, such as a dump or a long query; pg_stat_activity "
                        "says who. It has changed nothing, those before it stand: run migrate again.") from error
                self.stdout.write("\n  Others hold what it needs; it is tried again.")
                self.stdout.flush()
            finally:
                self._wait_for_locks("DEFAULT")
            time.sleep(random.uniform(*PAUSE_SECONDS))  # noqa: S311 - not for secrets

    def _refuse_half_made(self) -> None:
        applied = MigrationRecorder(self.connection).applied_migrations()
        for migration in MigrationLoader(None).disk_migrations.values():
            done = [replaced in applied for replaced in migration.replaces]
            if any(done) and not all(done):
                raise CommandError(
                    f"This database was made before the first release, and has only some of the migrations that "
                    f"{migration} replaces. Run migrate with the version that made it last, then with this one.")

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's
        super().migration_progress_callback(action, migration, fake)
        if action in {"apply_start", "unapply_start"}:
            self._wait_for_locks(f"{LOCK_TIMEOUT_MS}" if migration.atomic else "0")

    def _wait_for_locks(self, milliseconds: str) -> None:
        """Let this session's statements wait for so long; 0 is for ever, and SQLite has its own way."""
        if self.connection.vendor == "postgresql" and self.connection.connection is not None:
            with self.connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout TO {milliseconds}")
