"""`manage.py create_series`."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.base import ServiceCommand, ladder_named, organiser_named
from tournaments.management.formats import add_format_arguments, format_of
from tournaments.services.events.series import create_series


class Command(ServiceCommand):
    help = "Set up an event that recurs, and announce the first one; prints the series' slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladder", help="the ladder's slug")
        parser.add_argument("cron", help="when: minute, hour, day of month, month, day of week, as '0 18 * * FRI'")
        parser.add_argument("--name", required=True, help="as people call it; its events add their date")
        parser.add_argument("--time-zone", default="UTC", help="whose clock: such as Europe/Berlin (default UTC)")
        parser.add_argument("--enter-ladder", action="store_true", help="enter every active bot of the ladder")
        parser.add_argument("--organiser", metavar="USERNAME", help="a staff account (default: the first superuser)")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        series = create_series(
            name=options["name"], ladder=ladder_named(options["ladder"]), cron=options["cron"],
            time_zone=options["time_zone"], enter_ladder=options["enter_ladder"],
            created_by=organiser_named(options["organiser"]), now=timezone.now(), **format_of(options))
        self.stdout.write(series.slug)
