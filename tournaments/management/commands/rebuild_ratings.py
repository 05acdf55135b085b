"""`manage.py rebuild_ratings`."""

import time
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError
from django.utils import timezone

from ratings.models import RatedGame
from tournaments.management.base import ServiceCommand, ladder_named
from tournaments.models import Ladder
from tournaments.services.ladders.history import rebuild_history
from tournaments.services.ladders.official import rebuild_official
from tournaments.services.ladders.openings import recount
from tournaments.services.ladders.rating import rebuild_reported

_SECONDS_BETWEEN_LINES: Final = 5.0


class Command(ServiceCommand):
    help = (
        "Recompute pair counts, ratings and the counts of reported chances from the games, and report whether they "
        "differ from the stored ones in any bit."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladders", nargs="*", metavar="LADDER", help="slugs of ladders (default: all)")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="change nothing; exit with code 1 if anything differs")
        what.add_argument("--openings", action="store_true",
                          help="instead, count the turns of the explorer of openings again; ratings are not changed")
        what.add_argument("--history", action="store_true",
                          help="instead, compute the histories of ratings again, by fits of the games up to then")

    def handle(self, *args: Any, **options: Any) -> None:
        ladders = [ladder_named(slug) for slug in options["ladders"]] or list(Ladder.objects.order_by("slug"))
        if options["openings"]:
            self._count_openings(ladders)
            return
        if options["history"]:
            for ladder in ladders:
                self.stdout.write(f"{ladder.slug}: history of {rebuild_history(ladder)} fits")
            return
        different = []
        for ladder in ladders:
            same = {**rebuild_official(ladder, timezone.now(), check_only=options["check"]),
                    "reported chances": rebuild_reported(ladder, check_only=options["check"])}
            wrong = [what for what, equal in same.items() if not equal]
            if wrong:
                different.append(ladder.slug)
            outcome = f"different{'' if options['check'] else ' and replaced'}: {', '.join(wrong)}"
            self.stdout.write(f"{ladder.slug}: {outcome if wrong else 'equal, bit for bit'}")
        if different and options["check"]:
            raise CommandError(f"The ratings of {', '.join(different)} do not follow from the games. Run the command "
                               "without --check to replace them.")

    def _count_openings(self, ladders: list[Ladder]) -> None:
        """Count batch by batch, and say how far it has come every few seconds. Other processes work meanwhile."""
        for ladder in ladders:
            total, said = RatedGame.objects.filter(ladder=ladder).count(), time.monotonic()
            for games, more in recount(ladder):
                if not more or time.monotonic() - said > _SECONDS_BETWEEN_LINES:
                    said = time.monotonic()
                    self.stdout.write(f"{ladder.slug}: {games:,} of {total:,} games counted")
