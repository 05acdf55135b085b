"""`manage.py create_ladder`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from engines.clock import TimeControl, TimeControlError
from engines.registry import RULESETS
from tournaments.management.base import ServiceCommand
from tournaments.services.ladders import create_ladder


class Command(ServiceCommand):
    help = "Open the ladder for a ruleset, board size and time control, or name the one that exists; prints its slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ruleset", help=f"one of {', '.join(RULESETS)}")
        parser.add_argument("size", type=int, help="cells a side")
        parser.add_argument("time", metavar="BASE+INCREMENT",
                            help="thinking time in seconds, for the game and added after each turn, such as 5+0.1")
        parser.add_argument("--name", help="as people call it (default: ruleset, size and time)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            control = TimeControl.parse(options["time"])
        except TimeControlError as error:
            raise CommandError(str(error)) from None
        ladder = create_ladder(ruleset=options["ruleset"], size=options["size"], base_seconds=control.base,
                               increment_seconds=control.increment, name=options["name"])
        self.stdout.write(ladder.slug)
