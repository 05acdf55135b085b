"""`manage.py demo`."""

import fcntl
import secrets
import shutil
import signal
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console

from engines.sandbox import Sandbox, SandboxUnavailable
from tournaments.models import Event, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.bootstrap.packages import ensure_packages
from tournaments.setup.bootstrap.usage import DEMO_HELP, add_demo_arguments
from tournaments.setup.demo import plan, readiness, screen
from tournaments.setup.demo.site import HOST, CannotServe, check_port, running_site
from tournaments.setup.demo.upkeep import Upkeep

ORGANISER = "organiser"
# What --fresh leaves: the lock that is held, and the key that this process has read already.
STAYS = {"demo.lock", "secret-key"}


class Command(BaseCommand):
    help = DEMO_HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_demo_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(highlight=False, soft_wrap=True)
        # Ended in whatever way, the children are stopped and the data are whole.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with ExitStack() as stack:
                check_port(options["port"])
                self._prepare_directory(stack, fresh=options["fresh"])
                self._prepare_sandbox(console)
                call_command("migrate", verbosity=0, interactive=False)
                self._run(console, options["port"], plan.SCALES[options["scale"]], options["workers"],
                          stay=not options["exit"])
        except (CannotServe, ChildFailed, SandboxUnavailable, readiness.NotReady) as reason:
            raise CommandError(str(reason)) from None
        except KeyboardInterrupt:
            console.print("Stopped. The data stay: run it again to go on.")

    def _prepare_directory(self, stack: ExitStack, *, fresh: bool) -> None:
        """var/ made, ours alone, and locked against a second demo until the stack is left."""
        var = settings.VAR_DIR
        elsewhere = "name another place: SQUAREFIELD_VAR=/some/directory python3 manage.py demo"
        try:
            var.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = stack.enter_context((var / "demo.lock").open("w"))
        except OSError as error:
            raise CannotServe(f"{var} cannot be written ({error.strerror}). Make it writable, or {elsewhere}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotServe(f"Another demo is running on {var}. Stop it first, or {elsewhere}") from None
        if fresh:
            for path in var.iterdir():
                if path.name not in STAYS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _prepare_sandbox(self, console: Console) -> None:
        """bubblewrap at hand, and the walls tried; the workers read the same finding."""
        ensure_packages({"bubblewrap": "bwrap"})
        with Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL) as sandbox:
            console.print(f"Sandbox: {sandbox.tier} tier")

    def _run(self, console: Console, port: int, scale: plan.Scale, workers: int, *, stay: bool) -> None:
        organiser, password = self._organiser()
        submissions = plan.enter_reference_bots(organiser, timezone.now())
        address = f"http://{HOST}:{port}/"
        with running_site(port, workers) as children:
            console.print(f"Site:    {address}")
            console.print(f"Admin:   {address}admin/ – name {ORGANISER}, password {password}\n")
            upkeep = Upkeep(children, console.print)
            versions = readiness.wait(console, submissions, upkeep.look)
            events = plan.schedule(scale, versions, organiser, timezone.now())
            screen.watch(console, events, upkeep.look)
            console.print()
            for event in events:
                screen.print_tables(console, event)
            self._report_void(console, events, fatal=not stay)
            if stay:
                plan.join_ladders(events, versions, organiser, timezone.now())
                console.print(f"The events are over, and the bots play on the ladders. Still serving {address} – stop "
                              "with Ctrl-C.")
                while True:
                    time.sleep(1)
                    upkeep.look()

    def _report_void(self, console: Console, events: Sequence[Event], *, fatal: bool) -> None:
        void = Match.objects.filter(event__in=events, status=MatchStatus.VOID).count()
        if not void:
            return
        report = (f"{void} match(es) were void for good. The admin shows every attempt and its reason; "
                  f"the logs are in {settings.VAR_DIR / 'logs'}")
        if fatal:
            raise CommandError(report)
        console.print(report)

    def _organiser(self) -> tuple[AbstractUser, str]:
        """The demo's own organiser, with a password made for this database."""
        file: Path = settings.VAR_DIR / "organiser-password"
        users = get_user_model().objects
        organiser = users.filter(username=ORGANISER).first()
        if organiser is None or not file.exists():
            password = secrets.token_urlsafe(9)
            file.touch(mode=0o600)
            file.write_text(password)
            organiser = organiser or users.create_superuser(ORGANISER)
            organiser.set_password(password)
            organiser.save()
        return organiser, file.read_text()
