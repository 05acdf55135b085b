"""`manage.py create_series`."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.base import ServiceCommand, ladder_named, organiser_named
from tournaments.management.formats import add_format_arguments, format_of
from tournaments.services.events.series import create_series


class Command(ServiceCommand):
    help = "Create a series of events, announce the first one, and print the slug of the series."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladder", help="slug of the ladder")
        parser.add_argument("cron",
                            help="start times: minute, hour, day of month, month, day of week, such as '0 18 * * FRI'")
        parser.add_argument("--name", required=True, help="display name, to which each event adds its date")
        parser.add_argument("--time-zone", default="UTC",
                            help="time zone of the start times, such as Europe/Berlin (default: UTC)")
        parser.add_argument("--enter-ladder", action="store_true", help="enter every active bot of the ladder")
        parser.add_argument("--division-size", type=int, help="bots of each division of a league (default: no league)")
        parser.add_argument("--division-moves", type=int,
                            help="bots that move up, and down, between two divisions after each season")
        parser.add_argument("--organiser", metavar="USERNAME",
                            help="staff account of the organiser (default: the first superuser)")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        series = create_series(
            name=options["name"], ladder=ladder_named(options["ladder"]), cron=options["cron"],
            time_zone=options["time_zone"], enter_ladder=options["enter_ladder"],
            division_size=options["division_size"], division_moves=options["division_moves"],
            created_by=organiser_named(options["organiser"]), now=timezone.now(), **format_of(options))
        self.stdout.write(series.slug)
