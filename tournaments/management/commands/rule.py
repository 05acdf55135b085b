"""`manage.py rule`."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.base import (
    ServiceCommand,
    add_organiser_argument,
    add_verb,
    bot_named,
    event_named,
    organiser_named,
    version_of,
)
from tournaments.models import Entry
from tournaments.services.events.entries import enter_event, entry_of, leave_event, return_to_event
from tournaments.services.events.rulings.disqualifying import disqualify


class Command(ServiceCommand):
    help = "Rule on the entrants of an event, as its organiser. `rule EVENT VERB --help` explains a verb."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", help="slug of the event")
        verbs = parser.add_subparsers(metavar="VERB", required=True, title="verbs")
        enter = add_verb(verbs, self._enter, "enter", "enter a bot, before the start or in a running arena")
        withdraw = add_verb(verbs, self._withdraw, "withdraw", "remove a bot: before the start, its entry is deleted; "
                                                               "after it, its open matches are called off")
        back = add_verb(verbs, self._bring_back, "bring-back", "let a bot return to a running arena")
        out = add_verb(verbs, self._disqualify, "disqualify", "exclude a bot from a running event; this cannot be "
                                                              "undone")
        for one in (enter, withdraw, back, out):
            one.add_argument("bot", help="slug of the bot")
        enter.add_argument("version", nargs="?", type=int, help="number of its version (default: the newest)")
        out.add_argument("--reason", required=True, help="public reason")
        out.add_argument("--annul", action="store_true", help="its games no longer count in the standings; they stay "
                                                              "rated")
        for one in verbs.choices.values():
            add_organiser_argument(one)

    def handle(self, *args: Any, **options: Any) -> None:
        facts = {"actor": organiser_named(options["organiser"]), "now": timezone.now()}
        options["run"](event_named(options["event"]), facts, options)

    def _enter(self, event: Any, facts: Any, options: Any) -> None:
        entry = enter_event(event=event, version=version_of(bot_named(options["bot"]), options["version"]), **facts)
        self.stdout.write(f"{entry.version} is entered in {event}.")

    def _withdraw(self, event: Any, facts: Any, options: Any) -> None:
        entry = self._entry(event, options)
        leave_event(entry=entry, **facts)
        self.stdout.write(f"{entry.bot} has left {event}.")

    def _bring_back(self, event: Any, facts: Any, options: Any) -> None:
        entry = self._entry(event, options)
        return_to_event(entry=entry, **facts)
        self.stdout.write(f"{entry.bot} is back in {event}.")

    def _disqualify(self, event: Any, facts: Any, options: Any) -> None:
        entry = self._entry(event, options)
        disqualify(entry=entry, reason=options["reason"], annulled=options["annul"], **facts)
        self.stdout.write(f"{entry.bot} is disqualified from {event}.")

    def _entry(self, event: Any, options: Any) -> Entry:
        return entry_of(event, bot_named(options["bot"]))
