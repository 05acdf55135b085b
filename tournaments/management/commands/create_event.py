"""`manage.py create_event`."""

import secrets
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, bot_named, ladder_named, organiser_named
from tournaments.management.formats import add_format_arguments, format_of
from tournaments.models import Bot, Ladder, Version
from tournaments.services.events.events import create_event


class Command(ServiceCommand):
    help = "Schedule an event on a ladder, with the newest version of each bot; prints its slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladder", help="the ladder's slug")
        parser.add_argument("bots", nargs="*", metavar="BOT",
                            help="slugs of the bots that enter (default: every bot that plays the ruleset; "
                                 "with registration, none)")
        parser.add_argument("--name", help="as people call it (default: its format)")
        add_format_arguments(parser)
        parser.add_argument("--runner", action="append", default=[], metavar="BOT",
                            help="slug of a bot that runs the gauntlet; may be given several times")
        parser.add_argument("--description", default="", help="what there is to say about it")
        parser.add_argument("--registration-opens", metavar="TIME", help="from when authors may enter (default: never)")
        parser.add_argument("--registration-closes", metavar="TIME", help="the deadline (default: the start)")
        parser.add_argument("--starts-at", metavar="TIME",
                            help="such as 2030-01-31T18:00 (UTC) or 2030-01-31T18:00+01:00 (default: now)")
        parser.add_argument("--organiser", metavar="USERNAME", help="a staff account (default: the first superuser)")
        parser.add_argument("--seed", type=int, help="decides the draw (default: by lot)")

    def handle(self, *args: Any, **options: Any) -> None:
        ladder = ladder_named(options["ladder"])
        opens = _time(options["registration_opens"])
        runners = [_newest(bot_named(slug)) for slug in options["runner"]]
        bots = [bot_named(slug) for slug in options["bots"]] or ([] if opens is not None else _players_of(ladder))
        seed = secrets.randbits(63) if options["seed"] is None else options["seed"]
        if not 0 <= seed < 2**63:
            raise CommandError(f"The seed is 0 to 2^63 - 1, not {seed}.")
        event = create_event(
            name=options["name"] or options["format"].capitalize(), ladder=ladder,
            versions=[_newest(bot) for bot in bots], runners=runners, description=options["description"],
            registration_opens_at=opens, registration_closes_at=_time(options["registration_closes"]),
            starts_at=_time(options["starts_at"]), created_by=organiser_named(options["organiser"]),
            now=timezone.now(), seed=seed, **format_of(options))
        self.stdout.write(event.slug)


def _newest(bot: Bot) -> Version:
    # A bot is made together with its first version.
    return bot.versions.select_related("bot").order_by("-number")[0]


def _players_of(ladder: Ladder) -> list[Bot]:
    """Every bot whose newest version plays the ladder's ruleset."""
    return [bot for bot in Bot.objects.order_by("pk") if ladder.ruleset in _newest(bot).rulesets]


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"The start is a time such as 2030-01-31T18:00, not {text!r}.") from None
    return time if time.utcoffset() is not None else time.replace(tzinfo=UTC)
