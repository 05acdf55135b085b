"""`manage.py make_push_key`."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments.platform.messaging.web_push import make_key


class Command(BaseCommand):
    help = "Print a new private key for push messages, for SQUAREFIELD_PUSH_KEY. A new key ends all subscriptions."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(make_key())
