"""`manage.py create_token`."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.utils import timezone

from tournaments.management.base import ServiceCommand, user_named
from tournaments.models.lifecycle import TokenScope
from tournaments.services.accounts.tokens import make_token


class Command(ServiceCommand):
    help = "Create an API token for an account, and print it. It cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="account that the token is for")
        parser.add_argument("--for", dest="name", default="created by the operator", metavar="TEXT",
                            help="purpose of the token")
        parser.add_argument("--days", type=int, metavar="N", help="days until the token expires (default: never)")

        parser.add_argument("--scope", choices=TokenScope.values, default=TokenScope.EVERYTHING,
                            help="permitted actions (default: everything that the account may do)")

    def handle(self, *args: Any, **options: Any) -> None:
        now, days = timezone.now(), options["days"]
        _, text = make_token(user=user_named(options["username"]), name=options["name"], now=now,
                             scope=options["scope"],
                             expires_at=None if days is None else now + timedelta(days=days))
        self.stdout.write(text)
