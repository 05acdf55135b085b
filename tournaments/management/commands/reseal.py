"""`manage.py reseal`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.accounts.second_factor import reseal_all


class Command(BaseCommand):
    help = (
        "Re-encrypt the secrets of second factors with SQUAREFIELD_SECRET_KEY, so that older keys are no longer needed "
        "(docs/how-to/operator/rotate-secrets.md). You can run it at any time, and repeatedly."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done, lost = reseal_all()
        self.stdout.write(f"{done} encrypted with the newest key.")
        if lost:
            raise CommandError(f"No key decrypts the secrets of {', '.join(lost)}. Add the key that encrypted them to "
                               "SQUAREFIELD_SECRET_KEY_FALLBACKS, or remove them with take_second_factor.")
