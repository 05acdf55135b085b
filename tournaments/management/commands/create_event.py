"""`manage.py create_event`."""

import secrets
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, bot_named, ladder_named, organiser_named
from tournaments.models import Bot, Ladder, Version
from tournaments.services.events import create_event


class Command(ServiceCommand):
    help = "Schedule a round-robin on a ladder, with the newest version of each bot; prints its slug."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ladder", help="the ladder's slug")
        parser.add_argument("bots", nargs="*", metavar="BOT",
                            help="slugs of the bots that enter (default: every bot that plays the ruleset)")
        parser.add_argument("--name", default="Round-robin", help="as people call it (default: Round-robin)")
        parser.add_argument("--cycles", type=int, default=1,
                            help="how often each pair meets, two games each time (default 1)")
        parser.add_argument("--starts-at", metavar="TIME",
                            help="such as 2030-01-31T18:00 (UTC) or 2030-01-31T18:00+01:00 (default: now)")
        parser.add_argument("--organiser", metavar="USERNAME", help="a staff account (default: the first superuser)")
        parser.add_argument("--seed", type=int, help="decides the draw (default: by lot)")
        parser.add_argument("--no-openings", action="store_true", help="games begin with the empty board")

    def handle(self, *args: Any, **options: Any) -> None:
        ladder = ladder_named(options["ladder"])
        bots = [bot_named(slug) for slug in options["bots"]] or _players_of(ladder)
        seed = secrets.randbits(63) if options["seed"] is None else options["seed"]
        if not 0 <= seed < 2**63:
            raise CommandError(f"The seed is 0 to 2^63 - 1, not {seed}.")
        event = create_event(
            name=options["name"], ladder=ladder, versions=[_newest(bot) for bot in bots], cycles=options["cycles"],
            starts_at=_time(options["starts_at"]), created_by=organiser_named(options["organiser"]),
            now=timezone.now(), seed=seed, openings=not options["no_openings"])
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
