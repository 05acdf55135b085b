"""`manage.py reseal`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.accounts.second_factor import reseal_all


class Command(BaseCommand):
    help = (
        "Seal the secrets of second factors with SQUAREFIELD_SECRET_KEY, so that no older key is needed to open them "
        "(docs/how-to/operator/rotate-secrets.md). May be run at any time, and again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done, lost = reseal_all()
        self.stdout.write(f"{done} sealed with the newest key.")
        if lost:
            raise CommandError(f"No key opens those of {', '.join(lost)}: put the key that sealed them into "
                               "SQUAREFIELD_SECRET_KEY_FALLBACKS, or take them away with take_second_factor.")
