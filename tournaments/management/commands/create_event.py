"""`manage.py create_event`."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, bot_named, ladder_named, version_of
from tournaments.management.formats import add_event_arguments, facts_of, time_of
from tournaments.models import Bot, Ladder
from tournaments.services.events.events import create_event


class Command(ServiceCommand):
    help = "Schedule an event on a ladder with the newest version of each bot, and print its slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladder", help="slug of the ladder")
        parser.add_argument("bots", nargs="*", metavar="BOT",
                            help="slugs of the entrants (default: every bot that plays the ruleset; "
                                 "with registration, none)")
        parser.add_argument("--name", help="display name (default: the format's name)")
        add_event_arguments(parser, starts_at="start, such as 2030-01-31T18:00 (UTC) or 2030-01-31T18:00+01:00 "
                                              "(default: now)")
        parser.add_argument("--runner", action="append", default=[], metavar="BOT",
                            help="slug of a bot that runs the gauntlet; may be repeated")
        parser.add_argument("--registration-opens", metavar="TIME",
                            help="time from which authors may enter (default: never)")
        parser.add_argument("--registration-closes", metavar="TIME", help="registration deadline (default: the start)")
        parser.add_argument("--seed", type=int, help="seed of the draw (default: random)")

    def handle(self, *args: Any, **options: Any) -> None:
        ladder = ladder_named(options["ladder"])
        opens = time_of(options["registration_opens"])
        runners = [version_of(bot_named(slug)) for slug in options["runner"]]
        bots = [bot_named(slug) for slug in options["bots"]] or ([] if opens is not None else _players_of(ladder))
        seed = secrets.randbits(63) if options["seed"] is None else options["seed"]
        if not 0 <= seed < 2**63:
            raise CommandError(f"The seed must be from 0 to 2^63 - 1, not {seed}.")
        event = create_event(
            name=options["name"] or options["format"].capitalize(), ladder=ladder,
            versions=[version_of(bot) for bot in bots], runners=runners, registration_opens_at=opens,
            registration_closes_at=time_of(options["registration_closes"]), now=timezone.now(), seed=seed,
            **facts_of(options))
        self.stdout.write(event.slug)


def _players_of(ladder: Ladder) -> list[Bot]:
    """Return every bot whose newest version plays the ladder's ruleset."""
    return [bot for bot in Bot.objects.order_by("pk") if ladder.ruleset in version_of(bot).rulesets]
