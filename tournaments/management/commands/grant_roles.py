"""`manage.py grant_roles`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction

from tournaments.operations.grants import ROLES, statements


class Command(BaseCommand):
    help = (
        "Grant PostgreSQL roles the privileges that web, coordinator and workers need, and revoke all others. Run it "
        "as the tables' owner after every `migrate`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for role in ROLES:
            parser.add_argument(f"--{role}", metavar="ROLE", help=f"role that {role} processes sign in as")
        parser.add_argument("--print", action="store_true", dest="only_print",
                            help="print the statements instead of running them")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Only PostgreSQL has roles: there is nothing to grant on this database.")
        named = {role: options[role] for role in ROLES if options[role]}
        if not named:
            raise CommandError(f"Name at least one role: {', '.join(f'--{role}' for role in ROLES)}.")
        every = [statement for role, name in named.items() for statement in statements(role, name, connection)]
        if options["only_print"]:
            self.stdout.write("".join(f"{statement};\n" for statement in every))
            return
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                for statement in every:
                    cursor.execute(statement)
        except DatabaseError as error:
            raise CommandError(f"Nothing was granted: {str(error).strip()}") from None
        self.stdout.write(f"{', '.join(f'{name} as {role}' for role, name in named.items())}: granted.")
