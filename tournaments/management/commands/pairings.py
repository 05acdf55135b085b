"""`manage.py pairings`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, bot_named, organiser_named
from tournaments.models import Event
from tournaments.services.events.rulings.drafts import preview_pairings
from tournaments.services.events.rulings.pairings import confirm_round, pair_by_hand


class Command(ServiceCommand):
    help = "Show the pairings that an event would get now, change pairings of its last round, or confirm the round."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", help="slug of the event")
        parser.add_argument("--pair", nargs=2, metavar="BOT", help="slugs of two bots that are to meet")
        parser.add_argument("--bye", metavar="BOT", help="slug of the bot that is to get the bye")
        parser.add_argument("--reason", default="", help="public reason of the change; without it, nothing is stored")
        parser.add_argument("--confirm", action="store_true", help="release the matches of the round")
        parser.add_argument("--organiser", metavar="USERNAME",
                            help="staff account of the organiser (default: the first superuser)")

    def handle(self, *args: Any, **options: Any) -> None:
        event = Event.objects.select_related("ladder", "created_by", "series").filter(slug=options["event"]).first()
        if event is None:
            raise CommandError(f"There is no event {options['event']!r}. Name an event by its slug.")
        facts = {"event": event, "actor": organiser_named(options["organiser"]), "now": timezone.now()}
        names = options["pair"] or [options["bye"]]
        if names != [None]:
            bots = [bot_named(slug) for slug in names]
            changed = pair_by_hand(**facts, first=bots[0], second=bots[1] if len(bots) > 1 else None,
                                   reason=options["reason"], dry_run=not options["reason"])
            self._lines(changed.round, changed.pairs, [changed.bye] if changed.bye else [])
            self.stdout.write("\n".join([*(f"Warning: {text}" for text in changed.sentences), (
                "Stored." if changed.stored else "Nothing was stored: give a --reason to store the change.")]))
        if options["confirm"]:
            confirm_round(**facts)
            self.stdout.write("Confirmed.")
        if names == [None] and not options["confirm"]:
            draft = preview_pairings(**facts)
            for round_ in draft.rounds:
                self._lines(round_.number, round_.pairs, round_.byes)
            if draft.open_matches:
                self.stdout.write(f"{draft.open_matches} matches have no result yet, which can change the pairings.")

    def _lines(self, number: int, pairs: Any, byes: Any) -> None:
        for first, second in pairs:
            self.stdout.write(f"round {number}: {first.slug} - {second.slug}")
        for bot in byes:
            self.stdout.write(f"round {number}: {bot.slug} has a bye")
