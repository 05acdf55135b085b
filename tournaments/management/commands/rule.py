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
from tournaments.models import Bot, Entry
from tournaments.services.events.entries import enter_event, entry_of, leave_event, return_to_event
from tournaments.services.events.rulings.byes import request_bye
from tournaments.services.events.rulings.disqualifying import disqualify
from tournaments.services.events.rulings.drafts import preview_pairings
from tournaments.services.events.rulings.pairings import confirm_round, pair_by_hand


class Command(ServiceCommand):
    help = "Rule on the pairings and entrants of an event, as its organiser. `rule EVENT VERB --help` explains a verb."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", help="slug of the event")
        verbs = parser.add_subparsers(metavar="VERB", required=True, title="verbs")
        add_verb(verbs, self._preview, "preview", "show the pairings that the event would get now")
        pair = add_verb(verbs, self._pair, "pair", "let two bots meet in the last round of a Swiss, and also their "
                                                   "former opponents; without a reason, only show what changes")
        bye = add_verb(verbs, self._pair, "bye", "give a bot the bye of the last round of a Swiss; without a reason, "
                                                 "only show what changes")
        add_verb(verbs, self._confirm, "confirm", "release the matches of the round that waits for a confirmation")
        enter = add_verb(verbs, self._enter, "enter", "enter a bot, before the start or, where late entries are "
                                                      "possible, after it")
        withdraw = add_verb(verbs, self._withdraw, "withdraw", "remove a bot: before the start, its entry is deleted; "
                                                               "after it, its open matches are called off")
        back = add_verb(verbs, self._bring_back, "bring-back", "let a bot return to a running arena")
        out = add_verb(verbs, self._disqualify, "disqualify", "exclude a bot from a running event; this cannot be "
                                                              "undone")
        rest = add_verb(verbs, self._request_bye, "request-bye", "let a bot sit out a later round of a Swiss")
        pair.add_argument("bot", help="slug of the first bot")
        pair.add_argument("opponent", help="slug of the second bot")
        for one in (bye, enter, withdraw, back, out, rest):
            one.add_argument("bot", help="slug of the bot")
        enter.add_argument("version", nargs="?", type=int, help="number of its version (default: the newest)")
        rest.add_argument("round", type=int, help="number of the round, which is not paired yet")
        for one in (pair, bye):
            one.add_argument("--reason", default="", help="public reason; without it, nothing is stored")
        out.add_argument("--reason", required=True, help="public reason")
        out.add_argument("--annul", action="store_true", help="its games no longer count in the standings; they stay "
                                                              "rated")
        for one in verbs.choices.values():
            add_organiser_argument(one)

    def handle(self, *args: Any, **options: Any) -> None:
        facts = {"actor": organiser_named(options["organiser"]), "now": timezone.now()}
        options["run"](event_named(options["event"]), facts, options)

    def _preview(self, event: Any, facts: Any, options: Any) -> None:
        draft = preview_pairings(event=event, **facts)
        for round_ in draft.rounds:
            self._lines(round_.number, round_.pairs, round_.byes)
        if draft.open_matches:
            self.stdout.write(f"{draft.open_matches} matches have no result yet, which can change the pairings.")

    def _pair(self, event: Any, facts: Any, options: Any) -> None:
        second = bot_named(options["opponent"]) if "opponent" in options else None
        changed = pair_by_hand(event=event, first=bot_named(options["bot"]), second=second, reason=options["reason"],
                               dry_run=not options["reason"], **facts)
        self._lines(changed.round, changed.pairs, [changed.bye] if changed.bye else [])
        for sentence in changed.sentences:
            self.stdout.write(f"Warning: {sentence}")
        self.stdout.write("Stored." if changed.stored else "Nothing was stored: give a --reason to store the change.")

    def _confirm(self, event: Any, facts: Any, options: Any) -> None:
        confirm_round(event=event, **facts)
        self.stdout.write("Confirmed.")

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

    def _request_bye(self, event: Any, facts: Any, options: Any) -> None:
        entry = self._entry(event, options)
        request_bye(entry=entry, number=options["round"], **facts)
        self.stdout.write(f"{entry.bot} sits out round {options['round']} of {event}.")

    def _entry(self, event: Any, options: Any) -> Entry:
        return entry_of(event, bot_named(options["bot"]))

    def _lines(self, number: int, pairs: list[tuple[Bot, Bot]], byes: list[Bot]) -> None:
        for first, second in pairs:
            self.stdout.write(f"round {number}: {first.slug} - {second.slug}")
        for bot in byes:
            self.stdout.write(f"round {number}: {bot.slug} has a bye")
