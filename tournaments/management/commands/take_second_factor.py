"""`manage.py take_second_factor`."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.base import ServiceCommand, user_named
from tournaments.services.accounts.second_factor import take_away


class Command(ServiceCommand):
    help = (
        "Switch off the second factor of a user who has lost it, such as a superuser whom no other staff can help. "
        "Verify the user's identity first. The user is notified by e-mail."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="account to change")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["username"])
        take_away(user=user, actor=None, now=timezone.now())
        self.stdout.write(f"{user} now signs in with the password alone.")
