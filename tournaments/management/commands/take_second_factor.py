"""`manage.py take_second_factor`."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.base import ServiceCommand, user_named
from tournaments.services.accounts.second_factor import take_away


class Command(ServiceCommand):
    help = (
        "Switch off the second factor of somebody who has lost theirs, such as a superuser whom nobody else can help. "
        "Be sure first that it is them who asks. They are told by mail."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whose it is")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["username"])
        take_away(user=user, actor=None, now=timezone.now())
        self.stdout.write(f"{user} signs in with the password alone now.")
