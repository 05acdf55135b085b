"""`manage.py migrate`: Django's command, made safe on a PostgreSQL database that is in use.

An ALTER TABLE that waits for a lock blocks all later statements on the table, reads included. One dump or one long
query would then stop the site. So no statement here waits for long: if it cannot get its lock, the migration is rolled
back, other statements proceed, and the migration is retried.
"""

import random
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from engines.rules.registry import versions
from tournaments.platform.database import is_pooled
from tournaments.services.matches import releases

# Less than PostgreSQL's deadlock_timeout of one second: if a migration and a worker wait for each other, the migration
# gives up.
LOCK_TIMEOUT_MS = 500
PAUSE_SECONDS = (1.0, 3.0)
# lock_not_available, deadlock_detected
_HELD_UP = ("55P03", "40P01")


class Command(migrate.Command):
    """Django's command with lock timeouts and retries.

    A migration that is not atomic has no lock timeout, because it may hold no locks that others wait for.
    """

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--patience", type=float, default=300.0, metavar="SECONDS",
                            help="seconds to keep retrying while other sessions hold the locks (default: 300)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.connection = connections[options["database"]]
        if is_pooled(self.connection):
            raise CommandError("DATABASE_URL leads to a pooler such as PgBouncer, where a lock timeout would reach "
                               "other processes. Run migrate with a DATABASE_URL that leads to PostgreSQL itself.")
        self._refuse_half_made()
        deadline = time.monotonic() + options["patience"]
        while True:
            try:
                super().handle(*args, **options)
                return self._declare_rules(options)
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", None) not in _HELD_UP:
                    raise
                if time.monotonic() > deadline:
                    raise CommandError(
                        "Another session holds a lock that this migration needs, such as a dump or a long query; see "
                        "pg_stat_activity. This migration has changed nothing, and the ones before it are applied: run "
                        "migrate again.") from error
                self.stdout.write("\n  Another session holds a lock that it needs; retrying.")
                self.stdout.flush()
            finally:
                self._wait_for_locks("DEFAULT")
            time.sleep(random.uniform(*PAUSE_SECONDS))  # noqa: S311 - not for secrets

    def _declare_rules(self, options: dict[str, Any]) -> None:
        """Declare the rules of this release, unless only a part of the migrations was wanted."""
        if options["app_label"] or options["plan"] or options["check_unapplied"]:
            return
        for name in releases.declare(versions(), settings.VERSION, now=timezone.now()):
            self.stdout.write(f"  {name} plays by other rules than this release, and drains: upgrade it.")

    def _refuse_half_made(self) -> None:
        applied = MigrationRecorder(self.connection).applied_migrations()
        for migration in MigrationLoader(None).disk_migrations.values():
            done = [replaced in applied for replaced in migration.replaces]
            if any(done) and not all(done):
                raise CommandError(
                    f"This database was created before the first release, and has only some of the migrations that "
                    f"{migration} replaces. Run migrate with the version that it last ran with, then with this one.")

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's
        super().migration_progress_callback(action, migration, fake)
        if action in {"apply_start", "unapply_start"}:
            self._wait_for_locks(f"{LOCK_TIMEOUT_MS}" if migration.atomic else "0")

    def _wait_for_locks(self, milliseconds: str) -> None:
        """Set this session's lock timeout, and let its transactions pause. 0 means no limit. Does nothing on SQLite."""
        if self.connection.vendor == "postgresql" and self.connection.connection is not None:
            with self.connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout TO {milliseconds}")
                cursor.execute("SET idle_in_transaction_session_timeout TO 0")
