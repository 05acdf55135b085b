"""`manage.py drain`."""

import time
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError
from django.utils import timezone

from engines.rules.registry import RULESETS
from tournaments.management.base import ServiceCommand
from tournaments.models import Worker
from tournaments.operations.workers import fleet, online, under_way
from tournaments.services.matches import workers

_LOOK_SECONDS: Final = 0.5


class Command(ServiceCommand):
    help = (
        "Let workers finish their current work and take no more; they keep running, idle, until `drain --undo`. "
        "Do this before an upgrade, so that nothing has to be replayed. Workers react within 10 s."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME",
                            help="name or host of a worker, or `all`; without a name, list the workers")
        parser.add_argument("--undo", action="store_true", help="let the workers take matches again")
        parser.add_argument("--wait", action="store_true", help="wait until the workers have finished their work")

    def handle(self, *args: Any, **options: Any) -> None:
        found = self._found(options["names"])
        verb = workers.resume if options["undo"] else workers.drain
        for worker in found if options["names"] else []:
            # Draining a worker twice is no error: the command states the desired state, not a change.
            if worker.draining == options["undo"]:
                verb(worker=worker, actor=None, now=timezone.now())
                worker.refresh_from_db()
        while options["wait"] and not options["undo"] and any(under_way(worker) for worker in found):
            time.sleep(_LOOK_SECONDS)
        for worker in found:
            state = "draining" if worker.draining else "taking matches"
            self.stdout.write(f"{worker.name}: {state}, {under_way(worker)} running, {worker.tier} tier, "
                              f"{worker.concurrency} at a time, {', '.join(worker.rulesets)}")
        self._write_slots()

    def _write_slots(self) -> None:
        """Write how many matches can be played at a time on the workers that take new ones."""
        places = fleet(timezone.now()).by_tier()
        for ruleset in RULESETS:
            tiers = [f"{number} of the {tier} tier" for (slug, tier), number in sorted(places.items())
                     if slug == ruleset]
            self.stdout.write(f"Slots for {ruleset}: {', '.join(tiers) or 'none'}")

    @staticmethod
    def _found(names: list[str]) -> list[Worker]:
        """Return the online workers that the names refer to."""
        running = list(online(timezone.now()))
        if not names or names == ["all"]:
            return running
        unknown = [name for name in names if not any(name in {worker.name, worker.host} for worker in running)]
        if unknown:
            there = ", ".join(worker.name for worker in running) or "none"
            raise CommandError(f"No online worker is called {', '.join(unknown)}. Online workers: {there}.")
        return [worker for worker in running if worker.name in names or worker.host in names]
