"""`manage.py grant_roles`."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction
from environ import Env

from tournaments.operations.grants import ROLES, login, session_settings, statements


class Command(BaseCommand):
    help = (
        "Grant PostgreSQL roles the privileges that web, coordinator and workers need, and revoke all others. Run it "
        "as the tables' owner after every `migrate`. It also stores the settings of the service's connections with "
        "the roles, for connections through a pooler."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for role in ROLES:
            parser.add_argument(f"--{role}", metavar="ROLE", help=f"role that {role} processes sign in as")
            parser.add_argument(f"--{role}-url", metavar="FILE", help=f"file with DATABASE_URL of {role} processes: "
                                "create the role that it names, or set its password, and grant its privileges")
        parser.add_argument("--print", action="store_true", dest="only_print",
                            help="print the statements instead of running them")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Only PostgreSQL has roles: there is nothing to grant on this database.")
        logins = {role: login_in(options[f"{role}_url"]) for role in ROLES if options[f"{role}_url"]}
        named = {role: options[role] for role in ROLES if options[role]}
        named |= {role: name for role, (name, _) in logins.items()}
        if not named:
            raise CommandError(f"Name at least one role: {', '.join(f'--{role}' for role in ROLES)}.")
        every = [statement for role, name in named.items() for statement in statements(role, name, connection)]
        by_role = [statement for name in named.values() for statement in session_settings(name, connection)]
        if options["only_print"]:
            self.stdout.write("".join(f"{statement};\n" for statement in [*every, *by_role]))
            return
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                for name, password in logins.values():
                    cursor.execute(login(name, password, connection))
                for statement in every:
                    cursor.execute(statement)
        except DatabaseError as error:
            raise CommandError(f"Nothing was granted: {str(error).strip()}") from None
        self.stdout.write(f"{', '.join(f'{name} as {role}' for role, name in named.items())}: granted.")
        self._set(by_role)

    def _set(self, by_role: Sequence[str]) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                for statement in by_role:
                    cursor.execute(statement)
        except DatabaseError as error:
            self.stderr.write(f"The roles' settings were not changed: {str(error).strip()}. Behind a pooler, run these "
                              "as a superuser:\n" + "".join(f"{statement};\n" for statement in by_role))


def login_in(file: str) -> tuple[str, str]:
    """Return the name and the password of the role in the DATABASE_URL that a file contains. Raises CommandError."""
    try:
        url = Env.db_url_config(Path(file).read_text(encoding="utf-8").strip())
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror}.") from None
    if not url.get("USER") or not url.get("PASSWORD"):
        raise CommandError(f"{file} must contain an address of PostgreSQL with a role and its password.")
    return url["USER"], url["PASSWORD"]
