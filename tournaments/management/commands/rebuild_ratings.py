"""`manage.py rebuild_ratings`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, ladder_named
from tournaments.models import Ladder
from tournaments.services.ladders.official import rebuild_official
from tournaments.services.ladders.rating import rebuild, rebuild_reported


class Command(ServiceCommand):
    help = (
        "Recompute live ratings, pair counts, official tables and the counts of reported chances from the games, and "
        "report whether they differ from the stored ones in any bit."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladders", nargs="*", metavar="LADDER", help="slugs of ladders (default: all)")
        parser.add_argument("--check", action="store_true", help="change nothing; exit with code 1 if anything differs")

    def handle(self, *args: Any, **options: Any) -> None:
        ladders = [ladder_named(slug) for slug in options["ladders"]] or list(Ladder.objects.order_by("slug"))
        different = []
        for ladder in ladders:
            same = {"live ratings": rebuild(ladder, check_only=options["check"]),
                    **rebuild_official(ladder, timezone.now(), check_only=options["check"]),
                    "reported chances": rebuild_reported(ladder, check_only=options["check"])}
            wrong = [what for what, equal in same.items() if not equal]
            if wrong:
                different.append(ladder.slug)
            outcome = f"different{'' if options['check'] else ' and replaced'}: {', '.join(wrong)}"
            self.stdout.write(f"{ladder.slug}: {outcome if wrong else 'equal, bit for bit'}")
        if different and options["check"]:
            raise CommandError(f"The ratings of {', '.join(different)} do not follow from the games. Run the command "
                               "without --check to replace them.")
