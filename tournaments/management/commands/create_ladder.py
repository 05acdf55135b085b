"""`manage.py create_ladder`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from engines.records.time_control import TimeControl, TimeControlError
from engines.rules.registry import RULESETS
from tournaments.management.base import ServiceCommand
from tournaments.services.ladders.ladders import create_ladder


class Command(ServiceCommand):
    help = "Create the ladder for a ruleset, board size and time control unless it exists, and print its slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ruleset", help=f"one of {', '.join(RULESETS)}")
        parser.add_argument("size", type=int, help="cells per side")
        parser.add_argument("time", metavar="TIME",
                            help="thinking time in seconds: base and increment per turn, such as 5+0.1, "
                                 "or a fixed time per turn, such as 0.5/turn")
        parser.add_argument("--pondering", action="store_true", help="let bots think while the opponent is to move")
        parser.add_argument("--name", help="display name (default: made from the other arguments)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            control = TimeControl.parse(options["time"])
        except TimeControlError as error:
            raise CommandError(str(error)) from None
        ladder = create_ladder(ruleset=options["ruleset"], size=options["size"], base_seconds=control.base,
                               increment_seconds=control.increment, per_turn_seconds=control.per_turn,
                               pondering=options["pondering"], name=options["name"])
        self.stdout.write(ladder.slug)
