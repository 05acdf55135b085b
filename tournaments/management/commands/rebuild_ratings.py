"""`manage.py rebuild_ratings`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from tournaments.management.base import ServiceCommand, ladder_named
from tournaments.models import Ladder
from tournaments.services.rating import rebuild


class Command(ServiceCommand):
    help = (
        "Compute live ratings again from the games, period by period, and say whether a bit differs from what "
        "stood there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladders", nargs="*", metavar="LADDER", help="slugs of ladders (default: all)")
        parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if anything differs")

    def handle(self, *args: Any, **options: Any) -> None:
        ladders = [ladder_named(slug) for slug in options["ladders"]] or list(Ladder.objects.order_by("slug"))
        different = []
        for ladder in ladders:
            same = rebuild(ladder, check_only=options["check"])
            if not same:
                different.append(ladder.slug)
            outcome = "equal, bit for bit" if same else "different" if options["check"] else "different, and replaced"
            self.stdout.write(f"{ladder.slug}: {outcome}")
        if different and options["check"]:
            raise CommandError(f"The ratings of {', '.join(different)} are not what the games make them.")
